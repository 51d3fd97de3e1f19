import MediaTypes
import MovieFile
import NIOCore
import TestSupport
import Testing

@testable import WebService

/// Splits a recorder's stream at its atoms, however it was divided in transit.
@Suite struct FragmentSplitterTests {
    private static func atom(_ code: String, _ body: [UInt8] = []) -> [UInt8] {
        var bytes: [UInt8] = withUnsafeBytes(of: UInt32(8 + body.count).bigEndian) { Array($0) }
        bytes += Array(code.utf8) + body
        return bytes
    }

    /// Returns a fragment as `StreamLayout` writes it: the track's header contains the flags of all samples.
    private static func fragment(track: UInt8, flags: UInt8) -> [UInt8] {
        let header = atom("tfhd", [0, 2, 0, 0x20, 0, 0, 0, track, flags == 0 ? 2 : 1, flags, 0, 0])
        let run = atom("trun", [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0])
        return atom("moof", atom("traf", header + run)) + atom("mdat", [track, flags])
    }

    private static let head =
        atom("ftyp", Array("mp42".utf8))
        + atom("moov", atom("avcC", [1, 0x64, 0, 0x1F]) + atom("mp4a") + atom("esds", Array(repeating: 0, count: 4)))

    private static func feed(_ bytes: [UInt8], by count: Int) throws -> [FragmentSplitter.Piece] {
        var splitter = FragmentSplitter()
        var pieces: [FragmentSplitter.Piece] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            pieces += try splitter.feed(ByteBuffer(bytes: rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return pieces
    }

    @Test(arguments: [1, 7, 4096]) func pieces_anyDivision_areTheSame(count: Int) throws {
        let key = Self.atom("prft", [1]) + Self.fragment(track: 1, flags: 0)
        let (other, audioPacket) = (Self.fragment(track: 1, flags: 1), Self.fragment(track: 2, flags: 0))
        let pieces = try Self.feed(Self.head + key + Self.atom("free") + other + audioPacket, by: count)
        #expect(
            pieces == [
                .head(ByteBuffer(bytes: Self.head), codecs: "avc1.64001f, mp4a.40.2"),
                .media(ByteBuffer(bytes: key), isKey: true), .media(ByteBuffer(bytes: other), isKey: false),
                // If there is video, playback cannot begin with audio alone.
                .media(ByteBuffer(bytes: audioPacket), isKey: false),
            ])
    }

    @Test func pieces_ofHEVC_haveItsCodecAndItsKeyframes() throws {
        // The record of x265 without its parameter sets.
        let record: [UInt8] =
            [1, 1, 0x60, 0, 0, 0, 0x90, 0, 0, 0, 0, 0, 60] + [0xF0, 0, 0xFC, 0xFD, 0xF8, 0xF8, 0, 0, 0x0F, 0]
        let format = FormatDescription.video(
            VideoFormat(codec: .hevc, width: 320, height: 192, decoderConfiguration: record))
        var layout = StreamLayout([format], start: .zero)
        let head = layout.header()
        var fragments: [[UInt8]] = []
        for number in 0..<3 {
            let packet = SampleBuffer(
                format: format, content: .data(MediaData([0, 0, 0, 1, 0x26])),
                presentationTime: MediaTime(value: Int64(number), timescale: 25), isKeyframe: number != 1)
            let fragment = layout.fragment(packet)
            fragments.append(try #require(fragment))
        }
        let pieces = try Self.feed(head + fragments.joined(), by: 50)
        #expect(
            pieces == [
                .head(ByteBuffer(bytes: head), codecs: "hvc1.1.6.L60.90"),
                .media(ByteBuffer(bytes: fragments[0]), isKey: true),
                .media(ByteBuffer(bytes: fragments[1]), isKey: false),
                .media(ByteBuffer(bytes: fragments[2]), isKey: true),
            ])
        #expect(layout.codecs == "hvc1.1.6.L60.90")
    }

    @Test func pieces_av1_haveItsParameterAndKeys() throws {
        let format = FormatDescription.video(
            VideoFormat(codec: .av1, width: 320, height: 192, decoderConfiguration: [0x81, 0x01, 0x0C, 0]))
        var layout = StreamLayout([format], start: .zero)
        let head = layout.header()
        var fragments: [[UInt8]] = []
        for number in 0..<2 {
            let packet = SampleBuffer(
                format: format, content: .data(MediaData([0x32, 0])),
                presentationTime: MediaTime(value: Int64(number), timescale: 25), isKeyframe: number == 0)
            let fragment = layout.fragment(packet)
            fragments.append(try #require(fragment))
        }
        let pieces = try Self.feed(head + fragments.joined(), by: 50)
        #expect(
            pieces == [
                .head(ByteBuffer(bytes: head), codecs: "av01.0.01M.08"),
                .media(ByteBuffer(bytes: fragments[0]), isKey: true),
                .media(ByteBuffer(bytes: fragments[1]), isKey: false),
            ])
        #expect(layout.codecs == "av01.0.01M.08")
    }

    @Test func pieces_audioOnly_areAllKeys() throws {
        let head = Self.atom("ftyp") + Self.atom("moov", Self.atom("mp4a"))
        let pieces = try Self.feed(head + Self.fragment(track: 1, flags: 0), by: 100)
        #expect(pieces.last == .media(ByteBuffer(bytes: Self.fragment(track: 1, flags: 0)), isKey: true))
    }

    @Test(
        arguments: [[0, 0, 0, 1, 0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0], [0, 0, 0, 0, 1, 2, 3, 4]]
            as [[UInt8]])
    func feed_notAStream_isRefused(bytes: [UInt8]) {
        #expect(throws: FragmentSplitter.Nonsense.self) { try Self.feed(bytes, by: 8) }
    }

    /// A damaged fragment header causes no crash, and playback does not begin there.
    @Test func feed_damagedFragmentHeader_doesNotCrash() throws {
        let bytes = Self.head + Self.atom("moof", [1, 2, 3]) + Self.atom("mdat")
        #expect(try Self.feed(bytes, by: 5).count == 2)
        let short = Self.head + Self.atom("moof", Self.atom("tfhd", [0, 0])) + Self.atom("mdat")
        #expect(try Self.feed(short, by: 500).count == 2)
    }
}
