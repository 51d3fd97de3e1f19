import FileSystem
import Foundation
import Glibc
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Deletions for free space end when they free nothing, or free it late.
@Suite struct FreedSpaceTests {
    private let directory: TemporaryDirectory
    private let state: StateDirectory
    private let front: RecordingName
    private let log = LogLines()
    private let moment = Locked(Moment(wall: 1_795_269_802, uptime: 1000, boot: "a"))
    /// The free bytes without the deleted files, and the deleted files of which the disk has freed the space.
    private let disk = Locked((free: Int64(0), freed: Int64(0)))
    private static let size: Int64 = 2_000_000
    private static let rules = RetentionRules(freeSpace: 5_000_000)

    init() throws {
        directory = try TemporaryDirectory()
        state = StateDirectory(environment: ["XDG_STATE_HOME": directory.path("state")])
        front = try RecordingName(parsing: "front")
        try FileManager.default.createDirectory(at: directory.file("movies"), withIntermediateDirectories: true)
        for number in 0..<6 {
            let path = directory.path("movies/\(number).mov")
            try Data().write(to: URL(fileURLWithPath: path))
            #expect(truncate(path, Int(Self.size)) == 0)
            try RecordingCatalogue(front, in: state).add(path, at: moment.withLock { $0 })
        }
    }

    private var movies: [String] {
        (FolderContents.names(in: directory.path("movies")) ?? []).filter { $0.hasSuffix(".mov") }.sorted()
    }

    private var deletedBytes: Int64 { Int64(6 - movies.count) * Self.size }

    private func pass(_ seconds: Double) { moment.withLock { $0.uptime += seconds } }

    /// A retention as the next process has it, on a disk that frees space at once, at a sync, or not at all.
    private func retention(freesAtOnce: Bool = false, freesAtSync: Bool = false) -> Retention {
        let (moment, disk, movies) = (moment, disk, directory.path("movies"))
        let deleted: @Sendable () -> Int64 = {
            let count = (FolderContents.names(in: movies) ?? []).filter { $0.hasSuffix(".mov") }.count
            return Int64(6 - count) * Self.size
        }
        return Retention(
            front, in: state, log: log.logger, moment: { moment.withLock { $0 } },
            freeSpace: { _ in disk.withLock { $0.free + (freesAtOnce ? deleted() : $0.freed) } },
            settle: { _, _ in if freesAtSync { disk.withLock { $0.freed = deleted() } } })
    }

    @Test func apply_diskFreesAtOnce_deletesWhatIsNeeded() throws {
        #expect(retention(freesAtOnce: true).apply(Self.rules).count == 3)
        #expect(movies == ["3.mov", "4.mov", "5.mov"])
    }

    /// As on Btrfs, which frees the space of deleted files with its next commit.
    @Test func apply_diskFreesAtSync_deletesNoMoreThanNeeded() throws {
        for _ in 0..<4 { retention(freesAtSync: true).apply(Self.rules) }
        #expect(movies == ["3.mov", "4.mov", "5.mov"])
        #expect(!log.contains("has not risen"))
    }

    /// Another program deleted files just before.
    @Test func apply_diskFreesOtherFilesAtSync_deletesNothing() throws {
        let disk = disk
        let retention = Retention(
            front, in: state, log: log.logger, moment: { Moment(wall: 1_795_269_802, uptime: 1000, boot: "a") },
            freeSpace: { _ in disk.withLock { $0.free } }, settle: { _, _ in disk.withLock { $0.free = 9_000_000 } })
        #expect(retention.apply(Self.rules).isEmpty)
        #expect(movies.count == 6)
    }

    /// A snapshot has the files, or a program has them open.
    @Test func apply_deletingFreesNothing_endsAfterOneFileInAllProcesses() throws {
        #expect(retention().apply(Self.rules).map(\.path.lastComponent) == ["0.mov"])
        #expect(log.contains("has not risen yet after a deletion"))
        for _ in 0..<10 {
            pass(60)
            let next = retention()
            #expect(next.lookAtAll(Self.rules).isEmpty && next.apply(Self.rules).isEmpty)
            #expect(next.account(Self.rules)?.error?.contains("cannot free space on") == true)
            #expect(!next.hasFailed)
        }
        #expect(movies.count == 5)
        // The other rules still delete.
        var rules = Self.rules
        rules.totalSize = 4 * Self.size
        #expect(retention().apply(rules).map(\.path.lastComponent) == ["1.mov"])
    }

    @Test func apply_spaceRisesLate_deletesAgain() throws {
        retention().apply(Self.rules)
        pass(60)
        #expect(retention().apply(Self.rules).isEmpty)
        disk.withLock { $0.freed = Self.size }
        #expect(retention(freesAtOnce: true).apply(Self.rules).count == 2)
        #expect(movies == ["3.mov", "4.mov", "5.mov"])
    }

    @Test func apply_deletingFreesNothing_isTriedAfterAnHourAndThenMoreRarely() throws {
        let retention = retention()
        var counts: [Int] = []
        for _ in 0..<4 {
            pass(3600)
            counts.append(retention.apply(Self.rules).count)
        }
        #expect(counts == [1, 1, 0, 1])
    }

    @Test func apply_filesWithOtherLinks_areKeptAndReported() throws {
        for name in movies.dropFirst() {
            #expect(link(directory.path("movies/\(name)"), directory.path("backup-\(name)")) == 0)
        }
        let retention = retention(freesAtOnce: true)
        for _ in 0..<3 { retention.apply(Self.rules) }
        #expect(movies == ["1.mov", "2.mov", "3.mov", "4.mov", "5.mov"])
        #expect(retention.account(Self.rules)?.error?.contains("4 finished recordings have another hard link") == true)
        #expect(log.lines.filter { $0.contains("another hard link") }.count == 1)
        // They are deleted when they are old.
        pass(7200)
        #expect(retention.apply(RetentionRules(age: MediaTime(value: 3600, timescale: 1))).count == 5)
    }

    // MARK: The pure value

    private func moment(_ uptime: Double, boot: String = "a") -> Moment { Moment(wall: 0, uptime: uptime, boot: boot) }

    @Test func allows_riseAboveTheLowestValue_endsTheDoubt() {
        var freed = FreedSpace()
        var allows = [freed.allows("/", free: 100, at: moment(0))]
        freed.doubt("/", path: "/a", bytes: 1000, free: 5000, at: moment(0))
        // Recordings are written meanwhile.
        for free in [4800, 4000, 4400] as [Int64] { allows.append(freed.allows("/", free: free, at: moment(10))) }
        allows.append(freed.allows("/other", free: 0, at: moment(10)))
        allows.append(freed.allows("/", free: 4500, at: moment(20)))
        #expect(allows == [true, false, false, false, true, true])
        #expect(freed == FreedSpace())
    }

    @Test func allows_otherBoot_isATrial() {
        var freed = FreedSpace()
        freed.doubt("/", path: "/a", bytes: 1000, free: 0, at: moment(500))
        var allows = [freed.allows("/", free: 0, at: moment(600))]
        allows.append(freed.allows("/", free: 0, at: moment(5, boot: "b")))
        freed.doubt("/", path: "/b", bytes: 1000, free: 0, at: moment(5, boot: "b"))
        allows.append(freed.allows("/", free: 0, at: moment(3700, boot: "b")))
        #expect(allows == [false, true, false])
    }

    @Test func error_aMinuteHasPassed_namesTheFile() {
        var freed = FreedSpace()
        freed.doubt("/data", path: "/data/a.mov", bytes: 1000, free: 0, at: moment(0))
        #expect(freed.error(of: "/data", at: moment(30)) == nil)
        #expect(freed.error(of: "/data", at: moment(60))?.reason.contains("/data/a.mov") == true)
    }

    @Test func hasRisen_extremeValues_doesNotOverflow() {
        #expect(FreedSpace.hasRisen(from: .min, to: .max, by: .max))
        #expect(!FreedSpace.hasRisen(from: .max, to: .min, by: 0))
        #expect(!FreedSpace.hasRisen(from: 0, to: 49, by: 100) && FreedSpace.hasRisen(from: 0, to: 50, by: 100))
        #expect(!FreedSpace.hasRisen(from: 0, to: 0, by: 1))
    }
}
