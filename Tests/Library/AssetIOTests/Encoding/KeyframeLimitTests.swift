import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests that keyframes are requested by time, if frames come more slowly than the encoder expects.
@Suite struct KeyframeLimitTests {
    private func limit(_ seconds: Double = 2, rate: Double? = nil) throws -> KeyframeLimit {
        try #require(
            KeyframeLimit(
                VideoSettings(
                    keyframeInterval: MediaTime(seconds: seconds, timescale: 1000), expectedFrameRate: rate)))
    }

    /// The numbers of the frames that are requested as keyframes.
    private func requested(_ limit: KeyframeLimit, at times: [Double], restartAt: Int? = nil) -> [Int] {
        var limit = limit
        return times.indices.filter { number in
            if number == restartAt { limit.restart() }
            return limit.requests(at: MediaTime(seconds: times[number], timescale: 90_000), isRequested: false)
        }
    }

    private func times(_ count: Int, rate: Double) -> [Double] { (0..<count).map { Double($0) / rate } }

    @Test func frames_slowerThanExpected_areRequestedByTime() throws {
        #expect(requested(try limit(), at: times(31, rate: 5)) == [10, 20, 30])
        #expect(requested(try limit(1), at: times(5, rate: 0.5)) == [1, 2, 3, 4])
        // In dim light, a camera halves its rate.
        let dim = times(30, rate: 30) + (0..<40).map { 1 + Double($0) / 15 }
        #expect(requested(try limit(rate: 30), at: dim) == [45])
    }

    @Test(arguments: [23.976, 25, 29.97, 30, 48.3, 60.0]) func frames_atTheExpectedRate_areNot(
        rate: Double
    ) throws {
        #expect(requested(try limit(rate: rate), at: times(1000, rate: rate)) == [])
        // Measured times are not exact.
        let jittering = times(1000, rate: rate).enumerated().map { $1 + Double($0 * 7919 % 11 - 5) / 1000 }
        #expect(requested(try limit(rate: rate), at: jittering) == [])
    }

    @Test func frames_fasterThanExpected_areLeftToTheEncoder() throws {
        #expect(requested(try limit(), at: times(500, rate: 120)) == [])
    }

    @Test func request_andAnotherEncoder_beginTheTimeAgain() throws {
        #expect(requested(try limit(), at: times(21, rate: 5), restartAt: 7) == [17])
        var limit = try limit()
        let isRequested = times(21, rate: 5).enumerated().map { number, time in
            limit.requests(at: MediaTime(seconds: time, timescale: 1000), isRequested: number == 4)
        }
        #expect(isRequested.indices.filter { isRequested[$0] } == [4, 14])
    }

    @Test func limit_inFramesOnly_isLeftToTheEncoder() throws {
        var settings = VideoSettings()
        settings.longestKeyframeInterval = .positiveInfinity
        #expect(requested(try #require(KeyframeLimit(settings)), at: times(100, rate: 2)) == [])
        for codec in [VideoCodec.mjpeg, .proRes422] { #expect(KeyframeLimit(VideoSettings(codec: codec)) == nil) }
    }

    @Test func trackEncoder_slowFrames_hasAKeyframeInEachInterval() throws {
        let encoder = try VideoTrackEncoder(
            VideoSettings(width: 64, height: 48), hint: nil, timeScale: 90_000, isRealTime: false)
        var keyframes: Set<Double> = []
        let output = { (packet: SampleBuffer, _: Int64) in
            if packet.isKeyframe { keyframes.insert(packet.presentationTime.seconds) }
        }
        for number in 0..<31 {
            // One still frame, in which the encoder finds no change of scene.
            let time = MediaTime(value: Int64(number), timescale: 5)
            try encoder.encode(SyntheticMedia.videoSample(0, at: time, width: 64, height: 48), output: output)
        }
        try encoder.finish(output: output)
        #expect(keyframes.isSuperset(of: [0, 2, 4, 6]), "\(keyframes)")
    }
}
