import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests that compositions have images and audio like any asset.
@Suite struct CompositionStillsTests {
    @Test func image_secondSegmentOfAComposition_isInItsPlace() async throws {
        let fixture = try ReadingFixture()
        let movie = Asset(url: try StillsFixture.movie(fixture))
        var composition = Composition()
        let second = MediaTime(value: 1, timescale: 1)
        for start in [2.0, 0.5] {
            try await composition.insertTimeRange(
                TimeRange(start: StillsFixture.time(start), duration: second), of: movie,
                at: start == 2 ? .zero : second)
        }
        let generator = FrameGenerator(asset: Asset(composition))
        for tolerance in [MediaTime.zero, .positiveInfinity] {
            generator.requestedTimeToleranceBefore = tolerance
            generator.requestedTimeToleranceAfter = tolerance
            for (asked, number) in [(0.01, 60), (0.51, 75), (1.01, 15), (1.51, 30), (0.11, 63)] {
                let image = try await generator.image(at: StillsFixture.time(asked)).image
                #expect(StillsFixture.number(image) == number, "\(asked)")
            }
        }
        #expect(StillsFixture.number(try await generator.image(at: StillsFixture.time(2)).image) == 44)
        generator.requestedTimeToleranceBefore = .zero
        let error = await #expect(throws: MediaError.self) { try await generator.image(at: StillsFixture.time(2)) }
        #expect(error?.action == "cannot extract a frame from the composition at 2.00 s")
    }
}
