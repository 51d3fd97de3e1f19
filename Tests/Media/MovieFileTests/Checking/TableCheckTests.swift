import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// The check of an ordinary movie's tables against the places of its media data.
@Suite struct TableCheckTests {
    /// A movie with `atoms` empty atoms of media data, one with 64 bytes of media, and a track with a chunk of one byte
    /// at each of `places`. They count from the first byte of that media.
    ///
    /// - Parameters:
    ///   - audio: the numbers of a sample description of audio. A chunk then has 64 audio frames.
    ///   - durations: the table of durations: the number of samples and the duration of each run. By default, each
    ///     sample lasts a tick.
    private static func movie(
        atoms: Int, places: [Int], audio: [UInt32] = [], durations: [UInt32]? = nil
    ) -> [UInt8] {
        let perChunk: UInt32 = audio.isEmpty ? 1 : 64
        var writer = AtomWriter()
        writer.atom("ftyp") { $0.code("qt  ") }
        for _ in 0..<atoms { writer.atom("mdat") { _ in } }
        writer.atom("mdat") { $0.zeros(64) }
        let media = writer.bytes.count - 64
        writer.atom("moov") { movie in
            movie.atom("mvhd") { header in
                header.zeros(12)
                header.u32(600)
                header.zeros(84)
            }
            movie.atom("trak") { track in
                track.atom("tkhd") { header in
                    header.zeros(12)
                    header.u32(1)
                    header.zeros(68)
                }
                track.atom("mdia") { content in
                    content.atom("mdhd") { header in
                        header.zeros(12)
                        header.u32(600)
                        header.zeros(8)
                    }
                    content.atom("hdlr") { header in
                        header.zeros(8)
                        header.code(audio.isEmpty ? "vide" : "soun")
                        header.zeros(12)
                    }
                    content.atom("minf") { information in
                        information.atom("stbl") { tables in
                            let (chunks, count) = (UInt32(places.count), UInt32(places.count) * perChunk)
                            if !audio.isEmpty { tables.atom("stsd") { for number in audio { $0.u32(number) } } }
                            let runs = durations ?? [count, 1]
                            tables.atom("stts") { table in
                                for number in [0, UInt32(runs.count / 2)] + runs { table.u32(number) }
                            }
                            tables.atom("stsz") { for number: UInt32 in [0, 1, count] { $0.u32(number) } }
                            tables.atom("stsc") { for number: UInt32 in [0, 1, 1, perChunk, 1] { $0.u32(number) } }
                            tables.atom("stco") { table in
                                table.u32(0)
                                table.u32(chunks)
                                for place in places { table.u32(UInt32(media + place)) }
                            }
                        }
                    }
                }
            }
        }
        return writer.bytes
    }

    private func faults(_ movie: [UInt8]) throws -> [String] {
        let storage = MemoryStorage(movie)
        let check = try #require(try TableCheck(storage, FileShape(storage)))
        #expect(!check.isBroken && check.tracks.count == 1)
        return check.tracks.flatMap { $0.faults.map(\.what) }
    }

    @Test(arguments: [0, 1, 2, 7]) func check_chunksInTheLastAtom_haveNoFault(atoms: Int) throws {
        #expect(try faults(Self.movie(atoms: atoms, places: [0, 1, 63])).isEmpty)
    }

    /// The header of the atom, an empty atom before it, and the byte after the media.
    @Test(arguments: [-1, -8, -9, 64]) func check_chunkOutsideOfTheMedia_isAFault(place: Int) throws {
        #expect(try faults(Self.movie(atoms: 3, places: [0, place])).contains { $0.contains("not media") })
    }

    /// Packets of 34 bytes for 64 audio frames, of which the tables say that each has one byte: IMA4, which needs no
    /// description of its packets, and a codec with one.
    @Test(arguments: [
        (FourCharCode("ima4"), UInt32(0), UInt32(0)), ("ima4", 1, 0), ("QDMC", 1, 34),
    ])
    func check_packetsOfConstantSize_haveTheirRealSize(code: FourCharCode, version: UInt32, size: UInt32) throws {
        let audio = Self.audio(code, version: version, packetSize: size)
        #expect(try faults(Self.movie(atoms: 1, places: [0, 30], audio: audio)).isEmpty)
        #expect(try faults(Self.movie(atoms: 1, places: [0, 31], audio: audio)).contains { $0.contains("not media") })
    }

    @Test func check_packetsOfUnknownSize_haveNoFault() throws {
        let audio = Self.audio("QDMC", version: 1, packetSize: 0)
        #expect(try faults(Self.movie(atoms: 1, places: [0, 60], audio: audio)).isEmpty)
    }

    @Test func check_PCMOfOneByte_isCheckedByteByByte() throws {
        let audio = Self.audio("raw ", version: 0, packetSize: 0)
        #expect(try faults(Self.movie(atoms: 1, places: [0], audio: audio)).isEmpty)
        #expect(try !faults(Self.movie(atoms: 1, places: [1], audio: audio)).isEmpty)
    }

    /// 64 samples of 10 ticks at 600 ticks a second. The sample before a gap lasts until its end.
    @Test(
        arguments: [
            ([64, 10], 640, 640), ([20, 10, 1, 4010, 43, 10], 640, 4640), ([63, 10, 1, 310], 640, 940),
            ([8, 10, 2, 20, 12, 10, 1, 30, 40, 10, 1, 4], 634, 674),
        ] as [([UInt32], Double, Double)])
    func check_gapsInAudio_areOutsideOfTheLeastDuration(durations: [UInt32], least: Double, most: Double) throws {
        let audio = Self.audio("raw ", version: 0, packetSize: 0)
        let storage = MemoryStorage(Self.movie(atoms: 0, places: [0], audio: audio, durations: durations))
        let check = try #require(try TableCheck(storage, FileShape(storage)))
        let shown = try #require(check.tracks.first?.shownDuration)
        #expect(abs(shown.lowerBound * 600 - least) < 0.001 && abs(shown.upperBound * 600 - most) < 0.001)
    }

    /// Returns the numbers of a table with one sample description of mono audio at 48 kHz, with 64 audio frames in a
    /// packet.
    private static func audio(_ code: FourCharCode, version: UInt32, packetSize: UInt32) -> [UInt32] {
        let common: [UInt32] = [code.rawValue, 0, 1, version << 16, 0, 1 << 16 | 16, 0xFFFE_0000, 48_000 << 16]
        return [0, 1, version == 1 ? 52 : 36] + common + (version == 1 ? [64, 0, packetSize, 2] : [])
    }

    /// A file of a megabyte, for which comparing each chunk with each atom would take minutes.
    @Test(.timeLimit(.minutes(1))) func check_manyAtomsAndChunks_ends() throws {
        let places = (0..<100_000).map { $0 % 64 }
        #expect(try faults(Self.movie(atoms: 100_000, places: places)).isEmpty)
    }

    @Test(arguments: [1, 3, 7]) func shape_strayBytesAfterTheMovie_isNotTruncated(count: Int) throws {
        let movie = Self.movie(atoms: 0, places: [0])
        let shape = try FileShape(MemoryStorage(movie + [UInt8](repeating: 10, count: count)))
        #expect(shape.cutOff == nil && shape.garbage == UInt64(movie.count))
    }
}
