import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// The check of an ordinary movie's tables against the places of its media data.
@Suite struct TableCheckTests {
    /// A movie with `atoms` empty atoms of media data, one with 64 bytes of media, and a track with a chunk of one byte
    /// at each of `places`. They count from the first byte of that media.
    private static func movie(atoms: Int, places: [Int]) -> [UInt8] {
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
                        header.code("vide")
                        header.zeros(12)
                    }
                    content.atom("minf") { information in
                        information.atom("stbl") { tables in
                            let count = UInt32(places.count)
                            tables.atom("stts") { for number: UInt32 in [0, 1, count, 1] { $0.u32(number) } }
                            tables.atom("stsz") { for number: UInt32 in [0, 1, count] { $0.u32(number) } }
                            tables.atom("stsc") { for number: UInt32 in [0, 1, 1, 1, 1] { $0.u32(number) } }
                            tables.atom("stco") { table in
                                table.u32(0)
                                table.u32(count)
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
