import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests of listings 25 and 26.
@Suite struct StillsTests {
    @Test func middle_movie_isItsFrameWithBothTimes() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let url = try movies.movie("silent.mov", ["-an"])
        try await onThread {
            let middle = try Stills(AVURLAsset(url: url)).middle()
            #expect(middle.image.width == 160 && middle.image.height == 120)
            #expect(middle.requestedTime == CMTime(value: 600, timescale: 600).description)
            #expect(!middle.actualTime.isEmpty && middle.actualTime != CMTime.invalid.description)
        }
    }

    @Test func thirds_movie_areFourImages() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let stills = Stills(AVURLAsset(url: try movies.movie("silent.mov", ["-an"])))
        let answers: [Stills.Answer] = await withCheckedContinuation { continuation in
            Thread { stills.thirds { continuation.resume(returning: $0) } }.start()
        }
        #expect(answers.map(\.result) == Array(repeating: .succeeded, count: 4))
        #expect(answers.allSatisfy { $0.width == 160 && $0.error == nil })
        #expect(answers.first?.requestedTime == CMTime(value: 0, timescale: 600).description)
        #expect(answers.last?.requestedTime == CMTime(value: 1200, timescale: 600).description)
    }

    @Test func thirds_noMovie_failWithTheReason() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let asset = AVURLAsset(url: directory.file("missing.mov"))
        _ = try await onThread {
            #expect(throws: AVError.self) { try Stills(asset).middle() }
        }
    }
}
