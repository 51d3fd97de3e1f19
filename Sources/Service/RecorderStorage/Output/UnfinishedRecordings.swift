package import AssetIO
import CommandInterface
import FileSystem
import Foundation
package import Logging
package import MediaTypes
import MovieFile
import RealTime

/// The files of one recorder that were begun but not finished. The next start repairs them.
///
/// Their paths are in a list in the state directory, because the output pattern may use any directories. A path is
/// entered before its file exists, and removed when the movie has its final name. Paths that cannot be written because
/// the disk is full are written as soon as possible. Only the process that holds the lock of the recorder's name uses
/// the list; the calls access the disk.
package final class UnfinishedRecordings: Sendable {
    /// The stored list. The repair of old recordings and the beginning of a new one may change it at the same time.
    private let list: StoredList<String>
    /// The disks of the files that are not on the disk of the system. A separate list, because earlier versions and
    /// other readers know only paths.
    private let disks: StoredList<PlacedFile>

    private struct PlacedFile: Codable, Hashable, Sendable {
        let file: String
        /// The mount point of the disk.
        let mount: String
        /// The name of the disk; nil if it is unknown.
        let disk: String?
    }

    package init(_ name: RecordingName, in state: StateDirectory = StateDirectory()) {
        list = StoredList(state.unfinished(name))
        disks = StoredList(state.unfinishedDisks(name))
    }

    /// The files in the order in which they were begun.
    package var files: [String] { list.entries }

    /// True if a process is writing one of the files.
    package var isAnyBeingWritten: Bool { files.contains { DiskFile.writer(of: $0) != nil } }

    /// True if entries could not be written yet and wait for `addMissing`. Constant work.
    package var isAnyMissing: Bool { list.isAnyMissing }

    /// The error for which entries wait to be written; nil if none waits. Constant work.
    package var problem: MediaError? { list.problem }

    /// Adds a file.
    ///
    /// - Throws: An error if the list cannot be written; the recording continues without an entry until `addMissing`
    ///   adds it.
    package func add(_ file: String) throws {
        let mount = MountPoint.path(of: file.parentDirectory)
        // Without this, a file whose disk is missing may count as deleted; the recording continues.
        if mount != "/" { try? disks.add(PlacedFile(file: file, mount: mount, disk: MountPoint.disk(of: mount))) }
        try list.add(file)
    }

    /// Writes the entries that could not be written before.
    ///
    /// - Returns: The files that were written.
    package func addMissing() throws -> [String] { try list.addMissing() }

    package func remove(_ file: String) throws {
        try list.remove(file)
        for placed in disks.entries where placed.file == file { try? disks.remove(placed) }
    }

    /// Repairs every listed file that exists, and removes it from the list. Blocks until all of them are repaired.
    ///
    /// A file that is being recorded, or whose disk is missing, stays on the list.
    ///
    /// - Parameters:
    ///   - leavesNameFree: True if the repaired movies get a number, because a new file needs their name.
    ///   - onWhole: Called with the report of each movie.
    ///   - onFinished: Called with the final path of a listed file that no longer exists, if there is a file at the
    ///     final path. The process may have finalized the listed file before it ended, or another movie has the path.
    package func repair(
        _ chosen: (String) -> Bool = { _ in true }, leavesNameFree: Bool = false, log: Logger,
        onWhole: (RepairReport) -> Void = { _ in }, onFinished: (String) -> Void = { _ in }
    ) {
        for file in files where chosen(file) {
            do throws(MediaError) {
                let report = try MovieRepair.repair(URL(fileURLWithPath: file), leavesNameFree: leavesNameFree)
                if report.outcome == .repaired {
                    log.notice(
                        "repaired an interrupted recording: \(report.text)",
                        metadata: LoggedEvent.repaired.fields(file: report.file))
                }
                onWhole(report)
                forget(file, log: log)
            } catch {
                switch error.code {
                case .notFound where isDiskThere(file):
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
        do { try remove(file) } catch { log.warning("cannot update \(list.path): \(error)") }
    }

    /// Returns true if the disk of a file is mounted, and no other disk in its place. Files of earlier versions have no
    /// known disk; for them, the directory must exist.
    private func isDiskThere(_ file: String) -> Bool {
        guard FolderContents.isDirectory(file.parentDirectory) else { return false }
        guard let placed = disks.entries.last(where: { $0.file == file }) else { return true }
        return MountPoint.mounted(placed.mount) != nil
            && !MountPoint.areDifferent(placed.disk, MountPoint.disk(of: placed.mount))
    }
}
