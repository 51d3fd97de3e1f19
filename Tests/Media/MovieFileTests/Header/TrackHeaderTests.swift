import MediaTypes
import Testing

@testable import MovieFile

/// Tests of the leading header's content for each property of a track, byte by byte.
@Suite struct TrackHeaderTests {
    private let frame = FormatDescription.video(
        VideoFormat(codec: .h264, width: 720, height: 576, pixelAspectRatio: Ratio(16, 11)))
    private let audio = FormatDescription.audio(AudioFormat(codec: .aac, sampleRate: 48_000, channelCount: 2))

    private func track(_ id: UInt32, _ format: FormatDescription) -> MovieTrack {
        MovieTrack(id: id, mediaType: format.mediaType, format: format, timeScale: 1000)
    }

    private func header(_ tracks: [MovieTrack], dialect: MovieDialect = .quickTime) throws -> Atom {
        var writer = AtomWriter()
        MovieHeader(dialect: dialect, timeScale: 600, creationTime: 0, metadata: [], tracks: tracks.map { ($0, 0) })
            .write(into: &writer)
        return try #require(Atom(parsing: writer.bytes))
    }

    /// The 32-bit numbers from `offset` of the payload on.
    private func words(_ atom: Atom?, from offset: Int, count: Int) throws -> [UInt32] {
        var reader = ByteReader(try #require(atom).payload)
        guard reader.skip(offset) else { return [] }
        return (0..<count).compactMap { _ in reader.u32() }
    }

    private func trackHeader(_ track: MovieTrack) throws -> Atom? { try header([track]).find("trak", "tkhd") }

    @Test func trackHeader_matrix_isStored() throws {
        var one = track(1, frame)
        one.matrix = [0, -1, 0.25, 1.5, 0, 0, -10, 20.5, 1]
        #expect(
            try words(trackHeader(one), from: 52, count: 9) == [
                0, 0xFFFF_0000, 0x1000_0000, 0x18000, 0, 0, 0xFFF6_0000, 0x14_8000, 0x4000_0000,
            ])
    }

    @Test func trackHeader_invalidMatrix_isTheIdentity() throws {
        let identity: [UInt32] = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000]
        var one = track(1, frame)
        one.matrix = [1, 2, 3]
        #expect(try words(trackHeader(one), from: 52, count: 9) == identity)
        one.matrix = [1, .nan, 0, 0, 1, 0, 0, 0, 1]
        #expect(try words(trackHeader(one), from: 52, count: 9) == identity)
        one.matrix = [.infinity, 0, 0, 0, -.infinity, 0, 1e300, 0, 9]
        #expect(
            try words(trackHeader(one), from: 52, count: 9) == [
                0x7FFF_FFFF, 0, 0, 0, 0x8000_0000, 0, 0x7FFF_FFFF, 0, 0x7FFF_FFFF,
            ])
    }

    @Test func trackHeader_size_isInSquarePixelsBeforeTheMatrix() throws {
        var one = track(1, frame)
        one.matrix = FeatureMovie.quarterTurn
        let size = try words(trackHeader(one), from: 88, count: 2)
        #expect(abs(Double(size[0]) / 65536 - 720 * 16 / 11) < 0.001 && size[1] == 576 << 16)
        one.naturalSize = (100.5, 50)
        #expect(try words(trackHeader(one), from: 88, count: 2) == [0x64_8000, 50 << 16])
        #expect(try words(trackHeader(track(1, audio)), from: 88, count: 2) == [0, 0])
    }

    @Test(arguments: [(Float(1), UInt32(0x100)), (0.5, 0x80), (0, 0), (-1, 0xFF00), (.nan, 0), (1e30, 0x7FFF)])
    func trackHeader_volume_hasEightBitsOfFraction(volume: Float, bits: UInt32) throws {
        var one = track(1, audio)
        one.volume = volume
        one.alternateGroup = 3
        // Layer and group, volume and a reserved half.
        #expect(try words(trackHeader(one), from: 44, count: 2) == [3, bits << 16])
        var silent = track(1, frame)
        silent.volume = volume
        #expect(try words(trackHeader(silent), from: 48, count: 1) == [0])
    }

    @Test func trackHeader_disabledTrack_hasNoEnabledFlag() throws {
        var one = track(1, frame)
        #expect(try words(trackHeader(one), from: 0, count: 1) == [0x0100_0007])
        one.isEnabled = false
        #expect(try words(trackHeader(one), from: 0, count: 1) == [0x0100_0006])
    }

    @Test func trackHeader_language_isThreeLettersOfFiveBits() throws {
        var one = track(1, audio)
        one.language = "deu"
        one.extendedLanguage = "de-CH"
        let mdia = try #require(try header([one]).find("trak", "mdia"))
        #expect(try words(mdia["mdhd"], from: 32, count: 1) == [(4 << 10 | 5 << 5 | 21) << 16])
        #expect(mdia["elng"]?.payload == [0, 0, 0, 0] + Array("de-CH".utf8) + [0])
        one.language = "de"
        #expect(try words(header([one]).find("trak", "mdia", "mdhd"), from: 32, count: 1) == [0x55C4_0000])
        one.extendedLanguage = nil
        #expect(try header([one]).find("trak", "mdia", "elng") == nil)
    }

    @Test func references_toTracks_useTheirIDs() throws {
        var one = track(1, frame)
        one.references = [.selectionFollower: [2], .chapterList: [3, 2]]
        let moov = try header([one, track(2, audio), track(3, .text(TextFormat()))])
        let expected =
            AtomWriter.build("chap") {
                $0.u32(3)
                $0.u32(2)
            } + AtomWriter.build("folw") { $0.u32(2) }
        #expect(moov.all("trak")[0]["tref"]?.payload == expected)
        #expect(moov.all("trak")[1]["tref"] == nil)
    }

    @Test func references_toAnOmittedTrack_areNotWritten() throws {
        var one = track(1, frame)
        one.references = [.timecode: [7], .chapterList: []]
        #expect(try header([one]).find("trak", "tref") == nil)
    }

    @Test func references_toTracksWithoutSamples_areRemoved() throws {
        var one = track(1, frame)
        one.references = [.selectionFollower: [2], .chapterList: [3, 2]]
        var trak = try #require(try header([one, track(2, audio), track(3, .text(TextFormat()))])["trak"])
        TrackReferences.removeReferences(exceptTo: [1, 3], in: &trak)
        #expect(trak["tref"]?.payload == AtomWriter.build("chap") { $0.u32(3) })
        TrackReferences.removeReferences(exceptTo: [1], in: &trak)
        #expect(trak["tref"] == nil && trak["tkhd"] != nil)
    }

    @Test func trackHeader_chapterTitles_areDisabled() throws {
        var one = track(1, frame)
        let titles = track(2, .text(TextFormat()))
        #expect(try words(header([one, titles]).all("trak")[1]["tkhd"], from: 0, count: 1) == [0x0100_0007])
        one.references = [.chapterList: [2]]
        #expect(try words(header([one, titles]).all("trak")[1]["tkhd"], from: 0, count: 1) == [0x0100_0006])
    }

    @Test func handler_fileType_decidesItsForm() throws {
        let quickTime = try header([track(1, frame)])
        #expect(
            try words(quickTime.find("trak", "mdia", "hdlr"), from: 4, count: 2) == [
                ("mhlr" as FourCharCode).rawValue, ("vide" as FourCharCode).rawValue,
            ])
        #expect(quickTime.find("trak", "mdia", "minf", "hdlr") != nil)
        #expect(MovieDialect(of: quickTime) == .quickTime)
        let mpeg4 = try header([track(1, frame)], dialect: .mpeg4)
        #expect(
            try words(mpeg4.find("trak", "mdia", "hdlr"), from: 4, count: 2) == [0, ("vide" as FourCharCode).rawValue])
        #expect(mpeg4.find("trak", "mdia", "hdlr")?.payload.last == 0)
        #expect(mpeg4.find("trak", "mdia", "minf", "hdlr") == nil)
        #expect(MovieDialect(of: mpeg4) == .mpeg4)
    }

    @Test func timecode_description_hasFlagsRateAndSource() throws {
        let format = TimecodeFormat(
            frameDuration: MediaTime(value: 1001, timescale: 30000), framesPerSecond: 30, dropsFrames: true,
            wrapsAt24Hours: false, sourceName: "Kamera Ä")
        let moov = try header([track(1, .timecode(format))])
        let stsd = try #require(moov.find("trak", "mdia", "minf", "stbl", "stsd"))
        #expect(try words(stsd, from: 28, count: 3) == [1, 30000, 1001])
        #expect(stsd.payload[40] == 30)
        #expect(String(decoding: stsd.payload.suffix(9), as: UTF8.self) == "Kamera Ä")
        #expect(moov.find("trak", "mdia", "minf")?.children.first?.type == "gmhd")
    }

    @Test func pascalString_tooLong_isCutAtACharacter() {
        var writer = AtomWriter()
        writer.pascalString("äää", size: 6)
        #expect(writer.bytes == [4] + Array("ää".utf8) + [0])
        writer.removeAll()
        writer.pascalString(String(repeating: "x", count: 300))
        #expect(writer.count == 256 && writer.bytes[0] == 255)
    }
}
