import AssetIO
import Foundation
import Logging
import MediaTypes
import RealTime

/// The files of one name that were begun and never finished: what the next start makes whole.
///
/// Kept as a list of paths in the state directory, because the output pattern may put every recording elsewhere. A path is
/// entered before its file exists and leaves when the movie has its final name. Only the process that holds the name's
/// lock uses it; the calls touch the disk.
struct UnfinishedRecordings: Sendable {
    private let path: String
    /// The repair of old recordings and the beginning of a new one change the list at the same time. Held during I/O, and
    /// never asked for by a capture thread.
    private let changing = NSLock()

    init(_ name: RecordingName, in state: StateDirectory = StateDirectory()) { path = state.unfinished(name) }

    /// In the order of their beginning.
    var files: [String] {
        guard let data = FileManager.default.contents(atPath: path) else { return [] }
        return (try? JSONDecoder().decode([String].self, from: data)) ?? []
    }

    /// - Throws: when the list cannot be written; the recording then goes on without an entry.
    func add(_ file: String) throws { try changing.withLock { try write(files.filter { $0 != file } + [file]) } }

    func remove(_ file: String) throws { try changing.withLock { try write(files.filter { $0 != file }) } }

    private func write(_ files: [String]) throws {
        let isThere = FileManager.default.fileExists(atPath: path)
        if files.isEmpty, !isThere { return }
        let directory = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        // In one step: a list that is half written would forget recordings.
        try JSONText.data(files).write(to: URL(fileURLWithPath: path), options: .atomic)
        // And for good: after a power cut the list of before would not know the recording. Who only forgets does not wait.
        guard !files.isEmpty else { return }
        try DirectoryEntries.synchronize(directory)
        if !isThere { try DirectoryEntries.synchronize((directory as NSString).deletingLastPathComponent) }
    }

    /// Makes every file whole that is still there, and forgets it. Blocks for as long as that takes.
    ///
    /// A file that is being recorded, or on a disk that is not there at this moment, stays on the list.
    ///
    /// - Parameters:
    ///   - leavesNameFree: the movies get a number, because their own name is about to be taken.
    ///   - onWhole: learns where each movie is.
    func repair(
        _ chosen: (String) -> Bool = { _ in true }, leavesNameFree: Bool = false, log: Logger,
        onWhole: (String) -> Void = { _ in }
    ) {
        for file in files where chosen(file) {
            do throws(MediaError) {
                let report = try MovieRepair.repair(URL(fileURLWithPath: file), leavesNameFree: leavesNameFree)
                if report.outcome == .repaired { log.notice("an interrupted recording is whole again: \(report.text)") }
                onWhole(report.file)
                forget(file, log: log)
            } catch {
                switch error.code {
                case .notFound where isDirectoryThere(file): forget(file, log: log)
                case .corruptData:
                    log.error("\(error)")
                    forget(file, log: log)
                default: log.error("\(error)")
                }
            }
        }
    }

    private func forget(_ file: String, log: Logger) {
        do { try remove(file) } catch { log.warning("cannot update \(path): \(error.localizedDescription)") }
    }

    private func isDirectoryThere(_ file: String) -> Bool {
        FileManager.default.fileExists(atPath: (file as NSString).deletingLastPathComponent)
    }
}
