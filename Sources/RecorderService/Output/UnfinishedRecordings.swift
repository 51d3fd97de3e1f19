import AssetIO
import CommandInterface
import FileSystem
import Foundation
import Logging
import MediaTypes
import RealTime

/// The files of one name that were begun and never finished: what the next start makes whole.
///
/// Kept as a list of paths in the state directory, because the output pattern may put every recording elsewhere. A path is
/// entered before its file exists and leaves when the movie has its final name. What cannot be entered then, because that disk is
/// full, is entered as soon as it can. Only the process that holds the name's lock uses it; the calls touch the disk.
final class UnfinishedRecordings: Sendable {
    /// The repair of old recordings and the beginning of a new one change the list at the same time.
    private let list: StoredList<String>

    init(_ name: RecordingName, in state: StateDirectory = StateDirectory()) {
        list = StoredList(state.unfinished(name))
    }

    /// In the order of their beginning.
    var files: [String] { list.entries }

    /// There is something to enter again. Constant work.
    var isAnyMissing: Bool { list.isAnyMissing }

    /// - Throws: when the list cannot be written; the recording goes on without an entry until `addMissing` makes it.
    func add(_ file: String) throws { try list.add(file) }

    /// Enters what could not be entered before.
    ///
    /// - Returns: those files.
    func addMissing() throws -> [String] { try list.addMissing() }

    func remove(_ file: String) throws { try list.remove(file) }

    /// Makes every file whole that is still there, and forgets it. Blocks for as long as that takes.
    ///
    /// A file that is being recorded, or on a disk that is not there at this moment, stays on the list.
    ///
    /// - Parameters:
    ///   - leavesNameFree: the movies get a number, because their own name is about to be taken.
    ///   - onWhole: learns of each movie: where it is, and what was repaired.
    ///   - onFinished: learns of those that had their final name already when their process ended, if they do: some other movie
    ///     may have it.
    func repair(
        _ chosen: (String) -> Bool = { _ in true }, leavesNameFree: Bool = false, log: Logger,
        onWhole: (RepairReport) -> Void = { _ in }, onFinished: (String) -> Void = { _ in }
    ) {
        for file in files where chosen(file) {
            do throws(MediaError) {
                let report = try MovieRepair.repair(URL(fileURLWithPath: file), leavesNameFree: leavesNameFree)
                if report.outcome == .repaired { log.notice("an interrupted recording is whole again: \(report.text)") }
                onWhole(report)
                forget(file, log: log)
            } catch {
                switch error.code {
                case .notFound where isDirectoryThere(file):
                    if let name = OutputLocation.finalPath(of: file), OutputLocation.isThere(name) { onFinished(name) }
                    forget(file, log: log)
                case .corruptData:
                    log.error("\(error)")
                    forget(file, log: log)
                default: log.error("\(error)")
                }
            }
        }
    }

    private func forget(_ file: String, log: Logger) {
        do { try remove(file) } catch { log.warning("cannot update \(list.path): \(error.localizedDescription)") }
    }

    private func isDirectoryThere(_ file: String) -> Bool {
        FolderContents.isDirectory((file as NSString).deletingLastPathComponent)
    }
}
