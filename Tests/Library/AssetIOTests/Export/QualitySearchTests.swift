import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of the search for the quality with which AV1 fits into a number of bytes.
@Suite struct QualitySearchTests {
    /// Movies that shrink by a constant factor with each step, some with audio that does not shrink.
    struct Movie: Sendable, CustomTestStringConvertible {
        let atBest: Double
        let step: Double
        let fixed: Double
        var testDescription: String { "\(Int(atBest)) × \(step) + \(Int(fixed))" }

        func size(_ factor: Int) -> Int64 { Int64(fixed + atBest * pow(step, Double(factor - 8))) }

        static let all = [
            Movie(atBest: 4e6, step: 0.955, fixed: 0), Movie(atBest: 4e7, step: 0.93, fixed: 2e5),
            Movie(atBest: 9e5, step: 0.98, fixed: 1e5), Movie(atBest: 2e9, step: 0.9, fixed: 0),
        ]
    }

    @Test(arguments: Movie.all, [35, 8, 63]) func search_anyMovie_endsJustBelowTheLimitInFewTries(
        _ movie: Movie, _ first: Int
    ) throws {
        for target in stride(from: 9, through: 62, by: 1) {
            let limit = movie.size(target) + 1
            var search = QualitySearch(limit: limit, first: first)
            var tries = 0
            while let factor = search.next {
                tries += 1
                try #require(tries <= QualitySearch.mostTries)
                search.record(size: movie.size(factor), at: factor)
            }
            let best = try #require(search.best, "\(movie), \(limit)")
            #expect(movie.size(best) <= limit)
            let isNear = Double(movie.size(best)) >= 0.85 * Double(limit) || best == target || best <= 9
            #expect(isNear, "\(movie.size(best)) of \(limit) after \(tries)")
        }
    }

    @Test func search_nothingFits_givesUp() {
        var search = QualitySearch(limit: 1000)
        var tries = 0
        while let factor = search.next, tries < 10 {
            tries += 1
            search.record(size: 50_000 - Int64(factor) * 100, at: factor)
        }
        #expect(search.best == nil && tries <= QualitySearch.mostTries)
    }

    @Test func search_bestQualityFits_endsSoon() {
        var search = QualitySearch(limit: 1_000_000_000)
        var tries = 0
        while let factor = search.next, tries < 10 {
            tries += 1
            search.record(size: 5000 - Int64(factor), at: factor)
        }
        #expect(search.best == 8 && tries <= 3)
    }

    @Test func export_fileLengthLimit_endsJustBelowIt() async throws {
        let fixture = try ReadingFixture()
        let source = fixture.directory.file("movie.mp4")
        let cut = try Command.run(
            "ffmpeg", "-v", "error", "-i", Project.path("Tests/Movies/car-detection.mp4"), "-t", "6", "-c", "copy",
            source.path)
        try #require(cut.status == 0)
        for limit in [Int64(100_000), 200_000] {
            let session = try ExportSession(asset: Asset(url: source))
            try session.configure {
                $0.fileLengthLimit = limit
                $0.videoSettings = VideoSettings(codec: .av1, rateControl: .constantQuality(35), preset: "ultrafast")
            }
            let copy = fixture.directory.file("copy\(limit).mp4")
            try await session.export(to: copy)
            let bytes = try #require(try FileManager.default.attributesOfItem(atPath: copy.path)[.size] as? Int64)
            #expect(bytes <= limit && Double(bytes) > 0.85 * Double(limit), "\(bytes) of \(limit)")
            #expect(try Probe(copy.path, decodes: true).video?.frames == 75)
        }
        // No file of the trials is left.
        #expect(fixture.directory.names == ["copy100000.mp4", "copy200000.mp4", "movie.mp4"])
        let session = try ExportSession(asset: Asset(url: source))
        try session.configure {
            $0.fileLengthLimit = 3000
            $0.videoSettings = VideoSettings(codec: .av1, preset: "ultrafast")
        }
        await #expect(throws: MediaError.self) { try await session.export(to: fixture.directory.file("no.mp4")) }
        #expect(fixture.directory.names == ["copy100000.mp4", "copy200000.mp4", "movie.mp4"])
    }
}
