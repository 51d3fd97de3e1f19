import AssetIO
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import ReencodeAsync

/// The short examples work as documented.
@Suite struct ReencodeAsyncTests {
    @Test func session_copiesEveryFrameAndTheAudio() async throws {
        let movie = try Movie()
        try await export(movie.source, to: movie.copy)
        try movie.expectWholeCopy(frames: 60, seconds: 2)
    }

    @Test func tasks_copyEveryFrameAndTheAudio() async throws {
        let movie = try Movie()
        try await reencode(movie.source, to: movie.copy)
        try movie.expectWholeCopy(frames: 60, seconds: 2)
    }

    @Test func task_cancelled_leavesNoFile() async throws {
        let movie = try Movie(frames: 20, audio: 20, size: "640x360")
        for isByHand in [true, false] {
            let (source, copy) = (movie.source, movie.copy)
            let task = Task {
                if isByHand { try await reencode(source, to: copy) } else { try await export(source, to: copy) }
            }
            #expect(eventually { movie.directory.names.count == 2 })
            task.cancel()
            let error = await #expect(throws: MediaError.self) { try await task.value }
            #expect(error?.code == .cancelled)
            #expect(movie.directory.names == ["movie.mov"])
        }
    }

    @Test func tasks_oneTrackThrows_endTheOther() async throws {
        struct Enough: Error {}
        let movie = try Movie(frames: 20, audio: 20, size: "640x360")
        await #expect(throws: Enough.self) {
            try await reencode(movie.source, to: movie.copy) { sample in
                if sample.presentationTime.seconds > 1 { throw Enough() }
            }
        }
        #expect(movie.directory.names == ["movie.mov"])
    }
}
