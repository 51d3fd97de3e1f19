import Dispatch
public import Foundation
public import MediaTypes

/// The forms for threads that are no tasks.
extension ExportSession {
    /// As `export`: blocks the calling thread until the movie is whole, synced and has its name.
    ///
    /// It never waits for a thread of Swift's pool: any thread may call. `cancelExport` from another thread ends it.
    ///
    /// - Throws: as `export`.
    @available(*, noasync, message: "use export")
    public func exportNow(to url: URL, as fileType: FileType? = nil) throws(MediaError) {
        try begin()
        try outcome(url, fileType).get()
    }

    /// As `export`, with a callback. Returns at once; `status` is `exporting` then, unless the export was refused.
    ///
    /// - Parameter completionHandler: called exactly once, from a thread of the export's and never from within this call: it
    ///   may block. `status`, `error` and `report` are the final ones then. The session lives until that call. A second
    ///   export is refused with `invalidState`, and changes nothing for the first.
    public func export(
        to url: URL, as fileType: FileType? = nil,
        completionHandler: @escaping @Sendable (Result<Void, MediaError>) -> Void
    ) {
        let refusal: MediaError?
        do throws(MediaError) {
            try begin()
            refusal = nil
        } catch { refusal = error }
        DispatchQueue(label: "recorder.export").async { [self] in
            completionHandler(refusal.map { .failure($0) } ?? outcome(url, fileType))
        }
    }
}
