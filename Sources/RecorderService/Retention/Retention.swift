import CLinux
import Foundation
public import Logging
import MediaTypes
import RealTime

/// Deletes the finished recordings of one recorder that its owner's rules no longer keep.
///
/// Only what the catalogue names and what still is the file that was entered; never through a link. Any thread may call,
/// one is inside at a time. The calls touch the disk; a capture thread makes none.
public final class Retention: Sendable {
    public let catalogue: RecordingCatalogue
    private let clockPath: String
    private let log: Logger
    private let moment: @Sendable () -> Moment
    private let freeSpace: @Sendable (String) -> Int64?
    /// A year of short files is a long list, and it is asked for every minute.
    private let known = Locked<(version: FinishedRecording.Identity, recordings: [FinishedRecording])?>(nil)
    /// Held during I/O: two runs at once would count the same files twice.
    private let applying = NSLock()

    public convenience init(_ name: RecordingName, in state: StateDirectory = StateDirectory(), log: Logger) {
        self.init(name, in: state, log: log, moment: Moment.now, freeSpace: DiskSpace.free(at:))
    }

    /// - Parameter freeSpace: bytes that the file system of a directory has left.
    init(
        _ name: RecordingName, in state: StateDirectory, log: Logger, moment: @escaping @Sendable () -> Moment,
        freeSpace: @escaping @Sendable (String) -> Int64?
    ) {
        catalogue = RecordingCatalogue(name, in: state)
        clockPath = state.retentionClock(name)
        self.log = log
        self.moment = moment
        self.freeSpace = freeSpace
    }

    /// What would go at this moment. Changes nothing.
    public func plan(_ rules: RetentionRules) -> [RetentionPlanner.Removal] {
        applying.withLock { look(rules).removals }
    }

    /// Deletes what the rules no longer keep: after each finished file, every minute, and when a disk runs low.
    ///
    /// - Parameter inUse: a file that stays, whatever the rules say.
    /// - Returns: what went.
    @discardableResult
    public func apply(_ rules: RetentionRules, inUse: Set<String> = []) -> [RetentionPlanner.Removal] {
        guard !rules.keepsEverything else { return [] }
        return applying.withLock {
            let (removals, gone, clock) = look(rules, inUse: inUse)
            if let clock { try? JSONText.data(clock).write(to: URL(fileURLWithPath: clockPath), options: .atomic) }
            var done: [RetentionPlanner.Removal] = []
            for removal in removals {
                do throws(MediaError) {
                    guard try Self.delete(removal.recording) else { continue }
                    done.append(removal)
                    log.notice("deleted \(removal.path): \(removal.reason)")
                } catch { log.error("\(error)") }
            }
            do throws(MediaError) { try catalogue.remove(gone.union(done.map(\.recording))) } catch {
                log.error("\(error)")
            }
            return done
        }
    }

    /// - Returns: what goes; what is in the catalogue and no longer the same file; the clock as it is now.
    private func look(
        _ rules: RetentionRules, inUse: Set<String> = []
    ) -> (removals: [RetentionPlanner.Removal], gone: Set<FinishedRecording>, clock: RetentionClock?) {
        let recordings = readCatalogue()
        guard !recordings.isEmpty else { return ([], [], nil) }
        var candidates: [RetentionPlanner.Candidate] = []
        var gone: Set<FinishedRecording> = []
        var free: [UInt64: Int64] = [:]
        for recording in recordings where !inUse.contains(recording.path) {
            var kind = stat()
            if lstat(recording.path, &kind) == 0, Self.is(kind, recording) {
                candidates.append(.init(recording, fileSystem: UInt64(kind.st_dev)))
                if free[UInt64(kind.st_dev)] == nil {
                    free[UInt64(kind.st_dev)] = freeSpace((recording.path as NSString).deletingLastPathComponent)
                }
            } else if Self.isThere((recording.path as NSString).deletingLastPathComponent) {
                // Its owner moved, replaced or changed it: it is his now. On a disk that is not there it stays ours.
                gone.insert(recording)
            }
        }
        let moment = moment()
        var clock = storedClock ?? RetentionClock(moment)
        let now = clock.now(moment)
        let removals = RetentionPlanner(rules).removals(of: candidates, free: free, at: moment, now: now)
        return (removals, gone, clock)
    }

    private func readCatalogue() -> [FinishedRecording] {
        guard let version = catalogue.version else { return [] }
        if let known = known.withLock({ $0 }), known.version == version { return known.recordings }
        let recordings = catalogue.recordings
        known.withLock { $0 = (version, recordings) }
        return recordings
    }

    private var storedClock: RetentionClock? {
        FileManager.default.contents(atPath: clockPath).flatMap {
            try? JSONDecoder().decode(RetentionClock.self, from: $0)
        }
    }

    private static func `is`(_ file: stat, _ recording: FinishedRecording) -> Bool {
        file.st_mode & S_IFMT == S_IFREG && FinishedRecording.Identity(file) == recording.identity
    }

    private static func isThere(_ directory: String) -> Bool {
        var kind = stat()
        return stat(directory, &kind) == 0 && kind.st_mode & S_IFMT == S_IFDIR
    }

    /// Deletes the file that was entered, and no other that has its name by now.
    ///
    /// - Returns: false when it is another one.
    private static func delete(_ recording: FinishedRecording) throws(MediaError) -> Bool {
        let directory = (recording.path as NSString).deletingLastPathComponent
        let name = (recording.path as NSString).lastPathComponent
        let parent = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw MediaError(errno: errno, "cannot delete \(recording.path)") }
        defer { close(parent) }
        var kind = stat()
        guard fstatat(parent, name, &kind, AT_SYMLINK_NOFOLLOW) == 0, Self.is(kind, recording) else { return false }
        guard unlinkat(parent, name, 0) == 0 else {
            throw MediaError(errno: errno, "cannot delete \(recording.path)")
        }
        if let root = recording.root { removeEmptyDirectories(from: directory, below: root) }
        return true
    }

    /// A directory a day would stay for ever.
    private static func removeEmptyDirectories(from directory: String, below root: String) {
        var directory = directory
        let prefix = root.hasSuffix("/") ? root : root + "/"
        while directory.hasPrefix(prefix), directory.utf8.count > prefix.utf8.count, rmdir(directory) == 0 {
            directory = (directory as NSString).deletingLastPathComponent
        }
    }
}
