import Dispatch
public import Foundation
public import MediaTypes

/// Variants for threads that are not tasks.
extension ExportSession {
    /// Variant of `export` that blocks the calling thread until the movie is finalized, synced and has its final name.
    ///
    /// It never waits for a thread of Swift's pool, so any thread may call it. `cancelExport` from another thread ends
    /// it.
    ///
    /// - Throws: the errors of `export`.
    @available(*, noasync, message: "use export")
    public func exportNow(to url: URL, as fileType: FileType? = nil) throws(MediaError) {
        try begin()
        try outcome(url, fileType).get()
    }

    /// Variant of `export` with a callback. Returns immediately; `status` is then `exporting`, unless the export was
    /// refused.
    ///
    /// - Parameter completionHandler: called exactly once, on one of the export's threads, and never by this function
    ///   itself. It may block. `status`, `error` and `report` are final when it is called. The session lives until
    ///   then. A second export is refused with `invalidState` and does not affect the first.
    public func export(
        to url: URL, as fileType: FileType? = nil,
        completionHandler: @escaping @Sendable (Result<Void, MediaError>) -> Void
    ) {
        let begun = Result { () throws(MediaError) in try self.begin() }
        DispatchQueue(label: "recorder.export").async { [self] in
            completionHandler(begun.flatMap { outcome(url, fileType) })
        }
    }
}
