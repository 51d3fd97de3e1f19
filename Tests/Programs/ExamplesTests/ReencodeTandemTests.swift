import AssetIO
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import ReencodeTandem

/// The example works as documented, and ends exactly once whenever it is cancelled.
@Suite struct ReencodeTandemTests {
    /// The results of all calls of the completion.
    private final class Outcome: Sendable {
        private let results = Locked<[Result<Void, MediaError>]>([])

        func start(_ reencoder: Reencoder) {
            reencoder.start { result in self.results.withLock { $0.append(result) } }
        }

        var errors: [MediaError.Code?] {
            results.withLock { results in
                results.map { if case .failure(let error) = $0 { error.code } else { nil } }
            }
        }

        /// Waits for the first completion, and for work that is still queued.
        func end(of reencoder: Reencoder) -> [MediaError.Code?] {
            _ = eventually { !errors.isEmpty }
            for _ in 0..<3 { reencoder.mainQueue.sync {} }
            return errors
        }
    }

    @Test func reencoder_copiesEveryFrameAndTheAudio() async throws {
        let movie = try Movie()
        let reencoder = Reencoder(asset: Asset(url: movie.source), outputURL: movie.copy)
        let outcome = Outcome()
        outcome.start(reencoder)
        #expect(outcome.end(of: reencoder) == [nil])
        try movie.expectWholeCopy(frames: 60, seconds: 2)
        let probe = try Probe(movie.copy.path)
        let languages = try [movie.source, movie.copy].map { try Probe($0.path).audio?.tags?["language"] }
        #expect(probe.format.tags?["title"] == "The walk" && languages == ["fra", "fra"])
        // This cancel comes too late.
        reencoder.cancel()
        reencoder.mainQueue.sync {}
        #expect(outcome.errors == [nil] && movie.directory.names == ["copy.mov", "movie.mov"])
    }

    @Test func reencoder_cancelledBeforeLoading_endsOnceAndLeavesNoFile() async throws {
        let movie = try Movie(frames: 1, audio: 1)
        for isBeforeStart in [true, false] {
            let reencoder = Reencoder(asset: Asset(url: movie.source), outputURL: movie.copy)
            let outcome = Outcome()
            if isBeforeStart { reencoder.cancel() }
            outcome.start(reencoder)
            if !isBeforeStart { reencoder.cancel() }
            #expect(outcome.end(of: reencoder) == [.cancelled])
            #expect(movie.directory.names == ["movie.mov"])
        }
    }

    @Test func reencoder_cancelledInTheMiddle_endsOnceAndLeavesNoFile() async throws {
        let movie = try Movie(frames: 20, audio: 20, size: "640x360")
        let reencoder = Reencoder(asset: Asset(url: movie.source), outputURL: movie.copy)
        let outcome = Outcome()
        outcome.start(reencoder)
        #expect(eventually { movie.directory.names.count == 2 })
        reencoder.cancel()
        reencoder.cancel()
        #expect(outcome.end(of: reencoder) == [.cancelled])
        #expect(movie.directory.names == ["movie.mov"])
    }

    @Test func reencoder_cancelledAfterOneTrackEnded_endsOnceAndLeavesNoFile() async throws {
        let movie = try Movie(frames: 20, audio: 0.3, size: "640x360")
        let reencoder = Reencoder(asset: Asset(url: movie.source), outputURL: movie.copy)
        let outcome = Outcome()
        outcome.start(reencoder)
        let audioEnded = eventually {
            reencoder.mainQueue.sync { reencoder.tracks }.contains { track in
                track.mediaType == .audio && track.queue.sync { track.hasEnded }
            }
        }
        #expect(audioEnded && outcome.errors.isEmpty)
        reencoder.cancel()
        #expect(outcome.end(of: reencoder) == [.cancelled])
        #expect(movie.directory.names == ["movie.mov"])
    }

    @Test func reencoder_cancelledAtAnyTime_endsOnce() async throws {
        let movie = try Movie(frames: 3, audio: 3)
        for step in 0..<12 {
            let reencoder = Reencoder(asset: Asset(url: movie.source), outputURL: movie.copy)
            let outcome = Outcome()
            outcome.start(reencoder)
            // A time, not a condition: the state at the cancel may be any.
            usleep(UInt32(step * 15_000))
            reencoder.cancel()
            let errors = outcome.end(of: reencoder)
            #expect(errors == [.cancelled] || errors == [nil])
            #expect(movie.directory.names == (errors == [nil] ? ["copy.mov", "movie.mov"] : ["movie.mov"]))
            try? FileManager.default.removeItem(at: movie.copy)
        }
    }

    @Test func reencoder_invalidInputOrExistingOutput_failsOnce() async throws {
        let movie = try Movie(frames: 1, audio: 1)
        let missing = Reencoder(asset: Asset(url: movie.directory.file("none.mov")), outputURL: movie.copy)
        var outcome = Outcome()
        outcome.start(missing)
        #expect(outcome.end(of: missing) == [.notFound])
        let text = movie.directory.file("text.mov")
        try Data("not a movie".utf8).write(to: text)
        let noMovie = Reencoder(asset: Asset(url: text), outputURL: movie.copy)
        outcome = Outcome()
        outcome.start(noMovie)
        #expect(outcome.end(of: noMovie) == [.corruptData])
        let onItself = Reencoder(asset: Asset(url: movie.source), outputURL: movie.source)
        outcome = Outcome()
        outcome.start(onItself)
        #expect(outcome.end(of: onItself) == [.outputExists])
        #expect(movie.directory.names == ["movie.mov", "text.mov"])
    }

    @Test func reencoder_damagedSource_failsOnceAndLeavesNoFile() async throws {
        let movie = try Movie(frames: 8, audio: 8)
        var bytes = try Data(contentsOf: movie.source)
        let damaged = bytes.count / 3..<bytes.count / 3 * 2
        bytes.replaceSubrange(damaged, with: [UInt8](repeating: 0xA5, count: damaged.count))
        try bytes.write(to: movie.source)
        let reencoder = Reencoder(asset: Asset(url: movie.source), outputURL: movie.copy)
        let outcome = Outcome()
        outcome.start(reencoder)
        #expect(outcome.end(of: reencoder) == [.corruptData])
        #expect(movie.directory.names == ["movie.mov"])
    }
}
