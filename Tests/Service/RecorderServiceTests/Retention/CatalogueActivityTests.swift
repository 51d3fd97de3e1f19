import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderStorage

@Suite struct CatalogueActivityTests {
    private let directory: TemporaryDirectory
    private let catalogue: RecordingCatalogue

    init() throws {
        directory = try TemporaryDirectory()
        catalogue = RecordingCatalogue(path: directory.path("front.sqlite"))
    }

    private func record(_ name: String, started: Double, _ values: [Int]) throws {
        try Data(count: 100).write(to: directory.file(name))
        var account = FinishedRecording.Account(started: started, duration: Double(values.count), ending: .stopped)
        var series = ActivitySeries()
        for (second, value) in values.enumerated() { series.set(value, at: second) }
        account.activity = values.isEmpty ? nil : series
        try catalogue.add(
            directory.path(name), account,
            at: Moment(wall: started + Double(values.count), uptime: 0, boot: "a"))
    }

    @Test func activity_enteredFile_isReadInItsRange() throws {
        try record("a.mov", started: 1_795_000_000, [0, 60, 10])
        try record("b.mov", started: 1_795_000_100, [])
        #expect(try catalogue.recordings.map(\.account.peak) == [60, nil])
        let found = try catalogue.activity(in: 1_795_000_001...1_795_000_200)
        #expect(found.map(\.path) == [directory.path("a.mov")] && found.map(\.started) == [1_795_000_000])
        #expect(found.first?.series.values == [0, 60, 10])
        #expect(try catalogue.activity(in: 1_795_000_050...1_795_000_200).isEmpty)
    }

    @Test func activity_removedEntry_isRemovedToo() throws {
        try record("a.mov", started: 1_795_000_000, [0, 60, 10])
        try catalogue.remove(try catalogue.recordings)
        let database = try Database(catalogue.path)
        #expect(try database.number("SELECT count(*) FROM activity") == 0)
    }

    @Test func catalogue_withoutActivity_isUpgradedAndStaysCompatible() throws {
        try record("a.mov", started: 1_795_000_000, [])
        let old = try Database(catalogue.path)
        try old.execute(
            """
            DROP TRIGGER recording_forgotten; DROP TABLE activity; ALTER TABLE recording DROP COLUMN peak;
            """)
        let upgraded = RecordingCatalogue(path: catalogue.path)
        #expect(try upgraded.recordings.map(\.account.peak) == [nil])
        // An older program does not know the column.
        try old.execute(
            """
            INSERT INTO recording (place, boot, path, inode, size, modified, wall, uptime, ending)
            VALUES (1, 1, '/movies/b.mov', 1, 50, 1, 0, 0, 'stopped');
            """)
        #expect(try upgraded.recordings.count == 2)
    }

    @Test func list_measuredRecording_hasItsActivity() throws {
        try record("a.mov", started: 1_795_000_000, [0, 60, 10])
        let recording = try #require(try catalogue.recordings.first)
        let listed = ListedRecording(recording, of: .standard)
        #expect(listed.activity == 60 && listed.text.contains(" · activity 60 · "))
    }
}
