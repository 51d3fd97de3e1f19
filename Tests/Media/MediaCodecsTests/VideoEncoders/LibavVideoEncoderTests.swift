import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import MediaCodecs

/// Tests of the libavcodec encoders, without a file.
@Suite struct LibavVideoEncoderTests {
    private func encoder(
        _ codec: VideoCodec, width: Int = 128, height: Int = 96, color: ColorDescription = .bt709,
        change: (inout VideoSettings) -> Void = { _ in }
    ) throws -> any VideoEncoder {
        var settings = VideoSettings(
            codec: codec, width: width, height: height, preset: "ultrafast", expectedFrameRate: 25)
        change(&settings)
        return try VideoEncoders.open(settings, color: color, timeScale: 90_000, isRealTime: false)
    }

    private func time(_ number: Int) -> MediaTime { MediaTime(value: Int64(number), timescale: 25) }

    private static let codecs: [VideoCodec] = [.hevc, .av1, .mjpeg, .proRes422, .proRes422HQ]

    @Test(arguments: codecs) func encode_anyCodec_keepsEachFrameAndItsTime(_ codec: VideoCodec) throws {
        let encoder = try encoder(codec)
        let input = EncoderFrameInput(
            width: 128, height: 96, bitDepth: encoder.input.bitDepth, layout: encoder.input.layout)
        var packets: [SampleBuffer] = []
        for number in 0..<20 {
            let frame = SyntheticMedia.noisyFrame(number, width: 128, height: 96)
            try encoder.encode(try input.convert(frame), at: time(number), asKeyframe: false) { packets.append($0) }
        }
        try encoder.finish { packets.append($0) }
        #expect(packets.map(\.presentationTime).sorted() == (0..<20).map { time($0).converted(to: 90_000) })
        let decoded = packets.compactMap(\.decodeTime)
        #expect(decoded.count == 20 && decoded == decoded.sorted() && Set(decoded).count == 20)
        #expect(packets[0].isKeyframe && packets.allSatisfy { $0.format == .video(encoder.format) })
        #expect(encoder.format.codec == codec.stored && encoder.format.codecTag == codec.proResTag)
        // The encoder has ended, and accepts nothing more.
        try encoder.finish { _ in Issue.record("a packet after the end") }
        let more = SyntheticMedia.frame(20, width: 128, height: 96, format: .i420)
        let error = #expect(throws: MediaError.self) {
            try encoder.encode(more, at: time(20), asKeyframe: false) { _ in }
        }
        #expect(error?.code == .invalidState)
    }

    /// Runs the body while the C library fills the memory that it allocates with a pattern (mallopt(3)).
    private func withPatternInMemory(_ body: () throws -> Void) throws {
        typealias Option = @convention(c) (Int32, Int32) -> Int32
        let option = unsafeBitCast(try #require(dlsym(nil, "mallopt")), to: Option.self)
        // M_PERTURB
        #expect(option(-6, 0x5A) == 1)
        defer { _ = option(-6, 0) }
        try body()
    }

    /// x265 gave the frames of so short a movie decode times from memory that it had not set.
    @Test(arguments: 1...4) func encode_fewFramesOfHEVC_haveDecodeTimes(count: Int) throws {
        try withPatternInMemory {
            let encoder = try encoder(.hevc)
            let input = EncoderFrameInput(
                width: 128, height: 96, bitDepth: encoder.input.bitDepth, layout: encoder.input.layout)
            var packets: [SampleBuffer] = []
            for number in 0..<count {
                let frame = SyntheticMedia.noisyFrame(number, width: 128, height: 96)
                try encoder.encode(try input.convert(frame), at: time(number), asKeyframe: false) {
                    packets.append($0)
                }
            }
            try encoder.finish { packets.append($0) }
            let decoded = packets.compactMap(\.decodeTime)
            #expect(decoded.count == count && zip(decoded, decoded.dropFirst()).allSatisfy { $0 < $1 }, "\(decoded)")
            #expect(packets.allSatisfy { $0.decodeTime! <= $0.presentationTime }, "\(decoded)")
            #expect(decoded.allSatisfy { abs($0.seconds) < 1 }, "\(decoded)")
        }
    }

    /// The limit is H.264's: 0.45 s (docs/design/decisions/encoders.md). A camera gives an encoder time. Frames that
    /// its threads have not reached on a busy machine are not held back; it catches up by the next keyframe at the
    /// latest.
    @Test(arguments: codecs, [10.0, 30, 60]) func encode_live_holdsFewFramesBack(_ codec: VideoCodec, rate: Double)
        throws
    {
        let encoder = try VideoEncoders.open(
            VideoSettings(
                codec: codec, width: 128, height: 96, preset: "medium",
                keyframeInterval: MediaTime(value: 1, timescale: 2), expectedFrameRate: rate),
            color: .bt709,
            timeScale: 90_000, isRealTime: true)
        let frame = SyntheticMedia.frame(
            0, width: 128, height: 96, format: codec.proResTag == nil ? .i420 : .i422)
        let input = EncoderFrameInput(
            width: 128, height: 96, bitDepth: encoder.input.bitDepth, layout: encoder.input.layout)
        let pixels = try input.convert(frame)
        var held = 0
        let limit = Int(max(3, 0.45 * rate))
        // The run of frames at which too many were held although the encoder had time, and the longest such run.
        var (late, most) = (0, 0)
        var pause: UInt32 = 0
        for number in 0..<120 {
            usleep(pause)
            held += 1
            try encoder.encode(
                pixels, at: MediaTime(seconds: Double(number) / rate, timescale: 90_000), asKeyframe: false
            ) { _ in held -= 1 }
            if held <= limit {
                (late, pause) = (0, 0)
            } else if pause < 100_000 {
                pause = max(2000, pause * 4)
            } else {
                late += 1
                most = max(most, late)
            }
        }
        try encoder.finish { _ in held -= 1 }
        #expect(held == 0 && most <= Int(rate / 2), "\(most)")
    }

    /// The packets after the restart must be decodable with the parameters from before it.
    @Test(arguments: [VideoCodec.hevc, .av1]) func encode_restarted_continuesInTheSameTrack(_ codec: VideoCodec) throws
    {
        let encoder = try #require(
            VideoEncoders.open(
                VideoSettings(codec: codec, width: 128, height: 96, preset: "medium", expectedFrameRate: 25),
                color: .bt709, timeScale: 90_000, isRealTime: true) as? LibavVideoEncoder)
        let input = EncoderFrameInput(
            width: 128, height: 96, bitDepth: encoder.input.bitDepth, layout: encoder.input.layout)
        var packets: [SampleBuffer] = []
        for number in 0..<18 {
            if number == 7 {
                try encoder.restart { packets.append($0) }
                #expect(packets.count == 7)
            }
            let frame = SyntheticMedia.noisyFrame(number, width: 128, height: 96)
            try encoder.encode(try input.convert(frame), at: time(number), asKeyframe: false) { packets.append($0) }
        }
        try encoder.finish { packets.append($0) }
        let times = (0..<18).map { time($0).converted(to: 90_000) }
        #expect(packets.map(\.presentationTime).sorted() == times)
        #expect(packets.filter(\.isKeyframe).map(\.presentationTime) == [times[0], times[7]])
        let decoded = packets.compactMap(\.decodeTime)
        #expect(decoded.count == 18 && zip(decoded, decoded.dropFirst()).allSatisfy { $0 < $1 })

        let decoder = try VideoDecoder(
            format: encoder.format, hints: DecoderHints(codecName: codec.stored.rawValue), timeScale: 90_000,
            pixelFormat: nil, sharesMemory: false)
        var shown: [MediaTime] = []
        for packet in packets { try decoder.decode(CodedSample(packet)) { shown.append($0.presentationTime) } }
        try decoder.finish { shown.append($0.presentationTime) }
        #expect(shown == times)
    }

    @Test(arguments: [VideoCodec.hevc, .av1]) func encode_requestedKeyframe_isAKeyframe(_ codec: VideoCodec) throws {
        let encoder = try encoder(codec) { $0.keyframeInterval = MediaTime(value: 100, timescale: 1) }
        var keys: [MediaTime] = []
        let record = { (packet: SampleBuffer) in if packet.isKeyframe { keys.append(packet.presentationTime) } }
        for number in 0..<24 {
            let frame = SyntheticMedia.frame(number / 30, width: 128, height: 96, format: .i420)
            try encoder.encode(frame, at: time(number), asKeyframe: number == 13, output: record)
        }
        try encoder.finish(output: record)
        #expect(keys == [time(0), time(13)].map { $0.converted(to: 90_000) })
    }

    /// Running as root, SVT-AV1 would raise its threads and this one to the highest real-time priority.
    @Test(arguments: codecs) func open_anyCodec_keepsTheSchedulingPolicy(_ codec: VideoCodec) throws {
        let policy = sched_getscheduler(0)
        let before = try Self.policies()
        let encoder = try encoder(codec)
        #expect(sched_getscheduler(0) == policy)
        let made = try Self.policies().filter { before[$0.key] == nil }
        #expect(made.values.allSatisfy { $0 == policy }, "\(made)")
        try encoder.finish { _ in }
    }

    /// The scheduling policies of this process's threads.
    private static func policies() throws -> [pid_t: Int32] {
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap { pid_t($0) }
        // A thread that has ended meanwhile has no policy.
        return Dictionary(uniqueKeysWithValues: threads.map { ($0, sched_getscheduler($0)) }).filter { $0.value >= 0 }
    }

    /// A frame's memory is returned when the last reference to it is gone.
    @Test(arguments: codecs) func encode_lentFrames_areReturned(_ codec: VideoCodec) throws {
        let encoder = try encoder(codec)
        let layout = PixelLayout(format: try #require(encoder.input.layout), width: 128, height: 96, alignment: 64)
        let pool = PixelBufferPool(layout: layout, capacity: 64)
        for number in 0..<60 {
            let buffer = pool.makeBuffer()
            for plane in layout.planes.indices {
                _ = buffer.plane(plane).initializeMemory(as: UInt8.self, repeating: 3)
            }
            try encoder.encode(buffer.finish(), at: time(number), asKeyframe: false) { _ in }
        }
        try encoder.finish { _ in }
        let taken = pool.allocationCount
        #expect(taken < 50)
        // All buffers are back: the same number again allocates nothing.
        let again = (0..<taken).map { _ in pool.makeBuffer().finish() }
        #expect(again.count == taken && pool.allocationCount == taken)
    }

    /// This happens if a movie's first frame cannot be decoded, or if the encoder is no longer needed.
    @Test(.timeLimit(.minutes(10)), arguments: codecs) func close_noFrames_ends(_ codec: VideoCodec) throws {
        for isFinished in [true, false] {
            let encoder = try encoder(codec)
            if isFinished { try encoder.finish { _ in Issue.record("a packet of no frame") } }
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: codecs) func close_notFinished_ends(_ codec: VideoCodec)
        throws
    {
        let encoder = try encoder(codec)
        let input = EncoderFrameInput(
            width: 128, height: 96, bitDepth: encoder.input.bitDepth, layout: encoder.input.layout)
        for number in 0..<9 {
            let frame = SyntheticMedia.noisyFrame(number, width: 128, height: 96)
            try encoder.encode(try input.convert(frame), at: time(number), asKeyframe: false) { _ in }
        }
    }

    @Test func encode_invalidFrameOrTime_isRefused() throws {
        let encoder = try encoder(.hevc)
        let fitting = SyntheticMedia.frame(1, width: 128, height: 96, format: .i420)
        try encoder.encode(fitting, at: time(1), asKeyframe: false) { _ in }
        let wrong: [(PixelBuffer, MediaTime)] = [
            (fitting, time(1)), (fitting, time(0)),
            (SyntheticMedia.frame(1, width: 128, height: 96, format: .nv12), time(2)),
            (SyntheticMedia.frame(1, width: 64, height: 96, format: .i420), time(2)),
        ]
        for (frame, time) in wrong {
            let error = #expect(throws: MediaError.self) {
                try encoder.encode(frame, at: time, asKeyframe: false) { _ in }
            }
            #expect(error?.code == .invalidSample)
        }
        try encoder.encode(fitting, at: time(2), asKeyframe: false) { _ in }
        try encoder.finish { _ in }
    }

    @Test func open_missingEncoder_isNamed() {
        let error = #expect(throws: MediaError.self) {
            _ = try LibavVideoCodec(.hevc, name: "HEVC", candidates: ["libnothing", "libnobody"])
        }
        #expect(error?.code == .unsupported && error?.reason.contains("libnothing and no libnobody") == true)
    }

    /// libaom encodes AV1 if SVT-AV1 is missing.
    @Test func open_missingEncoder_usesTheSecondChoice() throws {
        let codec = try LibavVideoCodec(.av1, name: "AV1", candidates: ["libnothing", "libaom-av1"])
        #expect(codec.encoderName == "libaom-av1" && codec.preset("ultrafast") == "8")
    }

    @Test(arguments: [(1, 1), (17, 33), (64, 48), (641, 3)])
    func encode_jpegOfAnySize_isDecoded(_ width: Int, _ height: Int) throws {
        let encoder = try encoder(.mjpeg, width: width, height: height) { $0.rateControl = .quality(0.9) }
        let frame = SyntheticMedia.frame(5, width: width, height: height, format: .i420)
        var decoded: [PixelBuffer] = []
        let decoder = try JPEGDecoder(width: width, height: height)
        let output = { (packet: SampleBuffer) in
            guard case .data(let data) = packet.content, let frame = try? decoder.decode(data.bytes) else { return }
            decoded.append(frame)
        }
        try encoder.encode(frame, at: time(0), asKeyframe: false, output: output)
        try encoder.finish(output: output)
        let luma = try #require(decoded.first?.plane(0).first)
        // From limited to full range, which every JPEG has.
        let wanted = (Double(SyntheticMedia.luma(5)) - 16) * 255 / 219
        #expect(abs(Double(luma) - wanted) <= 2)
    }

    /// ITU-T T.871 defines one matrix.
    @Test func encode_jpeg_convertsToItsMatrix() throws {
        let encoder = try encoder(.mjpeg, color: .bt709) { $0.rateControl = .quality(1) }
        let buffer = MutablePixelBuffer(layout: PixelLayout(format: .i420, width: 128, height: 96), color: .bt709)
        // Pure red in BT.709 at limited range.
        for (plane, value) in [UInt8(63), 102, 240].enumerated() {
            _ = buffer.plane(plane).initializeMemory(as: UInt8.self, repeating: value)
        }
        var found: [UInt8] = []
        let decoder = try JPEGDecoder(width: 128, height: 96)
        let output = { (packet: SampleBuffer) in
            guard case .data(let data) = packet.content, let frame = try? decoder.decode(data.bytes) else { return }
            found = (0..<3).map { frame.plane($0)[1000] }
        }
        try encoder.encode(buffer.finish(), at: time(0), asKeyframe: false, output: output)
        try encoder.finish(output: output)
        // Red in BT.601 at full range: 0.299 of 255, and chroma by ITU-T T.871, 7.
        let wanted = [76, 85, 255]
        #expect(found.count == 3 && zip(found, wanted).allSatisfy { abs(Int($0) - $1) <= 3 }, "\(found)")
        #expect(encoder.format.color == ColorDescription(primaries: 1, transfer: 1, matrix: 6, isFullRange: true))
    }
}
