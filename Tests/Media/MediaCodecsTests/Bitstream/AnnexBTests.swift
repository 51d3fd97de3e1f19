import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

extension AnnexBConverter.Frame {
    fileprivate var bytes: [UInt8] { Array(data.bytes) }
}

@Suite struct AnnexBTests {
    private let parameterSets: [UInt8] = [0, 0, 0, 1, 0x67, 66, 0, 30, 0x80, 0, 0, 1, 0x68, 0xC0]

    private func convert(_ converter: inout AnnexBConverter, _ bytes: [UInt8]) -> AnnexBConverter.Frame? {
        bytes.withUnsafeBytes { converter.convert($0) }
    }

    @Test func converter_startCodes_becomeLengths() {
        var converter = AnnexBConverter()
        let frame = convert(&converter, parameterSets + [0, 0, 0, 1, 0x65, 1, 2, 0, 0, 1, 0x41, 9])
        #expect(frame?.bytes == [0, 0, 0, 3, 0x65, 1, 2, 0, 0, 0, 2, 0x41, 9] && frame?.isKeyframe == true)
        #expect(
            converter.decoderConfiguration == [
                1, 66, 0, 30, 0xFF, 0xE1, 0, 5, 0x67, 66, 0, 30, 0x80, 1, 0, 2, 0x68, 0xC0,
            ])
    }

    @Test func converter_delimitersParameterSetsAndZeros_areOmitted() {
        var converter = AnnexBConverter()
        let frame = convert(&converter, [0, 0, 1, 9, 0xF0] + parameterSets + [0, 0, 1, 0x41, 7, 0, 0, 0, 0])
        #expect(frame?.bytes == [0, 0, 0, 2, 0x41, 7] && frame?.isKeyframe == false)
    }

    @Test func converter_noFrame_returnsNil() {
        var converter = AnnexBConverter()
        #expect(convert(&converter, parameterSets) == nil && !converter.decoderConfiguration.isEmpty)
        #expect(convert(&converter, []) == nil && convert(&converter, [0, 0, 1]) == nil)
        #expect(convert(&converter, [0x65, 1, 2, 3]) == nil && convert(&converter, [0, 0, 1, 0, 0, 1]) == nil)
    }

    @Test func converter_missingParameterSet_hasNoConfiguration() {
        var converter = AnnexBConverter()
        #expect(converter.decoderConfiguration.isEmpty)
        _ = convert(&converter, [0, 0, 1, 0x67, 66, 0, 30, 0x80])
        #expect(converter.decoderConfiguration.isEmpty)
    }

    @Test func configuration_severalPictureParameterSets_keepsEachByItsNumber() {
        var configuration = AVCConfiguration()
        let units: [[UInt8]] = [
            [0x67, 66, 0, 30], [0x68, 0b1000_0000], [0x68, 0b0100_0000], [0x68, 0b1100_0000],  // 0, 1, 0 again
        ]
        for unit in units { unit.withUnsafeBytes { configuration.take($0) } }
        #expect(Array(configuration.bytes.suffix(9)) == [2, 0, 2, 0x68, 0b1100_0000, 0, 2, 0x68, 0b0100_0000])
    }

    /// The same stream as FFmpeg's own muxer stores it: open GOPs, in which CRA pictures are keyframes.
    @Test func converter_HEVC_makesThePacketsOfAMovie() throws {
        let place = try TemporaryDirectory()
        let movie = try MadeFile.of(
            [
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=2", "-pix_fmt", "yuv420p",
                "-c:v", "libx265", "-x265-params", "log-level=none:open-gop=1:keyint=12:bframes=3", "-tag:v", "hvc1",
            ], ending: "mp4")
        let units = place.path("frame%02d.bin")
        let split = try Command.run(
            "ffmpeg", "-v", "error", "-i", movie.path, "-map", "0:v:0", "-c", "copy", "-bsf:v",
            "hevc_mp4toannexb", "-f", "image2", units)
        try #require(split.status == 0, "\(split.errors)")
        let packets = try Probe.ask(movie.path, "packet=flags", of: "v:0").text.split(separator: "\n")
        try #require(place.names.count == packets.count && packets.count == 50)
        var converter = AnnexBConverter(.hevc)
        for (name, flags) in zip(place.names, packets) {
            let bytes = [UInt8](try Data(contentsOf: place.file(name)))
            let converted = convert(&converter, bytes)
            let frame = try #require(converted, "\(name)")
            #expect(frame.isKeyframe == flags.contains("K"), "\(name)")
            let types = unitTypes(frame.bytes)
            #expect(!types.isEmpty && types.allSatisfy { !(32...35).contains($0) }, "\(name): \(types)")
        }
        #expect(converter.frameSize.map { $0.width == 96 && $0.height == 64 } == true)
        #expect(CodecParameter.hevc("hvc1", converter.decoderConfiguration)?.hasPrefix("hvc1.1.6.L") == true)
    }

    /// Returns the types of the units of an HEVC frame, each after its length; empty if a length is wrong.
    private func unitTypes(_ bytes: [UInt8]) -> [UInt8] {
        var (types, place): ([UInt8], Int) = ([], 0)
        while place + 4 < bytes.count {
            types.append(bytes[place + 4] >> 1 & 0x3F)
            place += 4 + bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        return place == bytes.count ? types : []
    }

    @Test func converter_HEVCWithoutAFrame_returnsNil() {
        var converter = AnnexBConverter(.hevc)
        #expect(convert(&converter, [0, 0, 1, 0x46, 1, 0x50]) == nil)
        #expect(convert(&converter, [0, 0, 1, 0x26]) == nil && convert(&converter, [0x26, 1, 0x80]) == nil)
        #expect(converter.decoderConfiguration.isEmpty)
    }

    /// The chroma format and depth that ffmpeg's own muxer writes for the same stream.
    @Test(arguments: [("yuv420p", 1, 0), ("yuv422p", 2, 0), ("yuv444p", 3, 0), ("yuv420p10le", 1, 2)])
    func configuration_chromaAndBitDepth_areThoseOfTheStream(pixelFormat: String, chroma: UInt8, depth: UInt8) throws {
        let stream = try Command.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:d=0.1", "-pix_fmt", pixelFormat, "-c:v",
            "libx264", "-f", "h264", "-")
        #expect(stream.status == 0)
        var converter = AnnexBConverter()
        _ = convert(&converter, [UInt8](stream.output))
        let expected: [UInt8] = [0xFC | chroma, 0xF8 | depth, 0xF8 | depth, 0]
        #expect(Array(converter.decoderConfiguration.suffix(4)) == expected)
    }

    /// Returns true if the bytes are units after their lengths, and none is a parameter set.
    private func areUnits(_ bytes: [UInt8]) -> Bool {
        var place = 0
        while place + 4 < bytes.count {
            let length = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            let type = bytes[place + 4] & 0x1F
            guard length > 0, type != 7, type != 8 else { return false }
            place += 4 + length
        }
        return place == bytes.count
    }

    @Test func converter_noise_makesWellFormedFrames() {
        var converter = AnnexBConverter()
        var count = 0
        for seed in 1...200 as ClosedRange<UInt64> {
            let noise: [UInt8] = SyntheticMedia.noise(300, seed: seed).map {
                $0 < 120 ? 0 : $0 < 160 ? 1 : $0 < 200 ? 0x67 : $0 < 220 ? 0x68 : $0
            }
            // Without the start code, most of the noise is refused at once.
            for bytes in [noise, [0, 0, 1] + noise] {
                if let frame = convert(&converter, bytes) {
                    count += 1
                    #expect(areUnits(frame.bytes), "seed \(seed)")
                }
                let configuration = converter.decoderConfiguration
                #expect(configuration.isEmpty || configuration[0] == 1, "seed \(seed)")
            }
        }
        #expect(count > 0)
    }
}

@Suite struct AnnexBKeyframeTests {
    private func isKey(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { AnnexB.startsWithKeyframe($0) } }

    @Test func startsWithKeyframe_idrFrame_isTrue() {
        #expect(isKey([0, 0, 0, 1, 0x67, 0x42, 0, 0, 0, 1, 0x68, 0xCE, 0, 0, 0, 1, 0x65, 0x88]))
        #expect(isKey([0, 0, 1, 0x65, 0x88]))
    }

    @Test func startsWithKeyframe_randomAccessPointOfHEVC_isTrue() {
        func isKey(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { AnnexB.startsWithKeyframe($0, of: .hevc) } }
        // IDR_W_RADL after a parameter set; CRA_NUT.
        #expect(isKey([0, 0, 0, 1, 0x42, 1, 1, 0, 0, 1, 0x26, 1, 0x80]) && isKey([0, 0, 1, 0x2A, 1, 0x80]))
        // TRAIL_R before an IDR picture; RASL_N; nothing.
        #expect(!isKey([0, 0, 1, 0x02, 1, 0x80, 0, 0, 1, 0x26, 1]) && !isKey([0, 0, 1, 0x10, 1, 0x80]) && !isKey([]))
    }

    @Test func startsWithKeyframe_otherUnits_isFalse() {
        #expect(!isKey([0, 0, 0, 1, 0x41, 0x9A, 0, 0, 1, 0x65]))
        #expect(!isKey([0, 0, 0, 1, 0x67, 0x42, 0, 0]))
        #expect(!isKey([]))
        #expect(!isKey([0, 0, 1]))
    }
}

@Suite struct RefreshFrameTests {
    private func starts(_ bytes: [UInt8], lengthSize: UInt8? = 4) -> Bool {
        let configuration: [UInt8] = lengthSize.map { [1, 0x42, 0, 0x1E, 0xFC | ($0 - 1), 0xE1] } ?? []
        return bytes.withUnsafeBytes { RefreshFrame.starts($0, configuration: configuration) }
    }

    @Test func starts_refreshAfterOtherUnits_isTrue() {
        #expect(starts([0, 0, 0, 2, 9, 0xF0, 0, 0, 0, 2, 0x65, 0x88]))
        #expect(starts([0, 2, 6, 1, 0, 2, 0x65, 0x88], lengthSize: 2))
        #expect(starts([0, 0, 1, 9, 0xF0, 0, 0, 1, 0x65, 0x88], lengthSize: nil))
    }

    @Test func starts_keyframeOfAnOpenGOP_isFalse() {
        #expect(!starts([0, 0, 0, 2, 6, 6, 0, 0, 0, 2, 0x61, 0x88, 0, 0, 0, 2, 0x65, 0x88]))
    }

    @Test func starts_invalidLengths_isFalse() {
        for bytes: [UInt8] in [
            [], [0, 0, 0, 2], [0, 0, 0, 0, 6], [0xFF, 0xFF, 0xFF, 0xFF, 6, 1], [0, 0, 0, 9, 6, 1],
        ] {
            #expect(!starts(bytes), "\(bytes)")
        }
    }

    @Test func startsHEVC_firstFrame_decides() {
        func starts(_ bytes: [UInt8], lengthSize: UInt8 = 4) -> Bool {
            var configuration = [UInt8](repeating: 0, count: 23)
            (configuration[0], configuration[21]) = (1, 0x0C | (lengthSize - 1))
            return bytes.withUnsafeBytes { RefreshFrame.startsHEVC($0, configuration: configuration) }
        }
        // IDR_W_RADL after a message; CRA_NUT.
        #expect(starts([0, 0, 0, 3, 0x4E, 1, 5, 0, 0, 0, 2, 0x26, 1]))
        #expect(starts([0, 2, 0x2A, 1], lengthSize: 2))
        // TRAIL_R before an IDR_W_RADL.
        #expect(!starts([0, 0, 0, 2, 0x02, 1, 0, 0, 0, 2, 0x26, 1]))
        for bytes: [UInt8] in [[], [0, 0, 0, 2], [0, 0, 0, 0, 0x4E], [0xFF, 0xFF, 0xFF, 0xFF, 0x4E, 1]] {
            #expect(!starts(bytes), "\(bytes)")
        }
    }
}
