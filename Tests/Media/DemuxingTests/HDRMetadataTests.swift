import MediaTypes
import Testing

@testable import Demuxing

/// Tests of the display and light metadata in streams, including damaged ones.
@Suite struct HDRMetadataTests {
    private static let display = MasteringDisplay(
        red: .init(x: 35_400, y: 14_600), green: .init(x: 8_500, y: 39_850), blue: .init(x: 6_550, y: 2_300),
        whitePoint: .init(x: 15_635, y: 16_450), maximumLuminance: 10_000_000, minimumLuminance: 50)
    private static let light = ContentLightLevel(maximum: 987, maximumAverage: 321)

    private static func big(_ values: [UInt16]) -> [UInt8] { values.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } }

    /// Adds emulation prevention bytes: no start code appears within the unit.
    private static func guarded(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var zeros = 0
        for byte in bytes {
            if zeros == 2, byte < 4 {
                result.append(3)
                zeros = 0
            }
            zeros = byte == 0 ? zeros + 1 : 0
            result.append(byte)
        }
        return result
    }

    /// A unit with one message of each kind, after one of another kind.
    private static func unit(_ head: [UInt8]) -> [UInt8] {
        let places = big([8_500, 39_850, 6_550, 2_300, 35_400, 14_600, 15_635, 16_450])
        let parts: [[UInt8]] = [
            [5, 3, 1, 2, 3, 137, 24], places, [0, 0x98, 0x96, 0x80, 0, 0, 0, 50], [144, 4], big([987, 321]), [0x80],
        ]
        return head + guarded(Array(parts.joined()))
    }

    private static let hevc = unit([39 << 1, 1])
    private static let h264 = unit([6])

    private func found(_ messages: HDRMetadata?) -> Bool {
        messages?.display == Self.display && messages?.light == Self.light
    }

    private func read(_ codec: VideoCodec, _ configuration: [UInt8], _ packet: [UInt8]) -> HDRMetadata? {
        var messages = HDRMetadata(codec, configuration: configuration)
        packet.withUnsafeBytes { messages?.read($0) }
        return messages
    }

    private static func record(lengthSize: UInt8, sets: [[UInt8]]) -> [UInt8] {
        var record = [UInt8](repeating: 0, count: 22)
        (record[0], record[21]) = (1, lengthSize - 1)
        record.append(UInt8(sets.count))
        for set in sets { record += [39, 0, 1, UInt8(set.count >> 8), UInt8(set.count & 0xFF)] + set }
        return record
    }

    @Test func read_hevcMessages_areFoundAfterLengthsAndStartCodes() {
        let other: [UInt8] = [35 << 1, 1, 0x50]
        let frame: [UInt8] = [19 << 1, 1, 9, 9, 9]
        for size in [1, 2, 4] {
            var packet: [UInt8] = []
            for unit in [other, Self.hevc, frame] {
                packet += [UInt8](repeating: 0, count: size - 1) + [UInt8(unit.count)] + unit
            }
            #expect(found(read(.hevc, Self.record(lengthSize: UInt8(size), sets: []), packet)))
        }
        let parts: [[UInt8]] = [[0, 0, 0, 1], other, [0, 0, 1], Self.hevc, [0, 0, 1], frame]
        let codes = Array(parts.joined())
        #expect(found(read(.hevc, [], codes)))
        #expect(found(read(.hevc, codes, [])))
        #expect(found(read(.hevc, Self.record(lengthSize: 4, sets: [[32 << 1, 1], Self.hevc]), [])))
    }

    @Test func read_h264Messages_areFoundAfterLengthsAndStartCodes() {
        let record: [UInt8] = [1, 100, 0, 30, 0xFF, 0xE1, 0, 0]
        #expect(found(read(.h264, record, [0, 0, 0, UInt8(Self.h264.count)] + Self.h264)))
        #expect(found(read(.h264, [], [0, 0, 0, 1, 9, 16, 0, 0, 1] + Self.h264)))
        #expect(!found(read(.h264, record, [0, 0, 0, 1] + Self.h264)))
    }

    @Test func read_av1Metadata_isFound() {
        func part(_ value: UInt16) -> UInt16 { UInt16((Double(value) * 65_536 / 50_000).rounded()) }
        let places = Self.big([35_400, 14_600, 8_500, 39_850, 6_550, 2_300, 15_635, 16_450].map(part))
        // 1000 with 8 bits of fraction, 0.005 with 14.
        let display: [UInt8] = [2] + places + [0, 3, 0xE8, 0, 0, 0, 0, 82, 0x80]
        let light: [UInt8] = [1] + Self.big([987, 321]) + [0x80]
        let units: [[UInt8]] = [
            [0x12, 0], [0x0A, 2, 0, 0], [0x2A, UInt8(display.count)], display, [0x2A, UInt8(light.count)], light,
            [0x32, 1, 7],
        ]
        let stream = Array(units.joined())
        #expect(found(read(.av1, [], stream)))
        #expect(found(read(.av1, [0x81, 0, 0, 0] + stream, [])))
    }

    @Test func init_otherCodec_returnsNil() {
        #expect(HDRMetadata(.vp9, configuration: []) == nil && HDRMetadata(.proRes, configuration: []) == nil)
    }

    /// Truncated or altered input has a result, and never crashes the reader.
    @Test(arguments: [VideoCodec.hevc, .h264, .av1]) func read_damagedStream_returnsAResult(_ codec: VideoCodec) {
        let start: [UInt8] = codec == .av1 ? [0x2A, 26, 2] : [0, 0, 1]
        let whole = start + (codec == .h264 ? Self.h264 : Self.hevc)
        // In AV1 the bytes have the header of metadata, and other content.
        #expect(found(read(codec, [], whole)) == (codec != .av1))
        for length in 0...whole.count {
            let (start, rest) = (Array(whole.prefix(length)), Array(whole.dropFirst(length)))
            #expect(read(codec, [], start) != nil && read(codec, start, rest) != nil, "\(length) bytes")
        }
        var seed: UInt64 = 7
        func random() -> UInt8 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: seed >> 33)
        }
        for number in 0..<2000 {
            var bytes = whole
            for _ in 0..<3 { bytes[Int(random()) % bytes.count] = random() }
            let record = (0..<Int(random()) % 64).map { index in index == 0 ? 1 : random() }
            #expect(read(codec, record, bytes) != nil && read(codec, bytes, record) != nil, "round \(number)")
        }
    }
}
