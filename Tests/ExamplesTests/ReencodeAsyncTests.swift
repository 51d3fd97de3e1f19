import AssetIO
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import ReencodeAsync

/// The short examples work as documented.
@Suite struct ReencodeAsyncTests {
    @Test func session_copiesEveryFrameAndTheAudio() async throws {
        let film = try Film()
        try await export(film.source, to: film.copy)
        try film.expectWholeCopy(pictures: 60, seconds: 2)
    }

    @Test func tasks_copyEveryFrameAndTheAudio() async throws {
        let film = try Film()
        try await reencode(film.source, to: film.copy)
        try film.expectWholeCopy(pictures: 60, seconds: 2)
    }

    @Test func task_cancelled_leavesNoFile() async throws {
        let film = try Film(pictures: 20, sound: 20, size: "640x360")
        for isByHand in [true, false] {
            let (source, copy) = (film.source, film.copy)
            let task = Task {
                if isByHand { try await reencode(source, to: copy) } else { try await export(source, to: copy) }
            }
            #expect(eventually { film.directory.names.count == 2 })
            task.cancel()
            let error = await #expect(throws: MediaError.self) { try await task.value }
            #expect(error?.code == .cancelled)
            #expect(film.directory.names == ["film.mov"])
        }
    }

    @Test func tasks_oneTrackThrows_endTheOther() async throws {
        struct Enough: Error {}
        let film = try Film(pictures: 20, sound: 20, size: "640x360")
        await #expect(throws: Enough.self) {
            try await reencode(film.source, to: film.copy) { sample in
                if sample.presentationTime.seconds > 1 { throw Enough() }
            }
        }
        #expect(film.directory.names == ["film.mov"])
    }
}
