import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

@Suite struct AtomTests {
    private func nested(_ depth: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<depth {
            bytes = AtomWriter.build("moov") { [bytes] in $0.raw(bytes) }
        }
        return bytes
    }

    @Test func writer_numbers_areBigEndian() {
        var writer = AtomWriter()
        writer.u8(1)
        writer.u16(0x0203)
        writer.u24(0x04_0506)
        writer.u32(0x0708_090A)
        writer.s32(-2)
        writer.u64(0x0102_0304_0506_0708)
        #expect(writer.bytes == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 255, 255, 255, 254, 1, 2, 3, 4, 5, 6, 7, 8])
    }

    @Test func writer_atomLength_coversHeaderAndBody() {
        var writer = AtomWriter()
        writer.u8(9)
        writer.atom("free") { $0.atom("wide") { $0.u16(7) } }
        let parts: [[UInt8]] = [[9, 0, 0, 0, 18], Array("free".utf8), [0, 0, 0, 10], Array("wide".utf8), [0, 7]]
        #expect(writer.bytes == Array(parts.joined()))
    }

    @Test func writer_fullAtom_beginsWithVersionAndFlags() {
        var writer = AtomWriter()
        writer.fullAtom("tkhd", version: 1, flags: 0x01_0203) { $0.u8(4) }
        #expect(Array(writer.bytes.dropFirst(8)) == [1, 1, 2, 3, 4])
    }

    @Test(arguments: [(1.0, 65536), (-1.5, -98304), (1e9, .max), (-1e9, .min), (32768, .max)] as [(Double, Int32)])
    func writer_fixedPointOutOfRange_saturates(value: Double, expected: Int32) {
        var writer = AtomWriter()
        writer.fixed(value)
        var reader = ByteReader(writer.bytes)
        #expect(reader.s32() == expected)
    }

    @Test func atom_headerOfARecording_isWrittenUnchanged() throws {
        let recording = try Recording.short.bytes()
        let start = 28
        let size = recording[start..<(start + 4)].reduce(0) { $0 << 8 | Int($1) }
        let header = Array(recording[start..<(start + size)])
        let atom = try #require(Atom(parsing: header))
        var writer = AtomWriter()
        atom.write(into: &writer)
        #expect(writer.bytes == header)
        #expect(atom.all("trak").count == 2 && atom.find("trak", "mdia", "minf", "stbl", "stsd") != nil)
    }

    @Test func atom_children_areReplacedAddedAndRemoved() {
        var atom = Atom("moov", children: [Atom("mvhd", bytes: [1]), Atom("trak", children: [])])
        atom["mvhd"] = Atom("mvhd", bytes: [2])
        atom["udta"] = Atom("udta", bytes: [3])
        atom["trak"] = nil
        #expect(atom.children.map(\.type) == ["mvhd", "udta"] && atom["mvhd"]?.payload == [2])
    }

    @Test func atom_deepNesting_isRefused() {
        #expect(Atom(parsing: nested(7)) != nil)
        #expect(Atom(parsing: nested(9)) == nil)
        #expect(Atom(parsing: nested(5000)) == nil)
    }

    @Test func atom_tooManyChildren_isRefused() {
        let atom = AtomWriter.build("free") { _ in }
        func header(_ count: Int) -> [UInt8] {
            AtomWriter.build("moov") { moov in for _ in 0..<count { moov.raw(atom) } }
        }
        #expect(Atom(parsing: header(10_000)) != nil && Atom(parsing: header(70_000)) == nil)
    }

    @Test(
        arguments: [
            [0, 0, 0, 7], [0, 0, 0, 0], [0, 0, 0, 1], [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 200], [0x80, 0, 0, 8],
        ] as [[UInt8]])
    func atom_wrongLength_isRefused(length: [UInt8]) {
        #expect(Atom(parsing: length + Array("moov".utf8) + [0, 0, 0, 8] + Array("trak".utf8)) == nil)
        let inner = length + Array("trak".utf8)
        #expect(Atom(parsing: AtomWriter.build("moov") { $0.raw(inner) }) == nil)
    }

    @Test func atom_truncatedAnywhere_isRefused() throws {
        let bytes = AtomWriter.build("moov") { moov in
            moov.atom("mvhd") { $0.zeros(12) }
            moov.atom("trak") { trak in trak.atom("tkhd") { $0.zeros(5) } }
        }
        #expect(Atom(parsing: bytes) != nil)
        for count in 0..<bytes.count { #expect(Atom(parsing: bytes[..<count]) == nil) }
    }

    @Test func atom_fourZeroBytesAtTheEnd_areIgnored() {
        #expect(
            Atom(
                parsing: AtomWriter.build("moov") {
                    $0.atom("mvhd") { _ in }
                    $0.u32(0)
                })?.children.count == 1)
    }

    @Test func readers_noise_neverCrash() {
        for seed in 1...300 as ClosedRange<UInt64> {
            let noise = SyntheticNoise.bytes(200, seed: seed)
            for type in ["moov", "moof", "traf"] as [FourCharCode] {
                let bytes = AtomWriter.build(type) { $0.raw(noise) }
                if let atom = Atom(parsing: bytes) { #expect(atom.type == type, "seed \(seed)") }
                let tracks = FragmentReader.tracks(inMovieFragment: bytes)
                #expect(type == "moof" || tracks == nil, "seed \(seed)")
            }
            // An entry has at least twelve bytes.
            if let list = EditList(payload: noise) { #expect(list.entries.count <= noise.count / 12, "seed \(seed)") }
            _ = MovieMetadata.read(noise)
        }
    }
}
