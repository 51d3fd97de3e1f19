import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests of listings 13 to 18.
@Suite struct TandemReencoderTests {
    private func outcome(_ reencoder: TandemReencoder) async -> String {
        let result: TandemReencoder.Outcome = await withCheckedContinuation { continuation in
            reencoder.start { continuation.resume(returning: $0) }
        }
        return "\(result)"
    }

    @Test func start_twoTracks_replacesTheFile() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let (url, target) = (try movies.movie(), movies.directory.file("out.mov"))
        try Data("an earlier file".utf8).write(to: target)
        #expect(await outcome(TandemReencoder(AVURLAsset(url: url), to: target)) == "completed")
        let probe = try Probe(target.path, decodes: true)
        #expect(probe.complaints.isEmpty && probe.streams.count == 2 && abs(probe.format.seconds - 2) < 0.05)
        #expect(probe.video?.codecName == "h264" && probe.video?.frames == 60 && probe.video?.width == 160)
        #expect(probe.audio?.codecName == "aac" && probe.audio?.channels == 2)
    }

    @Test func start_anamorphicMovie_keepsItsShape() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let url = try movies.movie("anamorphic.mov", seconds: 1, ["-vf", "setsar=4/3"])
        let target = movies.directory.file("out.mov")
        #expect(await outcome(TandemReencoder(AVURLAsset(url: url), to: target)) == "completed")
        for movie in [url, target] {
            #expect(try MadeMovies.probe(movie, "v:0", "stream=sample_aspect_ratio") == "4:3", "\(movie.path)")
        }
    }

    @Test func cancel_afterTwentyFrames_leavesNoFile() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let (url, target) = (try movies.movie(), movies.directory.file("out.mov"))
        let reencoder = TandemReencoder(AVURLAsset(url: url), to: target)
        reencoder.didAppendFrame = { [weak reencoder] count in
            if count == 20 { reencoder?.cancel() }
        }
        #expect(await outcome(reencoder) == "cancelled")
        try await waitUntil { movies.directory.names == ["movie.mov"] }
    }

    @Test func cancel_beforeTheStart_readsNothing() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let (url, target) = (try movies.movie(), movies.directory.file("out.mov"))
        let reencoder = TandemReencoder(AVURLAsset(url: url), to: target)
        reencoder.cancel()
        #expect(await outcome(reencoder) == "cancelled")
        #expect(movies.directory.names == ["movie.mov"])
    }

    @Test func start_missingFile_failsWithTheReason() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let asset = AVURLAsset(url: directory.file("missing.mov"))
        let failure = await outcome(TandemReencoder(asset, to: directory.file("out.mov")))
        #expect(failure.hasPrefix("failed(") && failure.contains("missing.mov"), "\(failure)")
        #expect(directory.names.isEmpty)
    }
}
