import Glibc
import MediaTypes
import Testing

@testable import Capture

/// Keyframes of encoders that make one on request, that do not, and that only seem to.
@Suite struct EncoderKeyframeTests {
    @Test(arguments: [true, false]) func encode_requestedKeyframe_isOneAndLosesNothing(hasControl: Bool) throws {
        let bench = EncoderBench()
        bench.device.canForceKeyframes = hasControl
        bench.device.depth = 1
        try bench.encode(20, keyframesAt: [7, 12])
        try bench.finish()
        #expect(bench.packets.filter(\.isKeyframe).map(\.ticks) == [0, 70, 120])
        #expect(bench.packets.count == 20 && bench.encoder.lostFrames == 0)
        #expect(bench.device.starts == (hasControl ? 1 : 3))
    }

    @Test func encode_requestedKeyframeThatTheDeviceIgnores_isRequestedAgain() throws {
        let bench = EncoderBench()
        // The first one is that of the start.
        bench.device.ignoredRequests = 2
        try bench.encode(20, keyframesAt: [5])
        try bench.finish()
        let keyframes = bench.packets.filter(\.isKeyframe).map(\.ticks)
        #expect(keyframes == [0, 60] && bench.packets.count == 20 && bench.device.starts == 1)
    }

    /// A control without effect: from the third request on, the device is started again.
    @Test func encode_deviceThatIgnoresAllRequests_makesKeyframesByStarts() throws {
        let bench = EncoderBench()
        bench.device.ignoredRequests = .max
        try bench.encode(60, keyframesAt: [5, 20, 40])
        try bench.finish()
        let keyframes = bench.packets.filter(\.isKeyframe).map(\.ticks)
        #expect(keyframes == [0, 70, 200, 400] && bench.packets.count == 60)
        #expect(bench.encoder.lostFrames == 0 && bench.device.starts == 4 && bench.encoder.latestFault == nil)
    }

    /// Some drivers set no control while they run.
    @Test func encode_deviceThatRefusesRequests_makesKeyframesByStarts() throws {
        let bench = EncoderBench()
        bench.device.requestError = EBUSY
        try bench.encode(60, keyframesAt: [5, 20, 40])
        try bench.finish()
        #expect(bench.packets.filter(\.isKeyframe).map(\.ticks) == [0, 50, 200, 400] && bench.packets.count == 60)
        #expect(bench.encoder.lostFrames == 0 && bench.device.starts == 4 && bench.encoder.latestFault == nil)
    }

    @Test func start_deviceThatContinuesItsStream_isRequestedToBeginAnother() throws {
        let bench = EncoderBench()
        bench.device.startsWithKeyframe = false
        try bench.encode(10)
        try bench.finish()
        try bench.encode(10)
        try bench.finish()
        #expect(bench.packets.filter(\.isKeyframe).map(\.ticks) == [0, 100])
        #expect(bench.packets.count == 20 && bench.encoder.lostFrames == 0 && bench.encoder.latestFault == nil)
    }
}
