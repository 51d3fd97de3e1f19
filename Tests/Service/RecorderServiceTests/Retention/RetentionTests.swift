import FileSystem
import Foundation
import Logging
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Retention of real files: it deletes only the recorder's own files.
@Suite struct RetentionTests {
    let directory: TemporaryDirectory
    let state: StateDirectory
    let front: RecordingName
    let log = LogLines()
    let moment = Locked(Moment(wall: 1_795_269_802, uptime: 1000, boot: "a"))
    private let free = Locked<Int64>(.max)

    init() throws {
        directory = try TemporaryDirectory()
        state = StateDirectory(environment: ["XDG_STATE_HOME": directory.path("state")])
        front = try RecordingName(parsing: "front")
        try FileManager.default.createDirectory(at: directory.file("movies"), withIntermediateDirectories: true)
    }

    var retention: Retention {
        let (moment, free) = (moment, free)
        return Retention(
            front, in: state, log: log.logger, moment: { moment.withLock { $0 } },
            freeSpace: { _ in free.withLock { $0 } })
    }

    /// Records a finished file of 100 bytes.
    @discardableResult
    func record(_ name: String, root: String? = nil) throws -> String {
        let path = directory.path("movies/\(name)")
        try FileManager.default.createDirectory(
            atPath: path.parentDirectory, withIntermediateDirectories: true)
        try Data(count: 100).write(to: URL(fileURLWithPath: path))
        try retention.catalogue.add(path, root: root, at: moment.withLock { $0 })
        return path
    }

    func pass(_ seconds: Double) {
        moment.withLock {
            $0.wall += seconds
            $0.uptime += seconds
        }
    }

    var movies: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory.path("movies"))) ?? []).sorted()
    }

    let hour = RetentionRules(age: MediaTime(value: 3600, timescale: 1))

    @Test func apply_age_deletesTheOldestAndTheirEntries() throws {
        try record("a.mov")
        pass(3000)
        try record("b.mov")
        pass(1000)
        #expect(retention.plan(hour).map(\.path) == [directory.path("movies/a.mov")])
        #expect(movies == ["a.mov", "b.mov"])
        #expect(retention.apply(hour).map(\.reason) == ["older than 1h"])
        #expect(movies == ["b.mov"])
        #expect(try retention.catalogue.recordings.map(\.path) == [directory.path("movies/b.mov")])
        #expect(log.contains("deleted \(directory.path("movies/a.mov")): older than 1h"))
        #expect(log.facts(of: .deleted).first?["file"] == directory.path("movies/a.mov"))
        #expect(retention.apply(hour).isEmpty)
    }

    @Test func apply_notUploaded_keepsTheFileUntilItIs() throws {
        for name in ["a.mov", "b.mov"] { try record(name) }
        pass(7200)
        let catalogue = retention.catalogue
        var rules = hour
        rules.hold = .init(.always, remote: "nas:front")
        #expect(retention.apply(rules).isEmpty)
        let (here, elsewhere) = (try catalogue.beginCopies(to: "nas:front"), "other:")
        let entry = try catalogue.entry(directory.path("movies/a.mov"))
        try catalogue.recordCopied(try #require(entry), to: here)
        // Uploads to another remote do not count.
        rules.hold = .init(.always, remote: elsewhere)
        #expect(retention.apply(rules).isEmpty)
        rules.hold = .init(.always, remote: "nas:front")
        #expect(retention.apply(rules).map(\.path) == [directory.path("movies/a.mov")])
        #expect(movies == ["b.mov"])
    }

    /// With files whose first mirrored file has left its catalogue, more than are looked at together.
    @Test func recordCopies_firstFilesOfManyAreGone_marksTheLaterOnes() throws {
        let (movies, mirror) = (directory.path("movies"), directory.path("mirror"))
        try FileManager.default.createDirectory(atPath: mirror, withIntermediateDirectories: true)
        let (front, state, log) = (front, state, log)
        func retention(below directory: String, _ catalogue: RecordingCatalogue) -> Retention {
            Retention(
                front, below: directory, in: state, catalogue: catalogue, log: log.logger, moment: Moment.now,
                freeSpace: { _ in nil })
        }
        let first = retention(below: movies, RecordingCatalogue(front, in: state))
        let second = retention(below: mirror, RecordingCatalogue(path: state.finishedOnMirror(front)))
        for number in 0..<300 {
            try Data(count: 10).write(to: directory.file("mirror/\(number).mov"))
            try second.catalogue.add(mirror + "/\(number).mov", root: mirror)
        }
        let path = try record("299.mov", root: movies)
        let original = try first.catalogue.entry(path)
        try first.catalogue.recordCopied(try #require(original), to: try first.catalogue.beginCopies(to: "nas:front"))
        second.recordCopies(of: first, on: MirrorPlace(mirror, freeSpace: { _ in nil }), remote: "nas:front")
        let remote = try second.catalogue.remote("nas:front")
        let entries = try second.catalogue.recordings
        #expect(remote != nil && entries.filter { $0.copiedTo == remote }.map(\.path) == [mirror + "/299.mov"])
    }

    @Test func apply_deletesFileNotUploaded_logsAnError() throws {
        for name in ["a.mov", "b.mov"] { try record(name) }
        free.withLock { $0 = 0 }
        var rules = RetentionRules(freeSpace: 100)
        rules.hold = .init(.always, remote: "nas:front")
        #expect(retention.apply(rules).isEmpty)
        rules.hold = .init(.unlessFull, remote: "nas:front")
        #expect(retention.apply(rules).count == 1)
        #expect(log.contains("error: deleted \(directory.path("movies/a.mov")): less than 100B free, not copied yet"))
    }

    /// The state disk is full, or another process locks the database for too long.
    @Test func enter_catalogueNotWritable_isDoneLaterInOrder() throws {
        let retention = retention
        let entered = Locked<[String]>([])
        for name in ["a.mov", "b.mov"] {
            try Data(count: 100).write(to: directory.file("movies/\(name)"))
        }
        // Nothing can be created below a file that is in the directory's place.
        try FileManager.default.createDirectory(at: directory.file("state"), withIntermediateDirectories: true)
        try Data().write(to: directory.file("state/recorder"))
        for name in ["a.mov", "b.mov"] {
            retention.enter(directory.path("movies/\(name)"), root: nil, .init()) {
                entered.withLock { $0.append(name) }
            }
        }
        #expect(entered.withLock { $0 }.isEmpty)
        try FileManager.default.removeItem(at: directory.file("state/recorder"))
        _ = retention.apply(RetentionRules())
        #expect(entered.withLock { $0 } == ["a.mov", "b.mov"])
        #expect(
            try retention.catalogue.recordings.map(\.path) == ["a.mov", "b.mov"].map { directory.path("movies/\($0)") })
    }

    @Test func catalogue_ofAnEarlierVersion_isUpgradedAndStaysCompatible() throws {
        try record("a.mov")
        let path = retention.catalogue.path
        let old = try Database(path)
        try old.execute(
            """
            DROP INDEX recording_uncopied; DROP TABLE remote; ALTER TABLE recording DROP COLUMN remote;
            """)
        let catalogue = RecordingCatalogue(front, in: state)
        #expect(try catalogue.uncopied(after: 0, count: 9).count == 1)
        #expect(try catalogue.backlog(of: "nas:") == .init(files: 1, bytes: 100, oldest: 1_795_269_802))
        let remote = try catalogue.beginCopies(to: "nas:")
        let first = try catalogue.recordings.first
        try catalogue.recordCopied(try #require(first), to: remote)
        // An older program does not know this column.
        try old.execute(
            """
            INSERT INTO recording (place, boot, path, inode, size, modified, wall, uptime, ending)
            VALUES (1, 1, '/movies/b.mov', 1, 50, 1, 0, 0, 'stopped');
            """)
        #expect(try catalogue.backlog(of: "nas:").files == 1)
    }

    @Test func plan_entryAddedLater_isIncluded() throws {
        let retention = retention
        try record("a.mov")
        pass(7200)
        #expect(retention.plan(hour).count == 1)
        try record("b.mov")
        pass(7200)
        #expect(retention.plan(hour).count == 2)
        #expect(retention.apply(hour).count == 2)
        #expect(retention.plan(hour).isEmpty)
    }

    @Test func apply_freeSpace_deletesNoMoreThanNeeded() throws {
        for name in ["a.mov", "b.mov", "c.mov"] { try record(name) }
        free.withLock { $0 = 850 }
        #expect(retention.apply(RetentionRules()).isEmpty)
        #expect(retention.apply(RetentionRules(freeSpace: 900)).count == 1)
        #expect(movies == ["b.mov", "c.mov"])
    }

    @Test func apply_filesOfOthers_areKept() throws {
        try record("mine.mov")
        try Data(count: 100).write(to: directory.file("movies/other.mov"))
        let back = RecordingCatalogue(try RecordingName(parsing: "back"), in: state)
        try Data(count: 100).write(to: directory.file("movies/back.mov"))
        try back.add(directory.path("movies/back.mov"), at: moment.withLock { $0 })
        try record("newest.mov")
        pass(7200)
        #expect(retention.apply(hour).count == 2)
        #expect(movies == ["back.mov", "other.mov"])
    }

    @Test func apply_filesTheUserChanged_areKept() throws {
        for name in ["edited.mov", "replaced.mov", "moved.mov", "linked.mov", "touched.mov", "plain.mov"] {
            try record(name)
        }
        pass(7200)
        let handle = try FileHandle(forWritingTo: directory.file("movies/edited.mov"))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(count: 1))
        try handle.close()
        let replaced = directory.path("movies/replaced.mov")
        #expect(rename(replaced, replaced + ".old") == 0)
        try Data(count: 100).write(to: URL(fileURLWithPath: replaced))
        #expect(rename(directory.path("movies/moved.mov"), directory.path("elsewhere.mov")) == 0)
        #expect(rename(directory.path("movies/linked.mov"), directory.path("target.mov")) == 0)
        #expect(symlink(directory.path("target.mov"), directory.path("movies/linked.mov")) == 0)
        var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, directory.path("movies/touched.mov"), &times, 0) == 0)
        #expect(retention.apply(hour).map(\.path) == [directory.path("movies/plain.mov")])
        #expect(movies == ["edited.mov", "linked.mov", "replaced.mov", "replaced.mov.old", "touched.mov"])
        #expect(directory.names.contains("target.mov"))
        #expect(try retention.catalogue.recordings.isEmpty)
    }

    /// The power was cut between the two steps of a deletion.
    @Test func apply_deletionWasInterrupted_isCompletedUnlessKept() throws {
        let path = try record("a.mov")
        let hidden = directory.path("movies/.a.mov.deleting")
        pass(7200)
        #expect(rename(path, hidden) == 0)
        let entry = try retention.catalogue.entry(path)
        try retention.catalogue.record(RecordingPin(since: 1), of: try #require(entry))
        #expect(retention.apply(hour).isEmpty)
        #expect(movies == ["a.mov"])
        try retention.catalogue.remove(retention.catalogue.recordings)
        try retention.catalogue.add(path, at: Moment(wall: 1_795_269_802, uptime: 1000, boot: "a"))
        #expect(rename(path, hidden) == 0)
        #expect(retention.apply(hour).map(\.path) == [path])
        #expect(movies.isEmpty)
    }

    @Test func apply_fileInUse_isKept() throws {
        let path = try record("a.mov")
        pass(7200)
        #expect(retention.apply(hour, inUse: [path]).isEmpty)
        #expect(retention.apply(hour).count == 1)
    }

    @Test func apply_emptyDirectoriesOfThePattern_areRemoved() throws {
        let root = directory.path("movies")
        try record("2026/11/a.mov", root: root)
        try record("2026/12/b.mov", root: root)
        try Data().write(to: directory.file("movies/2026/12/mine.txt"))
        try record("kept/c.mov")
        pass(7200)
        #expect(retention.apply(hour).count == 3)
        #expect(movies == ["2026", "kept"])
        #expect(directory.names.contains("movies"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("movies/2026")) == ["12"])
    }

    @Test(arguments: [-1.0, 1, 365]) func apply_clockIsSet_deletesNothing(days: Double) throws {
        try record("a.mov")
        pass(60)
        try record("b.mov")
        let rules = RetentionRules(age: MediaTime(value: 12 * 3600, timescale: 1))
        #expect(retention.apply(rules).isEmpty)
        // It is another boot, so only the calendar can be used.
        moment.withLock { $0 = Moment(wall: $0.wall + 10, uptime: 10, boot: "b") }
        #expect(retention.apply(rules).isEmpty)
        moment.withLock { $0.wall += days * 86_400 }
        for _ in 0..<10 {
            pass(60)
            #expect(retention.apply(rules).isEmpty)
        }
        pass(13 * 3600)
        #expect(retention.apply(rules).count == (days > 0 ? 2 : 0))
    }

    // MARK: The catalogue

    private func retention(below directory: String?) -> Retention {
        let (moment, free) = (moment, free)
        return Retention(
            front, below: directory, in: state, log: log.logger, moment: { moment.withLock { $0 } },
            freeSpace: { _ in free.withLock { $0 } })
    }

    @Test func apply_recordingsElsewhere_areKept() throws {
        let (here, elsewhere) = (directory.path("movies"), directory.path("movies/elsewhere"))
        for name in ["a.mov", "b.mov", "elsewhere/c.mov", "elsewhere/d.mov"] { try record(name) }
        try record("2026/e.mov", root: here)
        pass(7200)
        let rules = RetentionRules(age: MediaTime(value: 3600, timescale: 1), totalSize: 1, freeSpace: 1 << 40)
        #expect(retention(below: directory.path("none")).apply(rules).isEmpty)
        #expect(
            retention(below: elsewhere).apply(rules).map(\.path) == ["c.mov", "d.mov"].map { "\(elsewhere)/\($0)" })
        #expect(retention(below: here).elsewhere == nil)
        #expect(retention(below: elsewhere).elsewhere?.contains("3 of this recorder's recordings, in \(here)") == true)
        #expect(retention(below: here).apply(rules).count == 3)
    }

    @Test func apply_clockIsDoubted_isReported() throws {
        try record("a.mov")
        moment.withLock { $0 = Moment(wall: $0.wall + 100 * 86_400, uptime: 30, boot: "b") }
        let retention = retention
        #expect(retention.apply(hour).isEmpty)
        #expect(retention.account(hour)?.error?.contains("cannot use the date for keep-for") == true)
        #expect(!retention.hasFailed && log.contains("the machine was off for more than a week"))
        #expect(retention.apply(RetentionRules(totalSize: 1 << 40)).isEmpty)
        #expect(retention.account(hour)?.error == nil)
    }

    @Test func apply_clockOf1970_deletesNothing() throws {
        try record("a.mov")
        pass(60)
        try record("b.mov")
        let rules = RetentionRules(age: MediaTime(value: 60, timescale: 1))
        moment.withLock { $0 = Moment(wall: 5, uptime: 5, boot: "b") }
        for _ in 0..<3 {
            #expect(retention.apply(rules).isEmpty)
            pass(60)
        }
        // The clock is right again.
        moment.withLock { $0 = Moment(wall: 1_795_269_802 + 30, uptime: 10, boot: "c") }
        #expect(retention.apply(rules).isEmpty)
    }

    @Test func apply_damagedClockFile_doesNotTrustAJump() throws {
        try record("a.mov")
        moment.withLock { $0 = Moment(wall: $0.wall + 10, uptime: 10, boot: "b") }
        let rules = RetentionRules(age: MediaTime(value: 12 * 3600, timescale: 1))
        #expect(retention.apply(rules).isEmpty)
        try Data("{\"last\":".utf8).write(to: URL(fileURLWithPath: state.retentionClock(front)))
        moment.withLock { $0.wall += 365 * 86_400 }
        #expect(retention.apply(rules).isEmpty)
    }

    @Test func apply_unreadableDatabase_isLoggedOnceAndDeletesNothing() throws {
        try record("a.mov")
        let database = state.finished(front)
        #expect(rename(database, database + ".away") == 0)
        // No user can open a directory as a database, not even root.
        try FileManager.default.createDirectory(atPath: database, withIntermediateDirectories: false)
        pass(7200)
        let retention = retention
        #expect(retention.apply(hour).isEmpty)
        #expect(retention.apply(hour).isEmpty)
        #expect(retention.hasFailed)
        #expect(log.lines.filter { $0.contains("retention: cannot") }.count == 1)
        #expect(movies == ["a.mov"])
    }

    @Test func apply_damagedDatabase_isSetAsideAndDeletesNothing() throws {
        for name in ["a.mov", "b.mov"] { try record(name) }
        pass(7200)
        let database = state.finished(front)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: database))
        try handle.seek(toOffset: 100)
        try handle.write(contentsOf: Data(repeating: 0x55, count: 20_000))
        try handle.close()
        let retention = retention
        #expect(retention.lookAtAll(hour).isEmpty)
        #expect(retention.apply(hour).isEmpty)
        #expect(movies == ["a.mov", "b.mov"])
        #expect(FileManager.default.fileExists(atPath: database + ".damaged-1"))
        #expect(try retention.catalogue.isRecreated)
        #expect(try retention.catalogue.recordings.isEmpty)
        // The database works again.
        try record("c.mov")
        pass(7200)
        #expect(retention.apply(hour).count == 1)
    }

    @Test func status_reportsPlannedAndDeletedFiles() throws {
        let retention = retention(below: directory.path("movies"))
        for name in ["a.mov", "b.mov"] { try record(name) }
        pass(7200)
        #expect(retention.account(RetentionRules()) == nil)
        #expect(retention.account(hour)?.planned == nil)
        retention.lookAtAll(hour)
        #expect(retention.account(hour)?.planned?.files == 2)
        #expect(retention.account(hour)?.planned?.named.map(\.reason) == ["older than 1h", "older than 1h"])
        retention.apply(hour)
        #expect(retention.account(hour)?.removed.bytes == 200)
        #expect(
            retention.account(hour)?.announcement.first?.contains("deleting 2 finished recordings (200 B) below")
                == true
        )
    }

    @Test func status_deletedBeforeTheFullLook_countAsPlanned() throws {
        let retention = retention(below: directory.path("movies"))
        for name in ["a.mov", "b.mov"] { try record(name) }
        pass(7200)
        retention.apply(hour)
        retention.lookAtAll(hour)
        #expect(retention.account(hour)?.planned?.files == 2 && retention.account(hour)?.removed.files == 2)
        #expect(retention.account(hour)?.planned?.named.count == 2)
    }

    @Test func catalogue_pathAddedTwice_countsAsTheLast() throws {
        for name in ["a.mov", "b.mov", "a.mov"] { try record(name) }
        #expect(
            try retention.catalogue.recordings.map(\.path.lastComponent) == ["b.mov", "a.mov"])
        #expect(
            retention.apply(RetentionRules(totalSize: 100)).map(\.path.lastComponent) == ["b.mov"]
        )
    }

    @Test func catalogue_notARegularFile_isRefused() throws {
        #expect(symlink("/etc/passwd", directory.path("movies/a.mov")) == 0)
        #expect(throws: MediaError.self) { try retention.catalogue.add(directory.path("movies/a.mov")) }
        #expect(throws: MediaError.self) { try retention.catalogue.add(directory.path("movies")) }
        #expect(throws: MediaError.self) { try retention.catalogue.add(directory.path("movies/none.mov")) }
        #expect(try retention.catalogue.recordings.isEmpty)
    }

    @Test func catalogue_concurrentAddAndRemove_staysCorrect() async throws {
        let catalogue = retention.catalogue
        let movies = directory.path("movies")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    let path = "\(movies)/\(number).mov"
                    try Data(count: 1).write(to: URL(fileURLWithPath: path))
                    try catalogue.add(path)
                    if number % 2 == 0 { try catalogue.remove(catalogue.recordings.filter { $0.path == path }) }
                }
            }
            try await group.waitForAll()
        }
        #expect(try Set(catalogue.recordings.map(\.path)) == Set((0..<20).map { "\(movies)/\($0 * 2 + 1).mov" }))
    }
}
