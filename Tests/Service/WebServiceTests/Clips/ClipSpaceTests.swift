import Foundation
import MediaTypes
import RecorderStorage
import TestSupport
import Testing

@testable import WebService

/// Clips of recordings that exist only in the index: none of them gets its turn.
@Suite(.timeLimit(.minutes(10))) struct ClipSpaceTests {
    private let directory: TemporaryDirectory
    private let index: RecordingIndex

    /// Makes an index with one recording of a minute and a gigabyte.
    init() throws {
        directory = try TemporaryDirectory()
        index = RecordingIndex(directory.path("recordings.sqlite"))
        let seen = IndexRows.Seen(
            path: "/movies/a.mov", recorder: "front",
            identity: .init(inode: 1, size: 1 << 30, modified: 60 * 1_000_000_000),
            account: .init(started: 0, duration: 60, ending: .stopped))
        var info = IndexedRecording.Info(begin: 0, duration: 60, hasVideo: true)
        info.recorder = "front"
        try index.change { database throws(Database.Failure) in
            try IndexRows.record(seen, in: database)
            guard let entry = try IndexRows.unread(1, in: database).first else { return }
            try IndexRows.record(info, of: entry, in: database)
        }
    }

    private func clips(keepFree: @escaping @Sendable () -> Int64) -> Clips {
        var limits = Clips.Limits()
        (limits.working, limits.reserve) = (0, 0)
        return Clips(index, in: ClipFolder(in: directory.url.path), limits: limits, keepFree: keepFree)
    }

    @Test func clip_waiting_reservesItsSpace() async throws {
        let place = directory.url.path
        // Two gigabytes are free, and each clip reserves a quarter more than its size.
        let clips = clips { (DiskSpace.free(at: place) ?? 0) - (2 << 30) }
        let first = try await clips.begin("front", 0...60)
        await #expect(throws: MediaError.self) { try await clips.begin("front", 0...60) }
        // A cancelled clip releases its space.
        #expect(clips.drop(first.id))
        _ = try await clips.begin("front", 0...60)
        clips.close()
        for _ in 0..<2 { clips.semaphore.signal() }
    }

    @Test func clip_reserveLargerThanTheDisk_isRefused() async throws {
        let clips = clips { .max }
        await #expect(throws: MediaError.self) { try await clips.begin("front", 0...60) }
        clips.close()
    }
}
