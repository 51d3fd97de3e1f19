import Glibc
import MediaCodecs
import MediaTypes
import RealTime
import Testing

@testable import Capture

/// H.264 of an encoder's device. The device in software returns what x264 makes of its frames.
@Suite struct HardwareH264EncoderTests {
    private static let settings: VideoSettings = {
        var settings = VideoSettings(
            width: 64, height: 48, rateControl: .bitRate(1_000_000), preset: "ultrafast",
            keyframeInterval: MediaTime(value: 1, timescale: 1), expectedFrameRate: 10, maximumBFrames: 0)
        (settings.lookAhead, settings.threadCount) = (0, 1)
        return settings
    }()

    /// x264 as a device returns it: start codes, and parameter sets before each keyframe.
    private final class Stream {
        private let encoder: H264Encoder
        /// Changes the parameter sets of a keyframe.
        var changes: (_ sets: [UInt8]) -> [UInt8] = { $0 }

        init(_ settings: VideoSettings = HardwareH264EncoderTests.settings) throws {
            var settings = settings
            // Only the requests of the encoder under test make keyframes.
            settings.keyframeInterval = MediaTime(value: 3600, timescale: 1)
            encoder = try H264Encoder(
                settings: settings, color: .bt601, timeScale: 1_000_000, isRealTime: true, threads: .few)
        }

        func packet(_ frame: PixelBuffer, stamp: Int64, isKeyframe: Bool) -> [UInt8] {
            var bytes: [UInt8] = isKeyframe ? changes(sets) : []
            let time = MediaTime(value: stamp, timescale: 1_000_000)
            try? encoder.encode(frame, at: time, asKeyframe: isKeyframe) { sample in
                guard case .data(let data) = sample.content else { return }
                bytes += Self.withStartCodes(Array(data.bytes))
            }
            return bytes
        }

        /// The parameter sets of `avcC` (ISO/IEC 14496-15, 5.3.3.1): one of each kind.
        private var sets: [UInt8] {
            let record = encoder.format.decoderConfiguration
            let first = Int(record[6]) << 8 | Int(record[7])
            let place = 8 + first + 1
            let second = Int(record[place]) << 8 | Int(record[place + 1])
            var bytes = Self.startCode
            bytes += record[8..<8 + first]
            bytes += Self.startCode
            bytes += record[place + 2..<place + 2 + second]
            return bytes
        }

        private static let startCode: [UInt8] = [0, 0, 0, 1]

        private static func withStartCodes(_ bytes: [UInt8]) -> [UInt8] {
            var (result, place) = ([UInt8](), 0)
            while place + 4 <= bytes.count {
                let length = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
                result += startCode
                result += bytes[place + 4..<place + 4 + length]
                place += 4 + length
            }
            return result
        }
    }

    private final class Bench {
        let clock = ManualClock()
        let device: FakeEncoder
        let encoder: HardwareH264Encoder
        var samples: [SampleBuffer] = []

        init(_ stream: Stream, settings: VideoSettings = HardwareH264EncoderTests.settings) throws {
            device = FakeEncoder(clock: clock) { frame, _, stamp, isKeyframe in
                stream.packet(frame, stamp: stamp, isKeyframe: isKeyframe)
            }
            encoder = try HardwareH264Encoder(
                device, layout: .i420, settings: settings, color: .bt601, timeScale: 1_000_000, holdsNothing: false,
                clock: clock)
        }

        /// Encodes frames at ten a second from 100 s on.
        func encode(_ numbers: Range<Int64>, keyframesAt keyframes: Set<Int64> = []) throws {
            for number in numbers {
                try encoder.encode(
                    Self.frame(UInt8(number & 0x7F)), at: Self.time(number), asKeyframe: keyframes.contains(number)
                ) { samples.append($0) }
            }
        }

        func finish() throws { try encoder.finish { samples.append($0) } }

        static func time(_ number: Int64) -> MediaTime { MediaTime(value: 1000 + number, timescale: 10) }

        static func frame(_ value: UInt8, format: PixelFormat = .i420, width: Int = 64) -> PixelBuffer {
            let layout = PixelLayout(format: format, width: width, height: 48)
            return PixelBuffer(
                layout: layout, data: MediaData([UInt8](repeating: value, count: layout.byteCount)))
        }
    }

    @Test func encode_correctDevice_returnsSamplesForAFile() throws {
        let bench = try Bench(Stream())
        try bench.encode(0..<30)
        try bench.finish()
        #expect(bench.encoder.format.codec == .h264 && bench.encoder.format.decoderConfiguration.first == 1)
        #expect(bench.encoder.format.width == 64 && bench.encoder.format.height == 48)
        #expect(bench.samples.map(\.presentationTime) == (0..<30).map(Bench.time))
        #expect(bench.samples.allSatisfy { $0.decodeTime == $0.presentationTime })
        #expect(bench.samples.allSatisfy { $0.format.video == bench.encoder.format })
        for sample in bench.samples {
            guard case .data(let data) = sample.content else {
                Issue.record("no packet")
                continue
            }
            let starts = RefreshFrame.starts(data.bytes, configuration: bench.encoder.format.decoderConfiguration)
            #expect(starts == sample.isKeyframe)
        }
        #expect(bench.encoder.lostFrames == 0)
    }

    @Test func encode_deviceWithoutAnInterval_stillMakesKeyframesInTime() throws {
        let bench = try Bench(Stream())
        try bench.encode(0..<35, keyframesAt: [13])
        try bench.finish()
        let keyframes = bench.samples.filter(\.isKeyframe).map(\.presentationTime)
        #expect(keyframes == [0, 10, 13, 23, 33].map(Bench.time))
    }

    @Test func encode_faultInTheMiddle_countsTheLossAndContinuesWithAKeyframe() throws {
        for fault in [FakeEncoder.Fault.dequeueFails(EIO), .doubled, .swapped, .invalid, .stalls] {
            let bench = try Bench(Stream())
            // The first frame is the gray one.
            bench.device.fault = { $0 == 15 ? fault : nil }
            try bench.encode(0..<60)
            try bench.finish()
            #expect(Int64(bench.samples.count) + bench.encoder.lostFrames == 60, "\(fault)")
            let times = bench.samples.map(\.presentationTime)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "\(fault)")
            #expect(bench.samples.last?.presentationTime == Bench.time(59))
            // A gap of frames ends with a keyframe.
            for (before, after) in zip(bench.samples, bench.samples.dropFirst())
            where after.presentationTime - before.presentationTime > MediaTime(value: 1, timescale: 10) {
                #expect(after.isKeyframe || fault.losesOnly, "\(fault)")
            }
        }
    }

    @Test func open_deviceWithoutParameterSets_isRefused() throws {
        let stream = try Stream()
        stream.changes = { _ in [] }
        let error = #expect(throws: MediaError.self) { try Bench(stream) }
        #expect(error?.code == .codecFailure && error?.reason.contains("no parameter sets") == true)
    }

    @Test(
        arguments: [(.stalls, ETIMEDOUT), (.refused(EIO), EIO), (.dequeueFails(ENOMEM), ENOMEM)]
            as [(FakeEncoder.Fault, Int32)])
    func open_deviceThatFails_isRefusedWithItsCause(fault: FakeEncoder.Fault, number: Int32) {
        let clock = ManualClock()
        let device = FakeEncoder(clock: clock) { _, _, _, _ in [] }
        device.fault = { _ in fault }
        let error = #expect(throws: MediaError.self) {
            try HardwareH264Encoder(
                device, layout: .i420, settings: Self.settings, color: .bt601, timeScale: 1_000_000,
                holdsNothing: false, clock: clock)
        }
        #expect(error?.code == .codecFailure && error?.underlying == .errno(number))
        #expect(clock.nanoseconds < 10_000_000_000)
    }

    @Test func open_deviceWithAnotherSize_isRefused() throws {
        var wide = Self.settings
        wide.height = 64
        let stream = try Stream(wide)
        let error = #expect(throws: MediaError.self) {
            let clock = ManualClock()
            let device = FakeEncoder(clock: clock) { _, _, stamp, isKeyframe in
                let layout = PixelLayout(format: .i420, width: 64, height: 64)
                let frame = PixelBuffer(
                    layout: layout, data: MediaData([UInt8](repeating: 0, count: layout.byteCount)))
                return stream.packet(frame, stamp: stamp, isKeyframe: isKeyframe)
            }
            _ = try HardwareH264Encoder(
                device, layout: .i420, settings: Self.settings, color: .bt601, timeScale: 1_000_000,
                holdsNothing: false, clock: clock)
        }
        #expect(error?.code == .deviceUnsuitable && error?.reason.contains("64×64 instead of 64×48") == true)
    }

    @Test func encode_parameterSetsThatChange_endTheTrack() throws {
        let stream = try Stream()
        let bench = try Bench(stream)
        try bench.encode(0..<5)
        // Another level (ITU-T H.264, 7.3.2.1.1).
        stream.changes = { sets in
            var changed = sets
            changed[7] ^= 1
            return changed
        }
        let error = #expect(throws: MediaError.self) { try bench.encode(5..<40) }
        #expect(error?.code == .codecFailure && error?.reason.contains("parameter sets changed") == true)
    }

    @Test func encode_unsuitableFrame_isRefusedAndTheNextAccepted() throws {
        let bench = try Bench(Stream())
        try bench.encode(0..<2)
        for (frame, time) in [
            (Bench.frame(1, format: .nv12), 2), (Bench.frame(1, width: 32), 2), (Bench.frame(1), 1),
        ] as [(PixelBuffer, Int64)] {
            let error = #expect(throws: MediaError.self) {
                try bench.encoder.encode(frame, at: Bench.time(time), asKeyframe: false) { _ in }
            }
            #expect(error?.code == .invalidSample)
        }
        try bench.encode(2..<4)
        try bench.finish()
        #expect(bench.samples.count == 4 && bench.encoder.lostFrames == 0)
        let error = #expect(throws: MediaError.self) { try bench.encode(4..<5) }
        #expect(error?.code == .invalidState)
    }

    @Test(
        arguments: [
            ([0, 0, 0, 1, 0x65, 0x88], StatefulEncoderState.Content.frame(isKeyframe: true)),
            ([0, 0, 1, 0x41, 0x9A], .frame(isKeyframe: false)), ([0, 0, 0, 1, 0x67, 0x42, 0, 0, 1, 0x68, 1], .header),
            ([0, 0, 1, 0x67, 0x42, 0, 0, 1, 0x65, 1], .frame(isKeyframe: true)), ([0, 0, 0, 0], .invalid),
            ([0xFF, 0xFF, 0xFF], .invalid), ([0, 0, 1], .invalid), ([1, 0x65], .invalid),
        ] as [([UInt8], StatefulEncoderState.Content)])
    func inspection_anyBytes_saysWhatTheyAre(bytes: [UInt8], content: StatefulEncoderState.Content) {
        let found = bytes.withUnsafeBytes { H264Inspection.content($0) }
        #expect(found == content)
    }
}

extension FakeEncoder.Fault {
    /// True if the encoder continues without this frame.
    fileprivate var losesOnly: Bool {
        switch self {
        case .swapped: true
        default: false
        }
    }
}
