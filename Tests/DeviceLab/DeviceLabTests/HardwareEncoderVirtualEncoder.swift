import CV4L2
import Glibc
import MediaTypes
import TestSupport
import Testing

@testable import Capture

/// The protocol of hardware encoders with the kernel's vicodec: every frame that goes in comes back, decoded by vicodec,
/// at its time.
@Suite(.serialized) struct HardwareEncoderVirtualEncoder {
    /// An encoder of the lab, and everything that it returned.
    private final class Bench {
        struct Packet {
            var ticks: Int64
            var isKeyframe: Bool
            var bytes: [UInt8]
        }

        let node: EncoderNode
        let queues: V4L2EncoderQueues
        let encoder: StatefulEncoder
        let size: (width: Int, height: Int)
        var packets: [Packet] = []

        init(
            width: Int = LabEncoder.size.width, height: Int = LabEncoder.size.height, holdsNothing: Bool = false
        ) throws {
            size = (width, height)
            node = try EncoderDiscovery.open(nil, coded: CV4L2_PIX_FWHT)
            queues = try V4L2EncoderQueues(node, LabEncoder.setup(width: width, height: height))
            encoder = StatefulEncoder(queues, holdsNothing: holdsNothing, inspect: LabEncoder.content)
        }

        /// Encodes frames, whose times are those of 29.97 frames a second.
        func encode(_ numbers: Range<Int>, keyframesAt keyframes: Set<Int> = []) throws {
            for number in numbers {
                let frame = LabEncoder.frame(number, layout: queues.layout, width: size.width, height: size.height)
                try encoder.encode(
                    frame, microseconds: Self.time(number), ticks: Self.time(number),
                    isKeyframe: keyframes.contains(number)
                ) { (output: StatefulEncoder.Output) throws(MediaError) in take(output) }
            }
        }

        func finish() throws {
            try encoder.finish { (output: StatefulEncoder.Output) throws(MediaError) in take(output) }
        }

        static func time(_ number: Int) -> Int64 { Int64(number) * 1_001_000 / 30 + 1_000_000 }

        private func take(_ output: StatefulEncoder.Output) {
            guard case .packet(let bytes, let ticks, let isKeyframe) = output else { return }
            packets.append(Packet(ticks: ticks, isKeyframe: isKeyframe, bytes: Array(bytes)))
        }

        var keyframes: [Int64] { packets.filter(\.isKeyframe).map(\.ticks) }

        /// Decodes every packet. Returns the numbers of the frames, and checks that each has the time of its number.
        func decoded() throws -> [Int] {
            let decoder = try LabDecoder(width: size.width, height: size.height)
            return try packets.map { packet in
                let (number, stamp) = try decoder.decode(packet.bytes, stamp: packet.ticks)
                #expect(packet.ticks == Self.time(number) && stamp == packet.ticks, "frame \(number)")
                return number
            }
        }
    }

    @Test(arguments: [false, true]) func encode_bothInterfaces_everyFrameComesBackAtItsTime(isMultiplanar: Bool) throws
    {
        try LabEncoder.load(isMultiplanar: isMultiplanar)
        do {
            let bench = try Bench()
            #expect(bench.node.isMultiplanar == isMultiplanar && bench.queues.layout == .nv12)
            try bench.encode(0..<90)
            try bench.finish()
            #expect(try bench.decoded() == Array(0..<90))
            #expect(bench.encoder.lostFrames == 0 && bench.encoder.latestFault == nil)
            // The interval that was set.
            #expect(bench.keyframes == stride(from: 0, to: 90, by: 10).map(Bench.time))
        }
        try LabEncoder.load(isMultiplanar: false)
    }

    /// The driver's rows are longer, and there are more of them.
    @Test func encode_sizeThatTheDriverPads_everyFrameComesBack() throws {
        let bench = try Bench(width: 654, height: 366)
        try bench.encode(0..<20)
        try bench.finish()
        #expect(try bench.decoded() == Array(0..<20) && bench.encoder.lostFrames == 0)
    }

    @Test func encode_holdsNothing_returnsEachPacketBeforeTheNextFrame() throws {
        let bench = try Bench(holdsNothing: true)
        for number in 0..<30 {
            try bench.encode(number..<number + 1)
            #expect(bench.packets.count == number + 1)
        }
        #expect(try bench.decoded() == Array(0..<30))
    }

    @Test func finish_againAndAgain_losesNothingAndStartsWithKeyframes() throws {
        let bench = try Bench()
        for part in 0..<12 {
            try bench.encode(part * 7..<part * 7 + 7)
            try bench.finish()
        }
        #expect(try bench.decoded() == Array(0..<84))
        #expect(bench.encoder.lostFrames == 0)
        #expect(bench.keyframes == (0..<12).map { Bench.time($0 * 7) })
    }

    @Test func encode_requestedKeyframe_isOneWithoutALoss() throws {
        let bench = try Bench()
        try bench.encode(0..<40, keyframesAt: [3, 4, 25])
        try bench.finish()
        #expect(try bench.decoded() == Array(0..<40))
        for number in [3, 4, 25] { #expect(bench.keyframes.contains(Bench.time(number))) }
        #expect(bench.encoder.lostFrames == 0)
    }

    /// Each of the queues stops in the middle, as after a fault of the driver.
    @Test(arguments: [true, false]) func encode_queueThatStops_continuesWithAKeyframe(isOfFrames: Bool) throws {
        let bench = try Bench()
        var next = 0
        for _ in 0..<3 {
            try bench.encode(next..<next + 45)
            next += 45
            let code = cv4l2_stream(isOfFrames ? bench.node.frames : bench.node.packets, 0)
            #expect(code == 0)
        }
        try bench.encode(next..<next + 45)
        try bench.finish()
        let numbers = try bench.decoded()
        #expect(numbers.count + Int(bench.encoder.lostFrames) == 180)
        #expect((1...15).contains(bench.encoder.lostFrames), "\(bench.encoder.lostFrames)")
        #expect(numbers == numbers.sorted() && numbers.last == 179)
        // A gap ends with a keyframe.
        for (before, after) in zip(numbers, numbers.dropFirst()) where after > before + 1 {
            #expect(bench.keyframes.contains(Bench.time(after)))
        }
    }

    /// A queue has stopped when the encoder is drained, so the drain cannot end.
    @Test(arguments: [true, false]) func finish_queueThatStopped_continuesWithAKeyframe(isOfFrames: Bool) throws {
        let bench = try Bench()
        try bench.encode(0..<25)
        let code = cv4l2_stream(isOfFrames ? bench.node.frames : bench.node.packets, 0)
        #expect(code == 0)
        try bench.finish()
        #expect(bench.encoder.latestFault != nil)
        try bench.encode(25..<70)
        try bench.finish()
        let numbers = try bench.decoded()
        #expect(numbers.count + Int(bench.encoder.lostFrames) == 70)
        #expect(bench.encoder.lostFrames <= 7, "\(bench.encoder.lostFrames)")
        #expect(Array(numbers.prefix(20)) == Array(0..<20) && numbers == numbers.sorted() && numbers.last == 69)
        let restart = try #require(numbers.first { $0 >= 25 })
        #expect(bench.keyframes.contains(Bench.time(restart)))
    }

    /// A drain of one frame, and one of none.
    @Test func finish_afterEachFrame_losesNothing() throws {
        let bench = try Bench()
        for number in 0..<20 {
            try bench.encode(number..<number + 1)
            try bench.finish()
            try bench.finish()
        }
        #expect(try bench.decoded() == Array(0..<20))
        #expect(bench.keyframes.count == 20 && bench.encoder.lostFrames == 0 && bench.encoder.latestFault == nil)
    }

    /// The buffers are freed and mapped again, as after a fatal failure of a driver.
    @Test func reinitialize_betweenStreams_losesNothing() throws {
        let bench = try Bench(width: 654, height: 366)
        for part in 0..<5 {
            try bench.encode(part * 5..<part * 5 + 5)
            try bench.finish()
            let code = bench.queues.reinitialize()
            #expect(code == 0)
        }
        #expect(try bench.decoded() == Array(0..<25))
        #expect(bench.encoder.lostFrames == 0 && bench.encoder.latestFault == nil)
    }

    @Test func encode_twoAtOnce_doNotMixTheirFrames() throws {
        let (first, second) = (try Bench(), try Bench())
        for number in 0..<30 {
            try first.encode(number..<number + 1)
            try second.encode(number + 1000..<number + 1001)
        }
        try first.finish()
        try second.finish()
        #expect(try first.decoded() == Array(0..<30))
        #expect(try second.decoded() == Array(1000..<1030))
    }

    @Test func encode_unplugged_endsWithTheReasonAndWorksAfterwards() throws {
        do {
            let bench = try Bench()
            try bench.encode(0..<10)
            #expect(LabEncoder.unplug() == 0)
            let error = #expect(throws: MediaError.self) { try bench.encode(10..<100) }
            #expect(error?.code == .deviceLost, "\(String(describing: error))")
            #expect(bench.packets.count + Int(bench.encoder.lostFrames) == 11)
            #expect(EncoderDiscovery.encoders().isEmpty)
        }
        try LabEncoder.plugIn()
        let bench = try Bench()
        try bench.encode(0..<10)
        try bench.finish()
        #expect(try bench.decoded() == Array(0..<10))
    }

    @Test func discovery_encoder_isListedAndItsDecoderIsNot() throws {
        let encoders = EncoderDiscovery.encoders()
        let encoder = try #require(encoders.first)
        #expect(encoders.count == 1 && encoder.driver == "vicodec" && encoder.codecs == ["FWHT"])
        #expect(encoder.frameFormats.contains("NV12") && encoder.frameFormats.contains("YU12"))
        #expect(encoder.largestFrame == FrameSize(4096, 2160) && !encoder.encodesH264)
        #expect(!CameraDiscovery.cameras().contains { $0.path == encoder.path })
        let error = #expect(throws: MediaError.self) {
            try HardwareH264Encoder(
                path: encoder.path, settings: VideoSettings(width: 640, height: 360, rateControl: .bitRate(1_000_000)),
                color: .bt709, timeScale: 1_000_000, holdsNothing: false)
        }
        #expect(error?.code == .deviceUnsuitable && error?.reason.contains("H264") == true)
        let devices = try Program.run(Program.recorder, ["devices"])
        #expect(devices.text.contains("encoders\n  \(encoder.path)  vicodec\n    FWHT up to 4096x2160 from "))
        #expect(!devices.text.contains("--encoder v4l2"))
        let none = #expect(throws: MediaError.self) { try EncoderDiscovery.open(nil, coded: CV4L2_PIX_H264) }
        #expect(none?.code == .notFound && none?.wayOut.contains("x264") == true)
    }
}
