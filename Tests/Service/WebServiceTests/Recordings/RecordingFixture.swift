import Foundation
import MediaTypes
import MovieFile
import RecorderStorage
import TestSupport

@testable import WebService

/// A recorder's directory and lists, and an index that follows them.
final class RecordingFixture {
    let directory: TemporaryDirectory
    let index: RecordingIndex
    private var scanner: RecordingScanner?

    /// - Parameter index: the index; nil for a new one.
    init(index: RecordingIndex? = nil) throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(at: directory.file("videos"), withIntermediateDirectories: true)
        self.index = index ?? RecordingIndex(directory.path("page/recordings.sqlite"))
    }

    deinit { scanner?.stop() }

    var state: StateDirectory { StateDirectory(environment: ["XDG_STATE_HOME": directory.path("state")]) }
    var indexPath: String { directory.path("page/recordings.sqlite") }

    func path(_ name: String) -> String { directory.path("videos/\(name)") }

    /// Starts to follow the directory.
    ///
    /// - Parameters:
    ///   - isKnown: true if the recorder has recorded before.
    ///   - rereadInterval: the minimum time between two reads of a growing movie, in nanoseconds.
    func scan(isKnown: Bool = true, rereadInterval: Int64 = RereadSchedule.usualInterval) throws {
        let place = RecordingPlace(recorder: "front", directory: directory.path("videos"), depth: 1)
        let name = try RecordingName(parsing: "front")
        // A recorder that has recorded has a list.
        let list = state.finished(name)
        if isKnown, !FileManager.default.fileExists(atPath: list) { try enterNothing() }
        scanner = RecordingScanner(
            index, RecordingSources(in: state) { _ in [place] }, rereadInterval: rereadInterval, log: WebFixture.log)
    }

    func stop() {
        scanner?.stop()
        scanner = nil
    }

    private func enterNothing() throws {
        let other = directory.path("other.mov")
        try Data([1]).write(to: URL(fileURLWithPath: other))
        let catalogue = RecordingCatalogue(try RecordingName(parsing: "front"), in: state)
        try catalogue.add(other)
        try catalogue.remove(try catalogue.recordings)
        try FileManager.default.removeItem(atPath: other)
    }

    /// Writes a movie of three seconds, by a recorder or another program.
    @discardableResult
    func write(
        _ name: String, software: String = RecorderVersion.text, began: String = "2026-11-20T10:00:00Z",
        clock: RecordingClock? = nil, isFinished: Bool = true
    ) throws -> String {
        try write(name, bytes: bytes(software: software, began: began, clock: clock, isFinished: isFinished))
    }

    /// Returns the movie that `write` writes.
    func bytes(
        software: String = RecorderVersion.text, began: String = "2026-11-20T10:00:00Z", clock: RecordingClock? = nil,
        isFinished: Bool = true
    ) throws -> [UInt8] {
        let storage = MemoryStorage()
        try Recording.short.write(
            to: storage,
            metadata: [
                MetadataItem(key: MetadataItem.titleKey, value: "front"),
                MetadataItem(key: MetadataItem.softwareKey, value: software),
                MetadataItem(key: MetadataItem.creationDateKey, value: began),
            ] + (clock.map { [$0.metadataItem] } ?? []))
        if isFinished { try MovieFinisher.finish(storage) }
        return storage.bytes
    }

    /// Returns the clock of a recording that began at 2026-11-20T10:00:00Z and paused after a second, for ten seconds.
    static let pausedClock = RecordingClock(
        boot: "b", start: 100, wall: [.init(at: 100, wall: 1_795_168_800)], pauses: [.init(time: 1, duration: 10)])

    @discardableResult
    func write(_ name: String, bytes: [UInt8]) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
        return path(name)
    }

    /// Waits until the list meets the condition and everything has been read.
    @discardableResult
    func recordings(
        where condition: ([IndexedRecording]) -> Bool
    ) async throws -> [IndexedRecording] {
        var found: [IndexedRecording] = []
        try await waitUntil {
            guard let page = try? index.page(.init()), page.indexing == nil else { return false }
            found = page.recordings
            return condition(found)
        }
        return found
    }
}
