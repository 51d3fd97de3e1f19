import Foundation
import MediaTypes
import MovieCommands
import TestSupport
import Testing

/// Interlaced H.264 whose frames are coded as two separate fields. libavformat makes a packet of each field, so a movie
/// that FFmpeg copies has two samples for each frame.
@Suite(.timeLimit(.minutes(10))) struct SingleFieldsTests {
    private static let frames = 25

    private let directory: TemporaryDirectory
    private let stream: URL

    init() throws {
        directory = try TemporaryDirectory()
        let elementary = directory.file("fields.h264")
        try Data(SingleFields.stream(frames: Self.frames)).write(to: elementary)
        stream = directory.file("fields.ts")
        try Self.copy(elementary, to: stream, "-fflags", "+genpts", "-r", "50")
    }

    private static func copy(_ source: URL, to target: URL, _ options: String...) throws {
        let result = try TestSupport.Command.run(
            ["ffmpeg", "-v", "error", "-y"] + options + ["-i", source.path, "-c", "copy", target.path])
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test func verify_fieldsAsSamples_isOk() async throws {
        let movie = directory.file("fields.mp4")
        try Self.copy(stream, to: movie)
        let check = try await MovieChecker().verify(movie)
        #expect(check.verdict == .ok && check.problems.isEmpty, "\(check.text)")
        #expect(check.frames == Int64(Self.frames))
        #expect(check.tracks.first?.listed == Int64(2 * Self.frames))
    }

    @Test func compare_reencodedFields_isTheSame() async throws {
        var request = ReencodeRequest(inputs: [stream])
        request.output = directory.file("copy.mp4")
        _ = try await Reencoder(request).run()
        let comparison = try await MovieComparer().compare(directory.file("copy.mp4"), against: stream)
        #expect(comparison.isSame, "\(comparison.text)")
        let video = try #require(comparison.tracks.first)
        #expect(video.frames == Int64(Self.frames) && video.sourceFrames == Int64(Self.frames))
    }
}

/// A stream of single fields with uncompressed macroblocks (I_PCM; ITU-T H.264, 7.3.5). FFmpeg's encoders make none.
private enum SingleFields {
    private static let (width, height) = (64, 64)
    /// Frames from one IDR picture to the next.
    private static let group = 12

    static func stream(frames: Int) -> [UInt8] {
        var stream: [UInt8] = []
        for frame in 0..<frames {
            let isIDR = frame % group == 0
            stream += delimiter
            if isIDR { stream += sequence + parameters }
            stream += field(frame, isBottom: false, isIDR: isIDR) + delimiter
            stream += field(frame, isBottom: true, isIDR: false)
        }
        return stream
    }

    private static let delimiter = unit(0x09, [0x10])

    private static let sequence: [UInt8] = {
        var bits = Bits()
        for byte in [77, 0, 30] as [UInt32] { bits.number(byte, 8) }
        // The numbers of frames and their order have eight bits; two reference frames.
        for value in [0, 4, 0, 4, 2] as [UInt32] { bits.golomb(value) }
        bits.number(0, 1)
        bits.golomb(UInt32(width / 16 - 1))
        bits.golomb(UInt32(height / 32 - 1))
        // Fields, no adaptive fields, direct prediction, no cropping; only the field rate in the VUI.
        bits.number(0b0010_1000_01, 10)
        bits.number(1, 32)
        bits.number(50, 32)
        bits.number(0b1_0000, 5)
        bits.end()
        return unit(0x67, bits.bytes)
    }()

    private static let parameters: [UInt8] = {
        var bits = Bits()
        for _ in 0..<2 { bits.golomb(0) }
        bits.number(0, 2)
        for _ in 0..<3 { bits.golomb(0) }
        bits.number(0, 3)
        for _ in 0..<3 { bits.golomb(0) }
        bits.number(0b100, 3)
        bits.end()
        return unit(0x68, bits.bytes)
    }()

    private static func field(_ frame: Int, isBottom: Bool, isIDR: Bool) -> [UInt8] {
        var bits = Bits()
        let number = frame % group
        for value in [0, 2, 0] as [UInt32] { bits.golomb(value) }
        bits.number(UInt32(number), 8)
        bits.number(isBottom ? 3 : 2, 2)
        if isIDR { bits.golomb(0) }
        bits.number(UInt32(2 * number + (isBottom ? 1 : 0)), 8)
        bits.number(0, isIDR ? 2 : 1)
        // The quantizer's difference; no deblocking.
        bits.golomb(0)
        bits.golomb(1)
        // A bar that moves with every field.
        let bar = (4 * frame + (isBottom ? 2 : 0)) % 48
        for macroblock in 0..<(width / 16 * height / 32) {
            bits.golomb(25)
            bits.align()
            let left = macroblock % (width / 16) * 16
            for sample in 0..<256 {
                let column = left + sample % 16
                bits.number((bar..<(bar + 16)).contains(column) ? 200 : 60, 8)
            }
            for _ in 0..<128 { bits.number(128, 8) }
        }
        bits.end()
        return unit(isIDR ? 0x65 : 0x61, bits.bytes)
    }

    /// Returns a NAL unit after its start code, with emulation prevention bytes.
    private static func unit(_ head: UInt8, _ payload: [UInt8]) -> [UInt8] {
        var (bytes, zeros): ([UInt8], Int) = ([0, 0, 0, 1, head], 0)
        for byte in payload {
            if zeros >= 2, byte <= 3 {
                bytes.append(3)
                zeros = 0
            }
            bytes.append(byte)
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return bytes
    }

    private struct Bits {
        private(set) var bytes: [UInt8] = []
        private var count = 0

        mutating func number(_ value: UInt32, _ length: Int) {
            for index in (0..<length).reversed() {
                if count % 8 == 0 { bytes.append(0) }
                if value >> UInt32(index) & 1 == 1 { bytes[count / 8] |= 0x80 >> UInt8(count % 8) }
                count += 1
            }
        }

        mutating func golomb(_ value: UInt32) {
            let length = 32 - (value + 1).leadingZeroBitCount
            number(0, length - 1)
            number(value + 1, length)
        }

        mutating func align() { while count % 8 != 0 { number(0, 1) } }

        mutating func end() {
            number(1, 1)
            align()
        }
    }
}
