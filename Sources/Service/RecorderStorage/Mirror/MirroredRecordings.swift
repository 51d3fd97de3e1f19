import AssetIO
import CommandInterface
import FileSystem
import Foundation
package import Logging
import MediaTypes
import MovieFile
import RealTime

/// A recording on two disks: its final paths, and the mount points of the disks.
package struct MirroredRecording: Codable, Hashable, Sendable {
    package let first: String
    package let second: String
    package let mounts: [String]

    /// Creates a value with the mount points of both disks. Accesses both disks.
    package init(_ first: OutputLocation, _ second: OutputLocation) {
        (self.first, self.second) = (first.path, second.path)
        mounts = [first, second].map { MountPoint.path(of: $0.root ?? $0.directory) }
    }

    package var paths: [String] { [first, second] }

    /// Returns true if the disk of the mirrored file with this index is mounted.
    package func isMounted(_ index: Int) -> Bool {
        guard index < mounts.count else { return true }
        return mounts[index].count <= 1 || MountPoint.mounted(mounts[index]) != nil
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
                let there = [0, 1].filter(recording.isMounted)
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
            for (path, mount) in zip(recording.paths, recording.mounts) {
                try Self.makeDirectories(of: path, below: mount)
            }
            let result = try MirrorRepair.repair(recording.first, recording.second)
            Self.report(result, in: log)
            for (index, path) in result.paths.enumerated() { onWhole(path, index) }
            leave(recording)
        } catch {
            switch error.code {
            // Retention or the user deleted both mirrored files, or nothing was recorded.
            case .notFound where error.underlying == nil: leave(recording)
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

    /// Creates the directory of a mirrored file that was never begun.
    static func makeDirectories(of path: String, below mount: String) throws(MediaError) {
        let directory = path.parentDirectory
        guard !OutputLocation.isThere(directory) else { return }
        let code = FolderContents.create(directory)
        guard code == 0 else { throw MediaError(errno: code, "cannot create \(directory)") }
    }
}
