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

/// Retention on disks that are missing, fail, or contain the mirrored files of another disk.
extension RetentionTests {
    @Test func apply_diskMissing_keepsItsEntries() throws {
        let path = try record("disk/a.mov")
        try record("b.mov")
        pass(7200)
        #expect(rename(directory.path("movies/disk"), directory.path("unplugged")) == 0)
        #expect(retention.apply(hour).count == 1)
        #expect(try retention.catalogue.recordings.map(\.path) == [path])
        #expect(rename(directory.path("unplugged"), directory.path("movies/disk")) == 0)
        #expect(retention.apply(hour).map(\.path) == [path])
    }

    /// Two disks are used in turn at one mount point.
    @Test func look_otherDiskIsMounted_keepsTheEntries() throws {
        let path = try record("a.mov")
        let catalogue = retention.catalogue
        try catalogue.record(catalogue.recordings, areOn: "uuid:a")
        #expect(rename(path, directory.path("a.mov")) == 0)
        let (disk, now) = (Locked("uuid:b"), Locked(moment.withLock { $0.wall }))
        let survey = CatalogueSurvey(disk: { _ in disk.withLock { $0 } }, now: { now.withLock { $0 } })
        for _ in 0..<2 { try survey.look(at: catalogue, below: nil, atMost: .max) }
        #expect(try catalogue.recordings.map(\.isAway) == [true])
        // It is back.
        disk.withLock { $0 = "uuid:a" }
        #expect(rename(directory.path("a.mov"), path) == 0)
        try survey.look(at: catalogue, below: nil, atMost: .max)
        #expect(try catalogue.recordings.map(\.isAway) == [false])
        // The user deletes the file of this disk.
        #expect(rename(path, directory.path("a.mov")) == 0)
        try survey.look(at: catalogue, below: nil, atMost: .max)
        #expect(try catalogue.recordings.isEmpty)
    }

    /// The other disk broke.
    @Test func look_otherDiskIsMountedForAMonth_removesTheEntries() throws {
        let path = try record("a.mov")
        let catalogue = retention.catalogue
        try catalogue.record(catalogue.recordings, areOn: "uuid:a")
        #expect(unlink(path) == 0)
        let now = moment.withLock { $0.wall } + 31 * 86_400
        try CatalogueSurvey(disk: { _ in "uuid:b" }, now: { now }).look(at: catalogue, below: nil, atMost: .max)
        #expect(try catalogue.recordings.isEmpty)
    }

    /// Entries of earlier versions, and kernels that name disks in another way.
    @Test func look_diskIsUnknown_entersIt() throws {
        try record("a.mov")
        let catalogue = retention.catalogue
        try Database(catalogue.path).execute("UPDATE recording SET disk = NULL")
        for name in ["fsid:1", "uuid:a"] {
            let survey = CatalogueSurvey(disk: { _ in name })
            try survey.look(at: catalogue, below: nil, atMost: CatalogueSurvey.usual)
            #expect(try catalogue.recordings.map(\.disk) != [name])
            try survey.look(at: catalogue, below: nil, atMost: .max)
            #expect(try catalogue.recordings.map(\.disk) == [name])
        }
        #expect(MountPoint.areDifferent("uuid:a", "uuid:b") && !MountPoint.areDifferent("uuid:a", "uuid:a"))
        #expect(!MountPoint.areDifferent("uuid:a", "fsid:1") && !MountPoint.areDifferent(nil, "uuid:a"))
    }

    @Test func isMounted_otherDiskIsMounted_isFalseForAMonth() throws {
        try record("a.mov")
        let catalogue = retention.catalogue
        try catalogue.record(catalogue.recordings, areOn: "uuid:a")
        let found = try catalogue.recordings.first
        let entry = try #require(found)
        #expect(try catalogue.isMounted(entry, disk: { _ in "uuid:a" }))
        #expect(try catalogue.isMounted(entry, disk: { _ in nil }))
        #expect(entry.isElsewhere(than: "uuid:b", now: entry.moment.wall + 60))
        #expect(!entry.isElsewhere(than: "uuid:b", now: entry.moment.wall + 31 * 86_400))
    }

    @Test func look_filesCannotBeExamined_keepsTheirEntries() throws {
        for name in ["a.mov", "b.mov"] { try record(name) }
        try FileManager.default.removeItem(at: directory.file("movies/b.mov"))
        let catalogue = retention.catalogue
        let fails = Locked(true)
        let survey = CatalogueSurvey { path in fails.withLock { $0 } ? .unknown(EIO) : FilePresence(of: path) }
        try survey.look(at: catalogue, below: nil, atMost: .max)
        #expect(survey.failure?.underlying == .errno(EIO))
        #expect(try catalogue.recordings.map(\.isAway) == [true, true])
        fails.withLock { $0 = false }
        try survey.look(at: catalogue, below: nil, atMost: .max)
        #expect(survey.failure == nil)
        #expect(try catalogue.recordings.map(\.path) == [directory.path("movies/a.mov")])
        #expect(try catalogue.recordings.map(\.isAway) == [false])
    }

    /// No file has a name of 300 bytes, so every disk reports an error for it.
    @Test func apply_fileCannotBeExamined_reportsTheErrorOnce() throws {
        let retention = retention
        try record("a.mov")
        let path = directory.path("movies/" + String(repeating: "b", count: 300) + ".mov")
        let entry = FinishedRecording(
            number: 0, path: path, identity: .init(inode: 1, size: 100, modified: 1), moment: moment.withLock { $0 },
            root: nil)
        try retention.catalogue.add([(entry: entry, directory: directory.path("movies"))])
        pass(7200)
        for _ in 0..<2 {
            _ = retention.apply(hour)
            #expect(retention.account(hour)?.error?.contains("cannot examine recordings below") == true)
        }
        #expect(movies.isEmpty)
        #expect(try retention.catalogue.recordings.map(\.path) == [path])
        #expect(log.lines.filter { $0.contains("cannot examine") }.count == 1)
    }

    @Test func enter_stateDirectoryNotWritable_isReportedUntilTheFileIsEntered() throws {
        let path = directory.path("movies/a.mov")
        try Data(count: 100).write(to: URL(fileURLWithPath: path))
        try Data().write(to: directory.file("state"))
        #expect(throws: MediaError.self) { try state.check() }
        let retention = retention
        retention.enter(path, root: nil, .init()) {}
        #expect(retention.account(hour)?.error?.hasPrefix("a finished file is ignored for now") == true)
        #expect(retention.account(RetentionRules()) == nil)
        try FileManager.default.removeItem(at: directory.file("state"))
        try state.check()
        _ = retention.apply(hour)
        #expect(retention.account(hour)?.error == nil)
        #expect(try retention.catalogue.recordings.map(\.path) == [path])
    }

    /// The second disk was missing while the first file was finished and copied.
    @Test func enterRepaired_firstFileIsEntered_keepsItsEntryAndCopiesItsFacts() throws {
        let (movies, mirror) = (directory.path("movies"), directory.path("mirror"))
        try FileManager.default.createDirectory(atPath: mirror, withIntermediateDirectories: true)
        let (front, state, log, moment) = (front, state, log, moment)
        func retention(below directory: String, on other: String, _ catalogue: RecordingCatalogue) -> Retention {
            Retention(
                front, below: directory, in: state, catalogue: catalogue, log: log.logger,
                moment: { moment.withLock { $0 } }, freeSpace: { _ in nil },
                counterpart: { OutputLocation.counterpart(of: $0, below: directory, on: other) })
        }
        let first = retention(below: movies, on: mirror, RecordingCatalogue(front, in: state))
        let second = retention(below: mirror, on: movies, RecordingCatalogue(path: state.finishedOnMirror(front)))
        for path in [movies, mirror] { try Data(count: 100).write(to: URL(fileURLWithPath: path + "/a.mov")) }
        var account = FinishedRecording.Account(started: 1_795_269_800, duration: 2, ending: .split)
        account.activity = ActivitySeries(step: 1, text: Data([3, 9]).base64EncodedString())
        first.enter(movies + "/a.mov", root: movies, account) {}
        let entry = try first.catalogue.entry(movies + "/a.mov")
        try first.catalogue.recordCopied(try #require(entry), to: try first.catalogue.beginCopies(to: "nas:front"))
        let copied = try first.catalogue.entry(movies + "/a.mov")
        pass(7200)
        first.enterRepaired(movies + "/a.mov", below: movies, like: second)
        second.enterRepaired(mirror + "/a.mov", below: mirror, like: first)
        let entries = try first.catalogue.recordings
        #expect(copied?.copiedTo != nil && entries.count == 1 && entries.first == copied)
        let twin = try second.catalogue.entry(mirror + "/a.mov")
        #expect(twin?.moment == entry?.moment && twin?.account == entry?.account && twin?.root == mirror)
        #expect(try second.catalogue.activity(in: 0...2e9).map(\.series) == [account.activity])
    }

    /// Its recording was never finished, or the other file has other data.
    @Test func enterRepaired_otherFileIsNotEqual_countsAsRepaired() throws {
        let (movies, mirror) = (directory.path("movies"), directory.path("mirror"))
        try FileManager.default.createDirectory(atPath: mirror, withIntermediateDirectories: true)
        try record("a.mov", root: movies)
        try Data(count: 99).write(to: directory.file("mirror/a.mov"))
        let second = Retention(
            front, below: mirror, in: state, catalogue: RecordingCatalogue(path: state.finishedOnMirror(front)),
            log: log.logger, moment: Moment.now, freeSpace: { _ in nil },
            counterpart: { OutputLocation.counterpart(of: $0, below: mirror, on: movies) })
        second.enterRepaired(mirror + "/a.mov", below: mirror, like: retention)
        #expect(try second.catalogue.recordings.map(\.account.ending) == [.repaired])
    }
}
