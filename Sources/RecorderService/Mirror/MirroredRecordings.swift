import AssetIO
import CommandInterface
import FileSystem
import Foundation
import Logging
import MediaTypes
import MovieFile
import RealTime

/// A recording that stands on two disks, by its final names, and where those disks were mounted.
struct MirroredRecording: Codable, Hashable, Sendable {
    let first: String
    let second: String
    let mounts: [String]

    /// Touches both disks.
    init(_ first: OutputLocation, _ second: OutputLocation) {
        (self.first, self.second) = (first.path, second.path)
        mounts = [first, second].map { MountPoint.path(of: $0.root ?? $0.directory) }
    }

    var paths: [String] { [first, second] }

    /// Whether the disk of a copy is there.
    func isMounted(_ index: Int) -> Bool {
        guard index < mounts.count else { return true }
        return mounts[index].count <= 1 || MountPoint.mounted(mounts[index]) != nil
    }
}

/// The recordings of one name whose two copies are not known to be whole yet: what is made the same when both disks are there.
///
/// A recording is entered when its files are made, and leaves when both have their final names. The calls touch the disks, and
/// take as long as reading a recording does.
final class MirroredRecordings: Sendable {
    private let list: StoredList<MirroredRecording>
    private let log: Logger
    /// Held during I/O: one at a time.
    private let completing = NSLock()
    /// What was said of which recording last: a disk that is away for days is told of once.
    private let told = Locked<[MirroredRecording: String]>([:])

    init(_ name: RecordingName, in state: StateDirectory, log: Logger) {
        list = StoredList(state.mirrored(name))
        self.log = log
    }

    var entries: [MirroredRecording] { list.entries }

    func enter(_ recording: MirroredRecording) {
        do { try list.add(recording) } catch {
            log.warning(
                "for now a crash would leave the copies of this recording to be repaired by hand: \(error.localizedDescription)"
            )
        }
    }

    func enterMissing() { if list.isAnyMissing { _ = try? list.addMissing() } }

    func leave(_ recording: MirroredRecording) {
        do { try list.remove(recording) } catch {
            log.warning("cannot update \(list.path): \(error.localizedDescription)")
        }
        told.withLock { $0[recording] = nil }
    }

    /// Makes both copies of all recordings whole whose disks are there.
    ///
    /// - Parameters:
    ///   - chosen: nil: all.
    ///   - isLate: also makes whole what stands on one disk alone, while the other is away: nobody records into it any more.
    ///   - open: recordings that are being written.
    ///   - onWhole: learns of each copy that is whole now: where it is, and which of the two it is.
    func complete(
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
            if result.outcome == .different {
                log.error(
                    "the copies \(result.paths.joined(separator: " and ")) are whole, and each holds what the other has not"
                )
            } else {
                log.notice("both copies are whole: \(result.paths.joined(separator: " and "))")
            }
            for (index, path) in result.paths.enumerated() { onWhole(path, index) }
            leave(recording)
        } catch {
            switch error.code {
            // Deleted on both, by the retention or by their owner; or nothing was recorded.
            case .notFound where error.underlying == nil: leave(recording)
            case .corruptData:
                log.error("\(error)")
                leave(recording)
            // Its last fragments are still being written, or brought over.
            case .busy: break
            default: tell(recording, "\(error)")
            }
        }
    }

    private func completeAlone(_ recording: MirroredRecording, _ index: Int, _ onWhole: (String, Int) -> Void) {
        let rest = RecordingFileName(final: recording.paths[index]).recording
        guard OutputLocation.isThere(rest) else { return }
        do throws(MediaError) {
            let report = try MovieRepair.repair(URL(fileURLWithPath: rest))
            log.notice("an interrupted recording is whole again, on one of its two disks: \(report.text)")
            onWhole(report.file, index)
        } catch { tell(recording, "\(error)") }
    }

    private func tell(_ recording: MirroredRecording, _ text: String) {
        let isNews = told.withLock { told in
            defer { told[recording] = text }
            return told[recording] != text
        }
        if isNews { log.warning("cannot complete the copies of \(recording.first): \(text)") }
    }

    /// Those of a copy that never began are not there.
    private static func makeDirectories(of path: String, below mount: String) throws(MediaError) {
        let directory = (path as NSString).deletingLastPathComponent
        guard !OutputLocation.isThere(directory) else { return }
        let code = FolderContents.create(directory)
        guard code == 0 else { throw MediaError(errno: code, "cannot create \(directory)") }
    }
}
