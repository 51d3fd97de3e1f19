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
    /// - Parameter isKnown: true if the recorder has recorded before.
    func scan(isKnown: Bool = true) throws {
        let place = RecordingPlace(recorder: "front", directory: directory.path("videos"), depth: 1)
        let name = try RecordingName(parsing: "front")
        // A recorder that has recorded has a list.
        let list = state.finished(name)
        if isKnown, !FileManager.default.fileExists(atPath: list) { try enterNothing() }
        scanner = RecordingScanner(index, RecordingSources(in: state) { _ in [place] }, log: WebFixture.log)
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
        let storage = MemoryStorage()
        try Recording.short.write(
            to: storage,
            metadata: [
                MetadataItem(key: MetadataItem.titleKey, value: "front"),
                MetadataItem(key: MetadataItem.softwareKey, value: software),
                MetadataItem(key: MetadataItem.creationDateKey, value: began),
            ] + (clock.map { [$0.metadataItem] } ?? []))
        if isFinished { try MovieFinisher.finish(storage) }
        return try write(name, bytes: storage.bytes)
    }

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
