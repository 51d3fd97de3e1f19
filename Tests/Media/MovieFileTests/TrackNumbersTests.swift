import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// Tests of recordings that libavformat must not open, because it would count for minutes.
struct TrackNumbersTests {
    private static let recording: [UInt8] = {
        let material = try! Recording(seconds: 1)
        let storage = MemoryStorage()
        let writer = MovieFileWriter(
            storage: storage, timeScale: 1_000_000, creationTime: 0, metadata: [], tracks: material.tracks,
            sessionStart: material.sessionStart)
        for part in material.fragments { try! writer.writeFragment(part) }
        return storage.bytes
    }()

    /// The recording with other bytes at a distance from the type code of the first atom of a type.
    private static func changed(_ type: String, at distance: Int, _ bytes: [UInt8]) throws -> [UInt8] {
        var movie = recording
        let place = try #require((0..<(movie.count - 4)).first { movie[$0..<($0 + 4)].elementsEqual(type.utf8) })
        movie.replaceSubrange((place + distance)..<(place + distance + bytes.count), with: bytes)
        return movie
    }

    @Test func trackNumbers_trackWithoutHeader_areFaulty() throws {
        let movie = try Self.changed("tkhd", at: 0, Array("mdia".utf8))
        #expect(StoredHeader(MemoryStorage(movie)).fault == .number)
    }

    /// The number follows the type code, version and flags, and two times of eight bytes.
    @Test(arguments: [[0, 0, 0, 0], [0x80, 0, 0, 1], [0xFF, 0xFF, 0xFF, 0xFF]] as [[UInt8]])
    func trackNumbers_invalidNumber_areFaulty(number: [UInt8]) throws {
        #expect(StoredHeader(MemoryStorage(try Self.changed("tkhd", at: 24, number))).fault == .number)
    }

    @Test func trackNumbers_intactRecording_areNotFaulty() {
        #expect(StoredHeader(MemoryStorage(Self.recording)).fault == nil)
    }

    /// libavformat reads such a movie at once if no fragments follow.
    @Test func trackNumbers_invalidNumberInAFinalizedMovie_areNotFaulty() throws {
        let storage = MemoryStorage(Self.recording)
        try MovieFinisher.finish(storage, facts: FinishingInfo())
        var movie = storage.bytes
        let header = try #require((0..<(movie.count - 4)).last { movie[$0..<($0 + 4)].elementsEqual("tkhd".utf8) })
        movie[header + 24] = 0x80
        #expect(StoredHeader(MemoryStorage(movie)).fault == nil)
    }

    /// The count follows the type code, version and flags. libavformat would build an index of 16 million samples, and
    /// did so for each reader.
    @Test func trackNumbers_runOfMoreSamplesThanBytes_areFaulty() throws {
        let movie = try Self.changed("trun", at: 8, [0, 0xFF, 0xFF, 0xFF])
        #expect(StoredHeader(MemoryStorage(movie)).fault == .count)
        let storage = MemoryStorage(movie)
        try MovieFinisher.finish(storage)
        #expect(StoredHeader(storage).fault == nil)
    }

    // MARK: Numbers that add up

    /// A fragment with runs of `count` samples each, after a header with fragments.
    private static func fragments(runs: Int, count: UInt32, in parents: [FourCharCode] = ["traf"]) -> [UInt8] {
        var writer = AtomWriter()
        writer.atom("moov") { movie in
            movie.atom("trak") { track in
                track.atom("tkhd") { header in
                    header.zeros(12)
                    header.u32(1)
                    header.zeros(68)
                }
            }
            movie.atom("mvex") { _ in }
        }
        func nest(_ parents: ArraySlice<FourCharCode>, _ parent: inout AtomWriter) {
            guard let type = parents.first else {
                for _ in 0..<runs {
                    parent.atom("trun") { run in
                        run.u32(0)
                        run.u32(count)
                    }
                }
                return
            }
            parent.atom(type) { nest(parents.dropFirst(), &$0) }
        }
        writer.atom("moof") { nest(parents[...], &$0) }
        writer.atom("mdat") { $0.zeros(1000) }
        return writer.bytes
    }

    /// Each run has fewer samples than the file has bytes, but all together have many more.
    @Test(arguments: [["traf"], ["minf", "traf"], ["traf", "udta"]] as [[FourCharCode]])
    func trackNumbers_manyRunsOfFewSamples_areFaulty(parents: [FourCharCode]) {
        let movie = Self.fragments(runs: 100, count: 1000, in: parents)
        #expect(StoredHeader(MemoryStorage(movie)).fault == .count)
    }

    /// The last fragment of a truncated file lists samples that are missing.
    @Test func trackNumbers_runsOfATruncatedFile_areNotFaulty() {
        #expect(StoredHeader(MemoryStorage(Self.fragments(runs: 2, count: 900))).fault == nil)
    }

    @Test func trackNumbers_fragmentAfterManyTinyAtoms_areFaulty() {
        var writer = AtomWriter()
        for _ in 0..<100_000 { writer.atom("free") { _ in } }
        let movie = writer.bytes + Self.fragments(runs: 100, count: 1000)
        #expect(StoredHeader(MemoryStorage(movie)).fault == .atoms)
    }

    /// 36 bytes on average, as the smallest fragments and their media have.
    @Test func trackNumbers_manySmallFragments_areNotFaulty() {
        var writer = AtomWriter()
        for _ in 0...100_000 { writer.atom("free") { $0.zeros(28) } }
        #expect(StoredHeader(MemoryStorage(writer.bytes)).fault == nil)
    }

    /// Other programs write hours of media with one keyframe as one fragment.
    @Test func trackNumbers_largeFragmentHeader_isNotFaulty() {
        var writer = AtomWriter()
        writer.atom("moof") { fragment in fragment.atom("free") { $0.zeros(33 << 20) } }
        #expect(StoredHeader(MemoryStorage(writer.bytes)).fault == nil)
    }

    @Test func trackNumbers_unreasonablyLargeFragmentHeader_isFaulty() throws {
        let directory = try TemporaryDirectory()
        let size = UInt32(257 << 20)
        var writer = AtomWriter()
        writer.u32(size)
        writer.code("moof")
        let url = directory.file("a.mov")
        try Data(writer.bytes).write(to: url)
        let file = try FileHandle(forUpdating: url)
        try file.truncate(atOffset: UInt64(size))
        try file.close()
        let error = #expect(throws: MediaError.self) { try StoredHeader(path: url.path) }
        #expect(error?.reason.contains("256 MiB") == true)
    }

    /// A header with one track: `samples` of one byte and one tick each, and edits that each show all of them.
    private static func header(samples: UInt32, edits: Int = 0, tracks: Int = 1, handler: FourCharCode = "vide")
        -> [UInt8]
    {
        var writer = AtomWriter()
        writer.atom("moov") { movie in
            movie.atom("mvhd") { header in
                header.zeros(12)
                header.u32(600)
                header.zeros(84)
            }
            for number in 1...tracks {
                movie.atom("trak") { track in
                    track.atom("tkhd") { header in
                        header.zeros(12)
                        header.u32(UInt32(number))
                        header.zeros(68)
                    }
                    track.atom("edts") { list in
                        list.atom("elst") { table in
                            table.u32(0)
                            table.u32(UInt32(edits))
                            for _ in 0..<edits { for number: UInt32 in [samples, 0, 1 << 16] { table.u32(number) } }
                        }
                    }
                    track.atom("mdia") { media in
                        media.atom("mdhd") { header in
                            header.zeros(12)
                            header.u32(600)
                            header.zeros(8)
                        }
                        media.atom("hdlr") { header in
                            header.zeros(8)
                            header.code(handler)
                            header.zeros(12)
                        }
                        media.atom("minf") { information in
                            information.atom("stbl") { tables in
                                tables.atom("stts") { for number: UInt32 in [0, 1, samples, 1] { $0.u32(number) } }
                                tables.atom("stsz") { for number: UInt32 in [0, 1, samples] { $0.u32(number) } }
                            }
                        }
                    }
                }
            }
        }
        return writer.bytes
    }

    /// 600 bytes for which libavformat takes gigabytes.
    @Test(arguments: [(1, UInt32.max), (20, 1_000_000)])
    func trackNumbers_statedSamplesThatTheFileCannotHave_areFaulty(tracks: Int, samples: UInt32) {
        let movie = Self.header(samples: samples, tracks: tracks)
        #expect(StoredHeader(MemoryStorage(movie)).fault == .entries)
    }

    /// libavformat accepts tracks at any level, also after the movie header.
    @Test(arguments: [[], ["moov"], ["moov", "moov"], ["moov", "udta", "trak"]] as [[FourCharCode]])
    func trackNumbers_tracksAtAnotherLevel_areFaulty(parents: [FourCharCode]) throws {
        let header = Self.header(samples: 100_000_000)
        let place = try #require((0..<(header.count - 4)).first { header[$0..<($0 + 4)].elementsEqual("trak".utf8) })
        let track = header[(place - 4)...]
        let movie = parents.reversed().reduce(Array(track)) { inner, type in
            AtomWriter.build(type) { $0.raw(inner) }
        }
        #expect(StoredHeader(MemoryStorage(movie)).fault == .entries)
        // It reads one movie header.
        let late = Self.header(samples: 1) + movie
        #expect(StoredHeader(MemoryStorage(late)).fault == (parents.isEmpty ? .entries : nil))
    }

    /// Each header alone is reasonable.
    @Test func trackNumbers_manyTopLevelTracks_areCountedTogether() throws {
        let header = Self.header(samples: 10_000_000)
        let place = try #require((0..<(header.count - 4)).first { header[$0..<($0 + 4)].elementsEqual("trak".utf8) })
        let track = header[(place - 4)...]
        #expect(StoredHeader(MemoryStorage(Array(track))).fault == nil)
        #expect(StoredHeader(MemoryStorage(Array(track + track))).fault == .entries)
    }

    /// A compact table has four bits for each sample. Edits repeat its samples.
    @Test func indexCost_compactSizes_areCounted() {
        var writer = AtomWriter()
        writer.atom("edts") { list in
            list.atom("elst") { table in
                table.u32(0)
                table.u32(2)
                for _ in 0..<2 { for number: UInt32 in [0, 0, 1 << 16] { table.u32(number) } }
            }
        }
        writer.atom("stz2") { table in
            table.u32(0)
            table.u32(4)
            table.u32(1000)
            table.zeros(100)
        }
        #expect(IndexCost(track: writer.bytes[...]).entries(movieScale: 1) == 400)
    }

    /// libavformat lists the chunks of linear PCM. A truncated file states more samples than it has bytes.
    @Test func trackNumbers_statedSamplesOfPCM_areNotFaulty() {
        let movie = Self.header(samples: 1_000_000_000, handler: "soun")
        #expect(StoredHeader(MemoryStorage(movie)).fault == nil)
    }

    @Test func trackNumbers_editsThatRepeatAllSamples_areFaulty() {
        let movie = Self.header(samples: 100_000, edits: 1000)
        #expect(StoredHeader(MemoryStorage(movie)).fault == .entries)
    }

    @Test func trackNumbers_editsThatRepeatFewSamples_areNotFaulty() {
        #expect(StoredHeader(MemoryStorage(Self.header(samples: 10_000, edits: 1000))).fault == nil)
    }
}
