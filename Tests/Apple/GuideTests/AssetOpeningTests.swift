import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests of listings 20 to 24.
@Suite struct AssetOpeningTests {
    private func audioFile(_ movies: MadeMovies) throws -> URL {
        let url = movies.directory.file("audio.m4a")
        try MadeFile.copy(
            of: ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "sine=duration=1", "-c:a", "aac"], to: url)
        return url
    }

    @Test func assets_bothOptions_haveTheDuration() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let url = try movies.movie()
        try await onThread {
            let (asset, precise) = (AssetOpening.asset(url), AssetOpening.preciseAsset(url))
            #expect(asset.url == url && precise.url == url && precise.providesPreciseDurationAndTiming)
            #expect(abs(asset.duration.seconds - 2) < 0.05 && abs(precise.duration.seconds - 2) < 0.05)
        }
    }

    @Test func firstMovie_directoryWithOtherFiles_isTheFirstWithVideo() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let directory = movies.directory
        try Data("words".utf8).write(to: directory.file("a.txt"))
        _ = try audioFile(movies)
        let (first, _) = (try movies.movie("first.mov"), try movies.movie("second.mov"))
        try await onThread {
            let found = try AssetOpening.firstMovie(in: directory.url)
            #expect(found?.url.lastPathComponent == first.lastPathComponent)
        }
    }

    @Test func loadDuration_fileOrNone_reportsTheOutcome() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let url = try movies.movie()
        func outcome(_ url: URL) async -> AssetOpening.Outcome {
            await withCheckedContinuation { continuation in
                AssetOpening.loadDuration(url) { continuation.resume(returning: $0) }
            }
        }
        let loaded = await outcome(url)
        guard case .loaded(let seconds) = loaded else { return #expect(Bool(false), "\(loaded)") }
        #expect(abs(seconds - 2) < 0.05)
        let failed = await outcome(movies.directory.file("missing.mov"))
        guard case .failed(let reason) = failed else { return #expect(Bool(false), "\(failed)") }
        #expect(reason.contains("missing.mov"))
    }

    @Test func imageGenerator_withAndWithoutVideo_isThereForVideo() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let (movie, audio) = (try movies.movie(), try audioFile(movies))
        try await onThread {
            let asset = AVURLAsset(url: movie)
            #expect(AssetOpening.imageGenerator(for: asset)?.asset === asset)
            #expect(AssetOpening.imageGenerator(for: AVURLAsset(url: audio)) == nil)
        }
    }
}
