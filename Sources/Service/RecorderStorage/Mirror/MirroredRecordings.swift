import AssetIO
import CommandInterface
import FileSystem
import Foundation
package import Logging
import MediaTypes
import MovieFile
import RealTime

/// A recording on two disks: its final paths, and the places of the disks.
package struct MirroredRecording: Codable, Hashable, Sendable {
    package let first: String
    package let second: String
    /// The mount points of the disks. An element is empty if the disk was missing, and its mount point is unknown.
    package let mounts: [String]
    /// The directories of the files that the recorder never creates; nil in a list of an earlier version.
    private let roots: [String]?
    /// The disks; an element is empty if the disk is unknown. nil in a list of an earlier version.
    private let disks: [String]?

    /// Creates a value with the present mount points of both disks. Accesses both disks.
    package init(_ first: OutputLocation, _ second: OutputLocation) {
        self.init(first, second, mountPoint: MountPoint.present(of:))
    }

    /// Creates a value.
    ///
    /// - Parameter mountPoint: Returns the mount point of a directory's disk; nil if it is unknown.
    init(_ first: OutputLocation, _ second: OutputLocation, mountPoint: (String) -> String?) {
        (self.first, self.second) = (first.path, second.path)
        let roots = [first, second].map { $0.root ?? $0.directory }
        self.roots = roots
        let mounts = roots.map { mountPoint($0) ?? "" }
        self.mounts = mounts
        disks = mounts.map { $0.isEmpty ? "" : MountPoint.disk(of: $0) ?? "" }
    }

    package var paths: [String] { [first, second] }

    /// Returns true if the disk of the mirrored file with this index is present. Accesses the disk.
    ///
    /// If the root directory is missing, the disk counts as missing, even if the mount point is unknown.
    package func isPresent(_ index: Int) -> Bool {
        guard FolderContents.isDirectory(root(index)) else { return false }
        let mount = mount(index)
        return mount.count <= 1 || MountPoint.mounted(mount) != nil
    }

    /// Returns true if another disk is mounted in the place of one of the disks. Accesses both disks.
    func isOnOtherDisk(_ disk: (String) -> String? = MountPoint.disk(of:)) -> Bool {
        [0, 1].contains { index in
            guard let disks, index < disks.count, !disks[index].isEmpty else { return false }
            return MountPoint.areDifferent(disks[index], disk(mount(index)))
        }
    }

    /// Creates the missing directories of a mirrored file that was never begun, but only below its root directory. If
    /// the root directory is missing, it is on a disk that is not mounted.
    func makeDirectories(_ index: Int) throws(MediaError) {
        let root = root(index)
        var missing: [String] = []
        var next = paths[index].parentDirectory
        while next.count > root.count, !OutputLocation.isThere(next) {
            missing.append(next)
            next = next.parentDirectory
        }
        for directory in missing.reversed() where mkdir(directory, 0o777) != 0 && errno != EEXIST {
            throw MediaError(errno: errno, "cannot create \(directory)")
        }
    }

    private func mount(_ index: Int) -> String { index < mounts.count ? mounts[index] : "" }

    private func root(_ index: Int) -> String {
        if let roots, index < roots.count { return roots[index] }
        let mount = mount(index)
        return mount.count > 1 ? mount : paths[index].parentDirectory
    }
}

/// The recordings of one recorder whose two mirrored files may be incomplete. They are completed when both disks
/// are present.
///
/// A recording is entered when its files are created, and removed when both have their final names. The calls access
/// the disks, and take as long as reading a recording.
package final class MirroredRecordings: Sendable {
    private let list: StoredList<MirroredRecording>
    private let log: Logger
    /// Held during I/O, so that only one completion runs at a time.
    private let completing = NSLock()
    /// The last logged message about each recording, so that a disk that is missing for days is reported only once.
    private let told = Locked<[MirroredRecording: String]>([:])

    package init(_ name: RecordingName, in state: StateDirectory, log: Logger) {
        list = StoredList(state.mirrored(name))
        self.log = log
    }

    package var entries: [MirroredRecording] { list.entries }

    package func enter(_ recording: MirroredRecording) {
        do { try list.add(recording) } catch {
            log.warning(
                "cannot list this mirrored recording as unfinished: \(error); after a crash run `recorder mirror repair`"
            )
        }
    }

    package func enterMissing() { if list.isAnyMissing { _ = try? list.addMissing() } }

    package func leave(_ recording: MirroredRecording) {
        do { try list.remove(recording) } catch {
            log.warning("cannot update \(list.path): \(error)")
        }
        told.withLock { $0[recording] = nil }
    }

    /// Completes both mirrored files of all recordings whose disks are present.
    ///
    /// - Parameters:
    ///   - chosen: The recordings to complete, or nil for all.
    ///   - isLate: True if the recordings have ended. If only one disk of a recording is mounted, the file on that disk
    ///     is then finalized alone.
    ///   - open: Recordings that are being written.
    ///   - onWhole: Called with the path and the index of each completed file.
    package func complete(
        only chosen: Set<MirroredRecording>? = nil, isLate: Bool = false, but open: Set<MirroredRecording> = [],
        onWhole: (String, Int) -> Void = { _, _ in }
    ) {
        completing.withLock {
            for recording in list.entries where !open.contains(recording) && chosen?.contains(recording) ?? true {
                let there = [0, 1].filter(recording.isPresent)
                if there.count == 2 {
                    complete(recording, onWhole)
                } else if isLate, let index = there.first {
                    completeAlone(recording, index, onWhole)
                }
            }
        }
    }

    private func complete(_ recording: MirroredRecording, _ onWhole: (String, Int) -> Void) {
        do throws(MediaError) {
            for index in [0, 1] { try recording.makeDirectories(index) }
            let result = try MirrorRepair.repair(recording.first, recording.second)
            Self.report(result, in: log)
            for (index, path) in result.paths.enumerated() { onWhole(path, index) }
            leave(recording)
        } catch {
            switch error.code {
            // Retention or the user deleted both mirrored files, or nothing was recorded.
            case .notFound where error.underlying == nil: if !recording.isOnOtherDisk() { leave(recording) }
            case .corruptData:
                log.error("\(error)")
                leave(recording)
            // The last fragments of the recording are still being written or copied.
            case .busy: break
            default: report(recording, "\(error)")
            }
        }
    }

    private func completeAlone(_ recording: MirroredRecording, _ index: Int, _ onWhole: (String, Int) -> Void) {
        let rest = RecordingFileName(final: recording.paths[index]).recording
        guard OutputLocation.isThere(rest) else { return }
        do throws(MediaError) {
            let report = try MovieRepair.repair(URL(fileURLWithPath: rest))
            log.notice(
                "repaired an interrupted recording on one of its two disks: \(report.text)",
                metadata: LoggedEvent.repaired.fields(file: report.file))
            onWhole(report.file, index)
        } catch { report(recording, "\(error)") }
    }

    private func report(_ recording: MirroredRecording, _ text: String) {
        let isNews = told.withLock { told in
            defer { told[recording] = text }
            return told[recording] != text
        }
        if isNews { log.warning("cannot complete the mirrored files of \(recording.first): \(text)") }
    }

    /// Logs that both mirrored files are finalized, as an error if they differ.
    static func report(_ result: MirrorRepair.Result, in log: Logger) {
        if result.outcome == .different {
            log.error(
                "the mirrored files \(result.paths.joined(separator: " and ")) are finalized, but each contains data that the other lacks"
            )
        } else {
            log.notice("both mirrored files are complete: \(result.paths.joined(separator: " and "))")
        }
    }
}
