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
}
