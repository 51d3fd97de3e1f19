import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

/// Tests of the properties that another decoder reads from the stream itself.
@Suite struct H264FormatTests {
    private let width = 64
    private let height = 48

    private func stream(
        _ settings: VideoSettings, color: ColorDescription = .bt709, _ frames: [PixelBuffer]
    ) throws -> (directory: TemporaryDirectory, path: String, packets: [SampleBuffer]) {
        let encoder = try H264Encoder(settings: settings, color: color, timeScale: 1_000_000, isRealTime: false)
        let converter = EncoderFrameInput(width: width, height: height, bitDepth: encoder.bitDepth)
        var packets: [SampleBuffer] = []
        for (number, frame) in frames.enumerated() {
            try encoder.encode(
                try converter.convert(frame), at: MediaTime(value: Int64(number), timescale: 25)
            ) { packets.append($0) }
        }
        try encoder.finish { packets.append($0) }
        let directory = try TemporaryDirectory()
        let url = directory.file("stream.h264")
        try ElementaryStream.write(packets, encoder.format, to: url)
        return (directory, url.path, packets)
    }

    /// A ramp over all ten bits, 0 at the left and 1023 at the right, in every row; chroma runs in the opposite
    /// direction.
    private func ramp(_ format: PixelFormat) -> PixelBuffer {
        let buffer = MutablePixelBuffer(
            layout: PixelLayout(format: format, width: width, height: height, alignment: 32))
        let shift: UInt16 = format == .p010 ? 6 : 0
        for plane in buffer.layout.planes.indices {
            let bytesPerRow = buffer.layout.planes[plane].bytesPerRow
            let columns = plane == 0 ? width : width / 2
            let components = plane > 0 && format == .p010 ? 2 : 1
            for row in 0..<buffer.layout.planes[plane].rows {
                for column in 0..<columns {
                    for component in 0..<components {
                        let value = UInt16(plane == 0 ? column * 1023 / (columns - 1) : 900 - column * 20)
                        buffer.plane(plane).storeBytes(
                            of: value << shift,
                            toByteOffset: row * bytesPerRow + (column * components + component) * 2, as: UInt16.self)
                    }
                }
            }
        }
        return buffer.finish()
    }

    private func settings(_ depth: Int, _ quality: Double = 1) -> VideoSettings {
        VideoSettings(width: width, height: height, rateControl: .constantQuality(quality), bitDepth: depth)
    }

    @Test(arguments: [PixelFormat.p010, .i010]) func stream_tenBits_decodesToTenBits(format: PixelFormat) throws {
        let (directory, path, _) = try stream(settings(10), [ramp(format), ramp(format)])
        defer { withExtendedLifetime(directory) {} }
        let entries = try ElementaryStream.entries("profile,pix_fmt,bits_per_raw_sample", of: path)
        #expect(entries["profile"] == "High 10" && entries["pix_fmt"] == "yuv420p10le")
        let decoded = try ElementaryStream.decoded(path, as: "yuv420p10le").withUnsafeBytes {
            Array($0.bindMemory(to: UInt16.self))
        }
        #expect(decoded.count == 2 * width * height * 3 / 2)
        for column in 0..<width {
            #expect(abs(Int(decoded[width * 20 + column]) - column * 1023 / (width - 1)) <= 4)
        }
        for plane in 0..<2 {
            let start = width * height + plane * width * height / 4 + 10 * width / 2
            for column in 0..<(width / 2) {
                #expect(abs(Int(decoded[start + column]) - (900 - column * 20)) <= 6)
            }
        }
    }

    @Test(arguments: [PixelFormat.p010, .i010]) func stream_tenBitsForAnEightBitTrack_areReduced(format: PixelFormat)
        throws
    {
        let (directory, path, _) = try stream(settings(8), [ramp(format)])
        defer { withExtendedLifetime(directory) {} }
        #expect(try ElementaryStream.entries("pix_fmt", of: path)["pix_fmt"] == "yuv420p")
        let decoded = try ElementaryStream.decoded(path, as: "yuv420p")
        for column in 0..<width {
            #expect(abs(Int(decoded[width * 20 + column]) - column * 1023 / (width - 1) / 4) <= 2)
        }
        for plane in 0..<2 {
            let start = width * height + plane * width * height / 4 + 10 * width / 2
            for column in 0..<(width / 2) { #expect(abs(Int(decoded[start + column]) - (900 - column * 20) / 4) <= 2) }
        }
    }

    @Test(arguments: [PixelFormat.nv12, .i420, .yuyv, .i422, .gray8])
    func stream_eightBitsForATenBitTrack_areMultipliedByFour(format: PixelFormat) throws {
        let frame = SyntheticMedia.frame(9, width: width, height: height, format: format)
        let result = try EncoderFrameInput(width: width, height: height, bitDepth: 10).convert(frame)
        #expect(result.format == .i010)
        for (plane, value) in [(0, Int(SyntheticMedia.luma(9)) * 4), (1, 512), (2, 512)] {
            result.plane(plane).withMemoryRebound(to: UInt16.self) { samples in
                #expect(samples[0] == value && samples[samples.count / 2] == value)
            }
        }
        let (directory, path, _) = try stream(settings(10), [frame])
        defer { withExtendedLifetime(directory) {} }
        let decoded = try ElementaryStream.decoded(path, as: "yuv420p10le").withUnsafeBytes {
            Array($0.bindMemory(to: UInt16.self))
        }
        #expect(abs(Int(decoded[100]) - Int(SyntheticMedia.luma(9)) * 4) <= 3)
    }

    @Test func input_eightBitsToTen_isExact() throws {
        for isFullRange in [false, true] {
            let buffer = MutablePixelBuffer(
                layout: PixelLayout(format: .i420, width: 256, height: 2),
                color: ColorDescription(isFullRange: isFullRange))
            for plane in 0..<3 {
                let bytes = buffer.plane(plane)
                for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index) }
            }
            let wide = try EncoderFrameInput(width: 256, height: 2, bitDepth: 10).convert(buffer.finish())
            wide.plane(0).withMemoryRebound(to: UInt16.self) { samples in
                for value in 0..<256 {
                    // Full range: 255 is white with eight bits and 1023 with ten.
                    let expected = isFullRange ? value * 1028 / 256 : value * 4
                    #expect(Int(samples[value]) == expected)
                }
                #expect(!isFullRange || samples[255] == 1023)
            }
            wide.plane(1).withMemoryRebound(to: UInt16.self) { samples in
                for value in 0..<128 { #expect(Int(samples[value]) == value * 4) }
            }
        }
    }

    @Test func input_valuesAboveTenBits_areClamped() throws {
        let buffer = MutablePixelBuffer(layout: PixelLayout(format: .i010, width: width, height: height))
        for plane in 0..<3 { _ = buffer.plane(plane).initializeMemory(as: UInt8.self, repeating: 0xFF) }
        let converter = EncoderFrameInput(width: width, height: height, bitDepth: 10)
        let result = try converter.convert(buffer.finish())
        for plane in 0..<3 {
            result.plane(plane).withMemoryRebound(to: UInt16.self) { samples in
                #expect(samples[0] == 1023)
            }
        }
    }

    @Test func input_planesTooSmall_isRefused() throws {
        let layout = PixelLayout(
            format: .nv12, width: width, height: height,
            planes: [.init(offset: 0, bytesPerRow: 32, rows: 48), .init(offset: 1536, bytesPerRow: 32, rows: 24)])
        let frame = MutablePixelBuffer(layout: layout).finish()
        for depth in [8, 10] {
            let error = #expect(throws: MediaError.self) {
                try EncoderFrameInput(width: width, height: height, bitDepth: depth).convert(frame)
            }
            #expect(error?.code == .invalidSample)
        }
    }

    @Test(arguments: [0, 1, 3]) func stream_maximumBFrames_isKept(most: Int) throws {
        var settings = VideoSettings(width: width, height: height, maximumBFrames: most)
        settings.preset = "medium"
        let (directory, path, packets) = try stream(
            settings, (0..<40).map { _ in SyntheticMedia.frame(3, width: width, height: height) })
        defer { withExtendedLifetime(directory) {} }
        #expect(packets.count == 40)
        let result = try Probe.ask(path, "frame=pict_type")
        let types = String(result.text.filter { "IPB".contains($0) })
        #expect(types.count == 40)
        // Static frames all become B-frames where B-frames are allowed.
        let longest = types.split { $0 != "B" }.map(\.count).max() ?? 0
        #expect(longest == most, "\(types)")
    }

    @Test func stream_pixelAspectRatioAndColorTags_areStored() throws {
        var settings = VideoSettings(width: width, height: height, pixelAspectRatio: Ratio(12, 11))
        settings.profile = .main
        let frame = SyntheticMedia.frame(1, width: width, height: height)
        let cases: [(ColorDescription, range: String, String, String, String)] = [
            (.bt709, "tv", "bt709", "bt709", "bt709"),
            (.bt601, "tv", "smpte170m", "smpte170m", "smpte170m"),
            (JPEGDecoder.color, "pc", "bt709", "bt709", "smpte170m"),
            (ColorDescription(primaries: 9, transfer: 16, matrix: 9), "tv", "bt2020", "smpte2084", "bt2020nc"),
            (ColorDescription(primaries: 9, transfer: 18, matrix: 9), "tv", "bt2020", "arib-std-b67", "bt2020nc"),
        ]
        for (color, range, primaries, transfer, matrix) in cases {
            let (directory, path, _) = try stream(settings, color: color, [frame])
            let entries = try ElementaryStream.entries(
                "profile,sample_aspect_ratio,color_range,color_space,color_transfer,color_primaries", of: path)
            #expect(entries["profile"] == "Main" && entries["sample_aspect_ratio"] == "12:11")
            #expect(entries["color_range"] == range && entries["color_space"] == matrix)
            #expect(entries["color_primaries"] == primaries && entries["color_transfer"] == transfer)
            withExtendedLifetime(directory) {}
        }
    }

    // MARK: Decode times

    @Test(arguments: [1, 2, 3, 4, 60], ["veryfast", "medium"])
    func stream_decodeTimes_riseAndAreNeverAfterTheTimestamp(count: Int, preset: String) throws {
        let settings = VideoSettings(width: width, height: height, preset: preset, expectedFrameRate: 25)
        let encoder = try H264Encoder(settings: settings, color: .bt709, timeScale: 1_000_000, isRealTime: false)
        var time: Int64 = 5_000_000
        var times: [Int64] = []
        var packets: [SampleBuffer] = []
        for random in SyntheticMedia.noise(count, seed: UInt64(count)) {
            times.append(time)
            // Repeating one frame makes B-frames; its times are irregular.
            try encoder.encode(
                SyntheticMedia.frame(3, width: width, height: height),
                at: MediaTime(value: time, timescale: 1_000_000)
            ) { packets.append($0) }
            time += 10_000 + Int64(random) * 500
        }
        try encoder.finish { packets.append($0) }
        let decode = packets.compactMap { $0.decodeTime?.value }
        #expect(decode.count == count && packets.map(\.presentationTime.value).sorted() == times)
        #expect(zip(decode, decode.dropFirst()).allSatisfy { $0 < $1 })
        #expect(packets.allSatisfy { $0.decodeTime! <= $0.presentationTime })
        let reorders = packets.map(\.presentationTime) != packets.map(\.presentationTime).sorted()
        if count >= 60 { #expect(reorders) }
        // Decoding begins before the first frame is shown, by the number of reordered frames, one or two.
        if reorders {
            #expect(decode[0] == times[0] - (times[1] - times[0]) || decode[0] == times[0] - (times[2] - times[0]))
        }
    }
}
