import Glibc
import MediaTypes
import RealTime
import Testing

@testable import Capture

/// The driver of a stateful encoder, with devices that keep to the protocol and with devices that do not.
@Suite struct StatefulEncoderTests {
    /// An encoder of small packets: a mark, whether it is a keyframe, and the first two pixels, which have the number of
    /// the frame.
    private final class Bench {
        struct Packet: Equatable {
            var ticks: Int64
            var isKeyframe: Bool
            var number: Int
        }

        let clock = ManualClock()
        let device: FakeEncoder
        let encoder: StatefulEncoder
        var packets: [Packet] = []
        var sent: Int64 = 0

        init(holdsNothing: Bool = false) {
            device = FakeEncoder(clock: clock) { frame, _, _, isKeyframe in
                [0xAA, isKeyframe ? 1 : 0, frame.plane(0)[0], frame.plane(0)[1]]
            }
            encoder = StatefulEncoder(device, holdsNothing: holdsNothing, clock: clock) { bytes in
                bytes.count == 4 && bytes[0] == 0xAA ? .frame(isKeyframe: bytes[1] == 1) : .invalid
            }
        }

        static func frame(_ number: Int64) -> PixelBuffer {
            let layout = PixelLayout(format: .i420, width: 16, height: 16)
            var bytes = [UInt8](repeating: 0, count: layout.byteCount)
            (bytes[0], bytes[1]) = (UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8))
            return PixelBuffer(layout: layout, data: MediaData(bytes))
        }

        /// Encodes frames whose times in ticks are their numbers times ten.
        func encode(_ count: Int, keyframesAt keyframes: Set<Int64> = []) throws {
            for _ in 0..<count {
                let number = sent
                sent += 1
                try encoder.encode(
                    Self.frame(number), microseconds: number * 33_333 + 1, ticks: number * 10,
                    isKeyframe: keyframes.contains(number)
                ) { (output: StatefulEncoder.Output) throws(MediaError) in take(output) }
            }
        }

        func finish() throws {
            try encoder.finish { (output: StatefulEncoder.Output) throws(MediaError) in take(output) }
        }

        private func take(_ output: StatefulEncoder.Output) {
            guard case .packet(let bytes, let ticks, let isKeyframe) = output else { return }
            packets.append(Packet(ticks: ticks, isKeyframe: isKeyframe, number: Int(bytes[2]) + Int(bytes[3]) << 8))
        }

        /// True if each frame came out once or is counted as lost, in order, with its own bytes.
        var isAccountedFor: Bool {
            let times = packets.map(\.ticks)
            return Int64(packets.count) + encoder.lostFrames + Int64(encoder.heldFrames) == sent
                && zip(times, times.dropFirst()).allSatisfy { $0 < $1 }
                && packets.allSatisfy { $0.ticks == Int64($0.number) * 10 }
        }
    }

    @Test(arguments: [0, 2]) func encode_correctDevice_returnsEveryFrameAtItsTime(depth: Int) throws {
        let bench = Bench()
        bench.device.depth = depth
        try bench.encode(100)
        #expect(bench.encoder.heldFrames == depth && bench.isAccountedFor)
        try bench.finish()
        #expect(bench.packets.map(\.ticks) == (0..<100).map { $0 * 10 })
        #expect(bench.packets.filter(\.isKeyframe).map(\.ticks) == [0])
        #expect(bench.encoder.lostFrames == 0 && bench.device.starts == 1 && bench.encoder.latestFault == nil)
    }

    @Test func encode_holdsNothing_returnsEachPacketBeforeTheNextFrame() throws {
        let bench = Bench(holdsNothing: true)
        for number in 1...20 {
            try bench.encode(1)
            #expect(bench.packets.count == number)
        }
    }

    @Test func encode_holdsNothingWithADeviceThatLooksAhead_waitsALimitedTime() throws {
        let bench = Bench(holdsNothing: true)
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
        let bench = Bench()
        bench.device.depth = 2
        try bench.encode(10)
        try bench.finish()
        try bench.encode(10)
        try bench.finish()
        #expect(bench.packets.filter(\.isKeyframe).map(\.ticks) == [0, 100])
        #expect(bench.packets.count == 20 && bench.isAccountedFor && bench.device.starts == 2)
    }

    @Test(arguments: [true, false]) func encode_requestedKeyframe_isOneAndLosesNothing(hasControl: Bool) throws {
        let bench = Bench()
        bench.device.canForceKeyframes = hasControl
        bench.device.depth = 1
        try bench.encode(20, keyframesAt: [7, 12])
        try bench.finish()
        #expect(bench.packets.filter(\.isKeyframe).map(\.ticks) == [0, 70, 120])
        #expect(bench.packets.count == 20 && bench.encoder.lostFrames == 0)
        #expect(bench.device.starts == (hasControl ? 1 : 3))
    }

    @Test func encode_requestedKeyframeThatTheDeviceIgnores_isRequestedAgain() throws {
        let bench = Bench()
        // The first one is that of the start.
        bench.device.ignoredRequests = 2
        try bench.encode(20, keyframesAt: [5])
        try bench.finish()
        let keyframes = bench.packets.filter(\.isKeyframe).map(\.ticks)
        #expect(keyframes == [0, 60] && bench.packets.count == 20 && bench.device.starts == 1)
    }

    /// A control without effect: from the third request on, the device is started again.
    @Test func encode_deviceThatIgnoresAllRequests_makesKeyframesByStarts() throws {
        let bench = Bench()
        bench.device.ignoredRequests = .max
        try bench.encode(60, keyframesAt: [5, 20, 40])
        try bench.finish()
        let keyframes = bench.packets.filter(\.isKeyframe).map(\.ticks)
        #expect(keyframes == [0, 70, 200, 400] && bench.packets.count == 60)
        #expect(bench.encoder.lostFrames == 0 && bench.device.starts == 4 && bench.encoder.latestFault == nil)
    }

    /// Some drivers set no control while they run.
    @Test func encode_deviceThatRefusesRequests_makesKeyframesByStarts() throws {
        let bench = Bench()
        bench.device.requestError = EBUSY
        try bench.encode(60, keyframesAt: [5, 20, 40])
        try bench.finish()
        #expect(bench.packets.filter(\.isKeyframe).map(\.ticks) == [0, 50, 200, 400] && bench.packets.count == 60)
        #expect(bench.encoder.lostFrames == 0 && bench.device.starts == 4 && bench.encoder.latestFault == nil)
    }

    @Test func start_deviceThatContinuesItsStream_isRequestedToBeginAnother() throws {
        let bench = Bench()
        bench.device.startsWithKeyframe = false
        try bench.encode(10)
        try bench.finish()
        try bench.encode(10)
        try bench.finish()
        #expect(bench.packets.filter(\.isKeyframe).map(\.ticks) == [0, 100])
        #expect(bench.packets.count == 20 && bench.encoder.lostFrames == 0 && bench.encoder.latestFault == nil)
    }

    /// No packet can be decoded without a keyframe before it, and none can be placed without its time.
    @Test(arguments: [true, false]) func encode_uselessPackets_endTheEncoderWithTheReason(hasTimes: Bool) throws {
        let bench = Bench()
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
            let bench = Bench()
            bench.device.drainError = code
            try bench.encode(10)
            try bench.finish()
            #expect(bench.packets.count == 10 && bench.encoder.lostFrames == 0)
        }
    }

    /// Old drivers do not mark the last buffer.
    @Test(arguments: [FakeEncoder.Ending.emptyBuffer, .nothing], [0, 2])
    func finish_deviceWithoutALastBuffer_losesNothing(ending: FakeEncoder.Ending, depth: Int) throws {
        let bench = Bench()
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
        let bench = Bench()
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
            let bench = Bench()
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
        let bench = Bench()
        bench.device.fault = { $0 == 10 ? .returnedTwice : nil }
        try bench.encode(60)
        try bench.finish()
        #expect(bench.isAccountedFor && bench.encoder.lostFrames == 1 && bench.device.starts == 2)
        #expect(bench.encoder.latestFault?.reason.contains("did not have") == true)
    }

    /// A fatal failure (EIO), and failures in a row, after which starting the queues may not be enough.
    @Test func encode_failuresThatStartsDoNotMend_setTheDeviceUpAgain() throws {
        for (fault, setups) in [(.breaks, 1), (.dequeueFails(EIO), 1), (.doubled, 0)] as [(FakeEncoder.Fault, Int)] {
            let bench = Bench()
            bench.device.fault = { $0 == 10 ? fault : nil }
            try bench.encode(60)
            try bench.finish()
            #expect(bench.device.setups == setups && bench.device.starts == 2, "\(fault)")
            #expect(bench.isAccountedFor && bench.encoder.lostFrames <= 1 && bench.packets.last?.ticks == 590)
        }
        let bench = Bench()
        bench.device.fault = { [10, 12, 14].contains($0) ? .corrupt : nil }
        try bench.encode(60)
        try bench.finish()
        #expect(bench.device.setups == 2 && bench.device.starts == 4 && bench.isAccountedFor)
        #expect(bench.encoder.lostFrames == 3 && bench.packets.last?.ticks == 590)
    }

    @Test func encode_faultsFarApart_neverEndTheEncoder() throws {
        let bench = Bench()
        bench.device.fault = { $0 % 50 == 10 ? .corrupt : nil }
        try bench.encode(1000)
        try bench.finish()
        #expect(bench.isAccountedFor && bench.device.starts == 21 && bench.encoder.lostFrames == 20)
    }

    /// The device starts again for each keyframe, after fewer packets than make a failure irrelevant.
    @Test func encode_faultsFarApartWithManyStarts_neverEndTheEncoder() throws {
        let bench = Bench()
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
        let bench = Bench()
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
        let bench = Bench(holdsNothing: random(3) == 0)
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
        let bench = Bench()
        bench.device.fault = { $0 == 10 ? .disconnects : nil }
        let error = #expect(throws: MediaError.self) { try bench.encode(100) }
        #expect(error?.code == .deviceLost && error?.underlying == .errno(ENODEV))
        #expect(bench.sent <= 12 && bench.isAccountedFor)
    }

    @Test func encode_sinkThatRefuses_throwsItsError() {
        let bench = Bench()
        let refusal = MediaError(.codecFailure, "cannot continue", reason: "for the test")
        let error = #expect(throws: MediaError.self) {
            try bench.encoder.encode(Bench.frame(0), microseconds: 1, ticks: 0, isKeyframe: false) {
                (_: StatefulEncoder.Output) throws(MediaError) in throw refusal
            }
        }
        #expect(error == refusal)
    }
}
