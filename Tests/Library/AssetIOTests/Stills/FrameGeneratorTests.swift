import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of which frame is returned for which time.
@Suite struct FrameGeneratorTests {
    @Test(arguments: ["movie.mov", "movie.mkv", "movie.ts", "movie.avi"])
    func image_noTolerance_isTheFrameShownThen(_ name: String) async throws {
        let fixture = try ReadingFixture()
        let url =
            name.hasSuffix("avi")
            ? try StillsFixture.movie(fixture, name, ["-c:v", "mpeg4", "-bf", "0", "-q:v", "1"])
            : try StillsFixture.movie(fixture, name)
        let generator = FrameGenerator.exact(url)
        // Forwards, backwards, the same, near and far.
        for number in [0, 1, 2, 3, 59, 60, 61, 5, 5, 119, 30, 29, 90, 93, 94, 10] {
            let asked = MediaTime(value: Int64(number) * 2 + 1, timescale: 60)
            let (image, actualTime) = try await generator.image(at: asked)
            #expect(StillsFixture.number(image) == number)
            #expect(abs(actualTime.seconds - Double(number) / 30) < 0.002, "\(number): \(actualTime)")
        }
    }

    @Test func image_exactlyAtAFramesStart_isThatFrame() async throws {
        let fixture = try ReadingFixture()
        let generator = FrameGenerator.exact(try StillsFixture.movie(fixture))
        for number in [0, 7, 8, 31] {
            let begins = MediaTime(value: Int64(number), timescale: 30)
            #expect(StillsFixture.number(try await generator.image(at: begins).image) == number)
            guard number > 0 else { continue }
            let before = begins - MediaTime(value: 1, timescale: 90_000)
            #expect(StillsFixture.number(try await generator.image(at: before).image) == number - 1)
        }
    }

    @Test func images_everyFrameInOrder_areExact() async throws {
        let fixture = try ReadingFixture()
        let url = try StillsFixture.movie(fixture, seconds: 3)
        let times = (0..<90).map { MediaTime(value: Int64($0), timescale: 30) }
        var numbers: [Int] = []
        for await generated in FrameGenerator.exact(url).images(for: times) {
            guard case .succeeded(let image, let actualTime) = generated.outcome else { continue }
            #expect(actualTime == generated.requestedTime)
            numbers.append(StillsFixture.number(image))
        }
        #expect(numbers == Array(0..<90))
    }

    @Test func image_defaultTolerance_isThePrecedingKeyframe() async throws {
        let fixture = try ReadingFixture()
        let generator = FrameGenerator(asset: Asset(url: try StillsFixture.movie(fixture)))
        for (asked, number) in [(0.0, 0), (0.9, 0), (1.0, 30), (1.5, 30), (3.99, 90), (2.2, 60)] {
            let (image, actualTime) = try await generator.image(at: StillsFixture.time(asked))
            #expect(StillsFixture.number(image) == number, "\(asked)")
            #expect(actualTime == MediaTime(value: Int64(number), timescale: 30))
        }
    }

    @Test func image_tolerance_usesKeyframesWithinItOnly() async throws {
        let fixture = try ReadingFixture()
        let generator = FrameGenerator.exact(try StillsFixture.movie(fixture))
        generator.requestedTimeToleranceBefore = StillsFixture.time(0.2)
        #expect(StillsFixture.number(try await generator.image(at: StillsFixture.time(1.1)).image) == 30)
        #expect(StillsFixture.number(try await generator.image(at: StillsFixture.time(1.51)).image) == 45)
        #expect(StillsFixture.number(try await generator.image(at: StillsFixture.time(1.91)).image) == 57)
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = StillsFixture.time(0.2)
        #expect(StillsFixture.number(try await generator.image(at: StillsFixture.time(1.91)).image) == 60)
        #expect(StillsFixture.number(try await generator.image(at: StillsFixture.time(1.11)).image) == 33)
    }

    @Test func image_beforeTheFirstFrame_isTheFirst() async throws {
        let fixture = try ReadingFixture()
        let url = try StillsFixture.movie(fixture, "late.mov", seconds: 1, ["-output_ts_offset", "2"])
        let generator = FrameGenerator.exact(url)
        let (image, actualTime) = try await generator.image(at: StillsFixture.time(0.5))
        #expect(StillsFixture.number(image) == 0 && actualTime.seconds == 2)
        #expect(StillsFixture.number(try await generator.image(at: StillsFixture.time(2.51)).image) == 15)
        #expect(StillsFixture.number(try await generator.image(at: StillsFixture.time(0.5)).image) == 0)
    }

    @Test func image_timePastTheEnd_failsAlone() async throws {
        let fixture = try ReadingFixture()
        let generator = FrameGenerator(asset: Asset(url: try StillsFixture.movie(fixture)))
        // A tolerance after the time does not help there, nor one before it that does not reach the last frame.
        for (before, after) in [
            (MediaTime.zero, MediaTime.zero), (.zero, .positiveInfinity), (StillsFixture.time(0.03), .zero),
        ] {
            generator.requestedTimeToleranceBefore = before
            generator.requestedTimeToleranceAfter = after
            for bad in [StillsFixture.time(4), StillsFixture.time(1000), StillsFixture.time(-1), .positiveInfinity] {
                let error = await #expect(throws: MediaError.self) { try await generator.image(at: bad) }
                #expect(error?.code == .invalidSettings)
            }
            #expect(StillsFixture.number(try await generator.image(at: StillsFixture.time(3)).image) == 90)
        }
        let error = await #expect(throws: MediaError.self) { try await generator.image(at: StillsFixture.time(4)) }
        #expect(error?.reason == "its video ends at 4.00 s")
    }

    @Test(arguments: ["movie.mov", "movie.mkv", "movie.ts"])
    func images_overTheDuration_endWithTheLastFrame(_ name: String) async throws {
        let fixture = try ReadingFixture()
        let asset = Asset(url: try StillsFixture.movie(fixture, name, seconds: 3))
        let duration = try await asset.load(.duration)
        let generator = FrameGenerator(asset: asset)
        let times = (0...3).map { duration.multiplied(byRatio: $0, over: 3) }
        var numbers: [Int] = []
        for await generated in generator.images(for: times) {
            guard case .succeeded(let image, let actualTime) = generated.outcome else { continue }
            #expect(actualTime <= generated.requestedTime)
            numbers.append(StillsFixture.number(image))
        }
        // Keyframes, and the last frame at the end.
        #expect(numbers == [0, 30, 60, 89])
    }

    @Test func image_pastTheEndWithinTolerance_isTheLastFrame() async throws {
        let fixture = try ReadingFixture()
        let generator = FrameGenerator.exact(try StillsFixture.movie(fixture))
        generator.requestedTimeToleranceBefore = StillsFixture.time(0.5)
        for asked in [4.0, 4.4] {
            let (image, actualTime) = try await generator.image(at: StillsFixture.time(asked))
            #expect(StillsFixture.number(image) == 119 && actualTime == MediaTime(value: 119, timescale: 30))
        }
        let error = await #expect(throws: MediaError.self) { try await generator.image(at: StillsFixture.time(4.5)) }
        #expect(error?.code == .invalidSettings)
        // The failure does not affect other requests.
        #expect(StillsFixture.number(try await generator.image(at: StillsFixture.time(2.26)).image) == 60)
    }

    @Test func generator_assetWithoutVideo_failsOnUse() async throws {
        let fixture = try ReadingFixture()
        let audio = FrameGenerator(asset: Asset(url: try fixture.make("tone.m4a", [ReadingFixture.tone], [])))
        let error = await #expect(throws: MediaError.self) { try await audio.image(at: .zero) }
        #expect(error?.code == .unsupported && error?.reason == "it has no video track")
        let missing = FrameGenerator(asset: Asset(url: URL(fileURLWithPath: "/nowhere/movie.mov")))
        let other = await #expect(throws: MediaError.self) { try await missing.image(at: .zero) }
        #expect(other?.code == .notFound)
        var outcomes = 0
        for await generated in missing.images(for: [.zero, StillsFixture.time(1)]) {
            if case .failed(let error) = generated.outcome, error.code == .notFound { outcomes += 1 }
        }
        #expect(outcomes == 2)
    }

    @Test func generator_trackOfAnotherAsset_isRefused() async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.movie()
        let track = try #require(try await Asset(url: url).tracks(withMediaType: .video).first)
        let stranger = FrameGenerator(asset: Asset(url: url), track: track)
        let error = await #expect(throws: MediaError.self) { try await stranger.image(at: .zero) }
        #expect(error?.code == .invalidSettings)
        let asset = Asset(url: url)
        let audio = FrameGenerator(asset: asset, track: try await asset.tracks(withMediaType: .audio)[0])
        let other = await #expect(throws: MediaError.self) { try await audio.image(at: .zero) }
        #expect(other?.code == .invalidSettings)
    }

    @Test func images_cancelled_returnsOneResultForEachRequest() async throws {
        let fixture = try ReadingFixture()
        let generator = FrameGenerator.exact(try StillsFixture.movie(fixture))
        let times = [0.1, 9, 0.5, 1.5, 2.5, 3.5].map(StillsFixture.time)
        var counts = (succeeded: 0, failed: 0, cancelled: 0)
        var asked: [MediaTime] = []
        for await generated in generator.images(for: times) {
            asked.append(generated.requestedTime)
            switch generated.outcome {
            case .succeeded: counts.succeeded += 1
            case .failed: counts.failed += 1
            case .cancelled: counts.cancelled += 1
            }
            if asked.count == 3 { generator.cancelAllImageGeneration() }
        }
        #expect(asked == times)
        #expect(counts.succeeded == 2 && counts.failed == 1 && counts.cancelled == 3)
        // Later requests are not cancelled.
        #expect(StillsFixture.number(try await generator.image(at: StillsFixture.time(2)).image) == 60)
    }

    @Test func cancelAll_requestRunning_endsIt() async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make(
            "long.mov", ["testsrc2=s=320x240:r=30:d=40"],
            ["-c:v", "libx264", "-g", "2000", "-preset", "ultrafast", "-pix_fmt", "yuv420p"])
        let generator = FrameGenerator.exact(url)
        let request = Task { () -> MediaError.Code? in
            do throws(MediaError) {
                _ = try await generator.image(at: StillsFixture.time(39.9))
                return nil
            } catch { return error.code }
        }
        // The request is cancelled whether it has begun or not.
        try await Task.sleep(for: .milliseconds(30))
        generator.cancelAllImageGeneration()
        #expect(await request.value == .cancelled)
    }
}
