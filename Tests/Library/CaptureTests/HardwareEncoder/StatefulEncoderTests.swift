import Glibc
import MediaTypes
import RealTime
import Testing

@testable import Capture

/// The driver of a stateful encoder, with devices that keep to the protocol and with devices that do not.
@Suite struct StatefulEncoderTests {
    @Test(arguments: [0, 2]) func encode_correctDevice_returnsEveryFrameAtItsTime(depth: Int) throws {
        let bench = EncoderBench()
        bench.device.depth = depth
        try bench.encode(100)
        #expect(bench.encoder.heldFrames == depth && bench.isAccountedFor)
        try bench.finish()
        #expect(bench.packets.map(\.ticks) == (0..<100).map { $0 * 10 })
        #expect(bench.packets.filter(\.isKeyframe).map(\.ticks) == [0])
        #expect(bench.encoder.lostFrames == 0 && bench.device.starts == 1 && bench.encoder.latestFault == nil)
    }

    @Test func encode_holdsNothing_returnsEachPacketBeforeTheNextFrame() throws {
        let bench = EncoderBench(holdsNothing: true)
        for number in 1...20 {
            try bench.encode(1)
            #expect(bench.packets.count == number)
        }
    }

    @Test func encode_holdsNothingWithADeviceThatLooksAhead_waitsALimitedTime() throws {
        let bench = EncoderBench(holdsNothing: true)
        bench.device.depth = 2
        // A wait for each of the two frames that it keeps, and none for the others.
        for number in 1...100 {
            try bench.encode(1)
            #expect(bench.packets.count == max(0, number - 2) && bench.clock.nanoseconds <= 1_000_000_000)
        }
        // Nor after a start.
        try bench.finish()
        try bench.encode(100)
        #expect(bench.packets.count == 198 && bench.clock.nanoseconds <= 1_000_000_000)
        // From here on it keeps one frame less, and `encode` waits for that packet.
        bench.device.depth = 1
        try bench.encode(2)
        #expect(bench.packets.count == 201 && bench.clock.nanoseconds <= 1_000_000_000)
        try bench.finish()
        #expect(bench.packets.count == 202 && bench.encoder.lostFrames == 0)
    }

    @Test func finish_thenMoreFrames_startsAgainWithAKeyframe() throws {
        let bench = EncoderBench()
        bench.device.depth = 2
        try bench.encode(10)
        try bench.finish()
        try bench.encode(10)
        try bench.finish()
        #expect(bench.packets.filter(\.isKeyframe).map(\.ticks) == [0, 100])
        #expect(bench.packets.count == 20 && bench.isAccountedFor && bench.device.starts == 2)
    }

    /// No packet can be decoded without a keyframe before it, and none can be placed without its time.
    @Test(arguments: [true, false]) func encode_uselessPackets_endTheEncoderWithTheReason(hasTimes: Bool) throws {
        let bench = EncoderBench()
        try bench.encode(40)
        try bench.finish()
        bench.device.canForceKeyframes = false
        bench.device.startsWithKeyframe = !hasTimes
        bench.device.copiesStamps = hasTimes
        let error = #expect(throws: MediaError.self) { try bench.encode(100) }
        let words = hasTimes ? "did not begin with a keyframe" : "a time that no frame has"
        #expect(error?.code == .codecFailure && error?.reason.contains(words) == true)
        #expect(bench.packets.count == 40 && bench.isAccountedFor && bench.device.starts == 5)
    }

    @Test func finish_deviceWithoutTheCommand_returnsEverything() throws {
        for code in [ENOTTY, EINVAL] {
            let bench = EncoderBench()
            bench.device.drainError = code
            try bench.encode(10)
            try bench.finish()
            #expect(bench.packets.count == 10 && bench.encoder.lostFrames == 0)
        }
    }

    /// Old drivers do not mark the last buffer.
    @Test(arguments: [FakeEncoder.Ending.emptyBuffer, .nothing], [0, 2])
    func finish_deviceWithoutALastBuffer_losesNothing(ending: FakeEncoder.Ending, depth: Int) throws {
        let bench = EncoderBench()
        (bench.device.ending, bench.device.depth) = (ending, depth)
        for _ in 0..<5 {
            try bench.encode(10)
            try bench.finish()
        }
        #expect(bench.packets.count == 50 && bench.encoder.lostFrames == 0 && bench.encoder.latestFault == nil)
        #expect(bench.device.starts == 5 && bench.isAccountedFor)
        #expect(ending == .nothing || bench.clock.nanoseconds == 0)
    }

    /// Faults that cost one frame, and no other.
    @Test(arguments: [FakeEncoder.Fault.empty, .missing])
    func encode_frameThatTheDeviceSkips_losesOnlyThat(fault: FakeEncoder.Fault) throws {
        let bench = EncoderBench()
        bench.device.fault = { $0 == 10 ? fault : nil }
        try bench.encode(30)
        try bench.finish()
        #expect(bench.encoder.lostFrames == 1 && bench.packets.count == 29 && bench.isAccountedFor)
        #expect(bench.device.starts == 1)
    }

    /// Faults after which the packets cannot be trusted.
    @Test(arguments: [
        FakeEncoder.Fault.doubled, .swapped, .corrupt, .invalid, .tooLarge, .foreign, .last, .refused(EIO),
        .dequeueFails(EIO), .stalls, .floods,
    ])
    func encode_fault_startsAgainWithAKeyframeAndCountsTheLoss(fault: FakeEncoder.Fault) throws {
        for depth in 0...2 {
            let bench = EncoderBench()
            bench.device.depth = depth
            bench.device.fault = { $0 == 10 ? fault : nil }
            try bench.encode(60)
            try bench.finish()
            #expect(bench.isAccountedFor && bench.device.starts == 2, "\(fault), \(depth)")
            let keyframes = bench.packets.filter(\.isKeyframe).map(\.ticks)
            #expect(keyframes.count == 2 && keyframes[1] >= 100, "\(fault), \(depth): \(keyframes)")
            #expect(bench.encoder.lostFrames <= 7, "\(fault), \(depth)")
            #expect(bench.encoder.latestFault != nil, "\(fault), \(depth)")
            #expect(bench.packets.last?.ticks == 590)
        }
    }

    @Test func encode_frameBufferThatComesBackTwice_startsAgain() throws {
        let bench = EncoderBench()
        bench.device.fault = { $0 == 10 ? .returnedTwice : nil }
        try bench.encode(60)
        try bench.finish()
        #expect(bench.isAccountedFor && bench.encoder.lostFrames == 1 && bench.device.starts == 2)
        #expect(bench.encoder.latestFault?.reason.contains("did not have") == true)
    }

    /// A fatal failure (EIO), and failures in a row, after which starting the queues may not be enough.
    @Test func encode_failuresThatStartsDoNotMend_setTheDeviceUpAgain() throws {
        for (fault, setups) in [(.breaks, 1), (.dequeueFails(EIO), 1), (.doubled, 0)] as [(FakeEncoder.Fault, Int)] {
            let bench = EncoderBench()
            bench.device.fault = { $0 == 10 ? fault : nil }
            try bench.encode(60)
            try bench.finish()
            #expect(bench.device.setups == setups && bench.device.starts == 2, "\(fault)")
            #expect(bench.isAccountedFor && bench.encoder.lostFrames <= 1 && bench.packets.last?.ticks == 590)
        }
        let bench = EncoderBench()
        bench.device.fault = { [10, 12, 14].contains($0) ? .corrupt : nil }
        try bench.encode(60)
        try bench.finish()
        #expect(bench.device.setups == 2 && bench.device.starts == 4 && bench.isAccountedFor)
        #expect(bench.encoder.lostFrames == 3 && bench.packets.last?.ticks == 590)
    }

    @Test func encode_faultsFarApart_neverEndTheEncoder() throws {
        let bench = EncoderBench()
        bench.device.fault = { $0 % 50 == 10 ? .corrupt : nil }
        try bench.encode(1000)
        try bench.finish()
        #expect(bench.isAccountedFor && bench.device.starts == 21 && bench.encoder.lostFrames == 20)
    }

    /// The device starts again for each keyframe, after fewer packets than make a failure irrelevant.
    @Test func encode_faultsFarApartWithManyStarts_neverEndTheEncoder() throws {
        let bench = EncoderBench()
        bench.device.canForceKeyframes = false
        bench.device.fault = { $0 % 50 == 15 ? .corrupt : nil }
        try bench.encode(1000, keyframesAt: Set(stride(from: Int64(0), to: 1000, by: 10)))
        try bench.finish()
        #expect(bench.isAccountedFor && bench.encoder.lostFrames == 20)
        // Each keyframe is one start, and so is each failure.
        #expect(bench.device.starts == 120)
    }

    @Test(
        arguments: [
            (.doubled, "returned a frame twice"), (.corrupt, "damaged packet"), (.stalls, "returns nothing"),
            (.refused(EIO), "its driver failed"), (.foreign, "did not have"), (.floods, "buffers without frames"),
            (.empty, "buffers without frames"), (.missing, "returns nothing"),
        ] as [(FakeEncoder.Fault, String)])
    func encode_deviceThatAlwaysFails_endsWithTheReason(fault: FakeEncoder.Fault, words: String) {
        let bench = EncoderBench()
        bench.device.fault = { _ in fault }
        let error = #expect(throws: MediaError.self) { try bench.encode(300) }
        #expect(error?.code == .codecFailure && error?.reason.contains(words) == true, "\(String(describing: error))")
        #expect(error?.action.contains("/dev/video99") == true && error?.wayOut.contains("x264") == true)
        #expect(bench.device.starts == 4 && bench.isAccountedFor)
    }

    /// Whatever a device does, each frame comes out once, in order, with its own bytes, or is counted as lost.
    @Test(arguments: (0..<32) as Range<UInt64>) func encode_anyFaults_everyFrameIsCountedOnce(seed: UInt64) throws {
        var numbers = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func random(_ count: Int) -> Int {
            numbers = numbers &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(numbers >> 33) % count
        }
        let faults: [FakeEncoder.Fault] = [
            .doubled, .empty, .swapped, .missing, .corrupt, .invalid, .tooLarge, .foreign, .last, .refused(EIO),
            .dequeueFails(EINVAL), .stalls, .floods, .breaks, .returnedTwice,
        ]
        let chosen = (0..<600).map { _ in random(40) == 0 ? faults[random(faults.count)] : nil }
        let bench = EncoderBench(holdsNothing: random(3) == 0)
        bench.device.depth = random(3)
        bench.device.canForceKeyframes = random(2) == 0
        bench.device.fault = { chosen.indices.contains($0) ? chosen[$0] : nil }
        do {
            for _ in 0..<50 {
                let keyframe = bench.sent + Int64(random(10))
                try bench.encode(10, keyframesAt: random(2) == 0 ? [keyframe] : [])
                if random(8) == 0 { try bench.finish() }
            }
            try bench.finish()
        } catch let error as MediaError {
            #expect(error.code == .codecFailure)
        }
        #expect(bench.isAccountedFor && bench.encoder.heldFrames == 0)
        #expect(bench.packets.count > 10 && bench.encoder.lostFrames > 0, "the seed tests nothing")
    }

    @Test func encode_disconnectedDevice_endsAtOnce() {
        let bench = EncoderBench()
        bench.device.fault = { $0 == 10 ? .disconnects : nil }
        let error = #expect(throws: MediaError.self) { try bench.encode(100) }
        #expect(error?.code == .deviceLost && error?.underlying == .errno(ENODEV))
        #expect(bench.sent <= 12 && bench.isAccountedFor)
    }

    @Test func encode_sinkThatRefuses_throwsItsError() {
        let bench = EncoderBench()
        let refusal = MediaError(.codecFailure, "cannot continue", reason: "for the test")
        let error = #expect(throws: MediaError.self) {
            try bench.encoder.encode(EncoderBench.frame(0), microseconds: 1, ticks: 0, isKeyframe: false) {
                (_: StatefulEncoder.Output) throws(MediaError) in throw refusal
            }
        }
        #expect(error == refusal)
    }
}
