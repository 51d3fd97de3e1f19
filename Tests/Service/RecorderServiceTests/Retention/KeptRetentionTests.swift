import FileSystem
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderService
@testable import RecorderStorage

/// Retention of kept recordings: no rule deletes them, and they cost no other recording.
@Suite struct KeptRetentionTests {
    private let directory: TemporaryDirectory
    private let state: StateDirectory
    private let front: RecordingName
    private let log = LogLines()
    private let moment = Locked(Moment(wall: 1_795_269_802, uptime: 1000, boot: "a"))
    private let free = Locked<Int64>(.max)

    init() throws {
        directory = try TemporaryDirectory()
        state = StateDirectory(environment: ["XDG_STATE_HOME": directory.path("state")])
        front = try RecordingName(parsing: "front")
        for name in ["movies", "mirror"] {
            try FileManager.default.createDirectory(at: directory.file(name), withIntermediateDirectories: true)
        }
    }

    private func retention(counterpart: @escaping @Sendable (String) -> String? = { _ in nil }) -> Retention {
        let (moment, free) = (moment, free)
        return Retention(
            front, in: state, log: log.logger, moment: { moment.withLock { $0 } },
            freeSpace: { _ in free.withLock { $0 } }, counterpart: counterpart)
    }

    /// Records finished files of 100 bytes, an hour apart.
    private func record(_ names: String...) throws {
        for name in names {
            try Data(count: 100).write(to: directory.file("movies/\(name)"))
            try retention().catalogue.add(directory.path("movies/\(name)"), at: moment.withLock { $0 })
            moment.withLock {
                $0.wall += 3600
                $0.uptime += 3600
            }
        }
    }

    private func keep(_ name: String) throws {
        try RecordingPins.write(RecordingPin(since: 1), of: directory.path("movies/\(name)"))
    }

    private var movies: [String] {
        (FolderContents.names(in: directory.path("movies")) ?? []).filter { $0.hasSuffix(".mov") }.sorted()
    }

    @Test(arguments: [
        RetentionRules(age: MediaTime(value: 1, timescale: 1)), RetentionRules(totalSize: 1),
        RetentionRules(freeSpace: 1 << 40),
    ])
    func apply_anyRule_keepsKeptFiles(rules: RetentionRules) throws {
        try record("a.mov", "b.mov", "c.mov")
        try keep("a.mov")
        free.withLock { $0 = 0 }
        #expect(!retention().plan(rules).contains { $0.path.hasSuffix("a.mov") })
        #expect(retention().apply(rules).map(\.path.lastComponent).first == "b.mov")
        #expect(movies.first == "a.mov" && !movies.contains("b.mov"))
        // Also when nothing else is left.
        #expect(retention().apply(rules).allSatisfy { $0.path.hasSuffix("c.mov") })
        #expect(movies.first == "a.mov")
    }

    @Test func apply_sidecarOnly_isEnteredInTheCatalogue() throws {
        try record("a.mov", "b.mov")
        try keep("a.mov")
        retention().apply(RetentionRules(totalSize: 1000))
        #expect(try retention().catalogue.kept(count: 9).map(\.path.lastComponent) == ["a.mov"])
    }

    @Test func apply_unreadableSidecar_keepsTheFile() throws {
        try record("a.mov", "b.mov")
        try FileManager.default.createDirectory(
            at: directory.file("movies/a.mov.keep"), withIntermediateDirectories: false)
        #expect(retention().apply(RetentionRules(totalSize: 1)).isEmpty)
        #expect(movies == ["a.mov", "b.mov"])
    }

    @Test func apply_keptInTheCatalogueOnly_keepsTheFile() throws {
        try record("a.mov", "b.mov")
        let catalogue = retention().catalogue
        let entry = try #require(try catalogue.entry(directory.path("movies/a.mov")))
        try catalogue.record(RecordingPin(since: 1), of: entry)
        #expect(retention().apply(RetentionRules(totalSize: 1)).isEmpty)
        #expect(movies == ["a.mov", "b.mov"])
    }

    /// Otherwise a kept recording would push out others.
    @Test func apply_totalSize_doesNotCountKeptFiles() throws {
        try record("a.mov", "b.mov", "c.mov", "d.mov")
        try keep("a.mov")
        try keep("c.mov")
        #expect(retention().apply(RetentionRules(totalSize: 200)).isEmpty)
        #expect(retention().apply(RetentionRules(totalSize: 199)).map(\.path.lastComponent) == ["b.mov"])
    }

    @Test func apply_otherMirroredFileIsKept_keepsThisOne() throws {
        try record("a.mov", "b.mov")
        let mirror = directory.path("mirror")
        try RecordingPins.write(RecordingPin(since: 1), of: mirror + "/a.mov")
        let movies = directory.path("movies")
        let retention = retention { OutputLocation.counterpart(of: $0, below: movies, on: mirror) }
        #expect(retention.apply(RetentionRules(totalSize: 1)).isEmpty)
        #expect(self.movies == ["a.mov", "b.mov"])
    }

    @Test func apply_catalogueDamaged_keepsKeptFiles() throws {
        try record("a.mov", "b.mov")
        try keep("a.mov")
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: state.finished(front)))
        try handle.seek(toOffset: 100)
        try handle.write(contentsOf: Data(repeating: 0x55, count: 20_000))
        try handle.close()
        let rules = RetentionRules(totalSize: 1)
        retention().lookAtAll(rules)
        // The files are entered again, as a search of the disks does.
        try record("a.mov", "b.mov", "c.mov")
        #expect(retention().apply(rules).map(\.path.lastComponent) == ["b.mov"])
        #expect(movies == ["a.mov", "c.mov"])
    }

    @Test func kept_afterApply_countsFilesAndWarns() throws {
        try record("a.mov", "b.mov")
        try keep("a.mov")
        let retention = retention()
        #expect(retention.kept == nil)
        free.withLock { $0 = 250 }
        let rules = RetentionRules(age: MediaTime(value: 31_536_000, timescale: 1))
        retention.apply(rules, reserve: 150)
        #expect(retention.kept == KeptAccount(files: 1, bytes: 100))
        retention.apply(rules, reserve: 200)
        #expect(retention.kept?.warning?.contains("100 B") == true)
    }

    @Test func catalogue_ofAnEarlierVersion_getsTheColumns() throws {
        try record("a.mov")
        let old = try Database(retention().catalogue.path)
        try old.execute(
            """
            DROP INDEX recording_kept; ALTER TABLE recording DROP COLUMN kept; ALTER TABLE recording DROP COLUMN note;
            """)
        let catalogue = RecordingCatalogue(front, in: state)
        let entry = try #require(try catalogue.entry(directory.path("movies/a.mov")))
        try catalogue.record(RecordingPin(since: 5, note: "gate"), of: entry)
        #expect(try catalogue.kept(count: 9).map(\.pin) == [RecordingPin(since: 5, note: "gate")])
        // An older program does not know the columns.
        try old.execute(
            """
            INSERT INTO recording (place, boot, path, inode, size, modified, wall, uptime, ending)
            VALUES (1, 1, '/movies/b.mov', 1, 50, 1, 0, 0, 'stopped');
            """)
        #expect(try catalogue.kept(count: 9).count == 1)
    }
}
