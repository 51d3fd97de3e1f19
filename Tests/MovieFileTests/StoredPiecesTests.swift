import Foundation
import Glibc
import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// Packets that stand in another file and are not read.
@Suite struct StoredPiecesTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Pictures from small to large and sound, each as data in memory and as a place in one file.
    private func batch() throws -> (inMemory: [TrackSample], stored: [TrackSample]) {
        let short = Array(Recording.short.fragments.joined())
        var bytes: [UInt8] = []
        let inMemory = short.enumerated().map { number, packet in
            let noise = SyntheticMedia.noise(
                packet.track == 0 ? 500 + number * 70 : 300 + number, seed: UInt64(number))
            bytes += noise
            return packet.holding(MediaData(noise))
        }
        try Data(bytes).write(to: directory.file("source"))
        let file = try StoredFile(path: directory.path("source"))
        var offset = 0
        let stored = try inMemory.map { packet in
            defer { offset += packet.sample.byteCount }
            return packet.holding(
                MediaData(at: try #require(StoredPlace(file, offset: UInt64(offset), count: packet.sample.byteCount))))
        }
        return (inMemory, stored)
    }

    @Test func theFileIsTheSameAsOfPacketsInMemory() throws {
        let (inMemory, stored) = try batch()
        let storage = MemoryStorage()
        let expected = Recording.short.makeWriter(storage)
        try expected.writeFragment(Array(inMemory[..<40]), next: inMemory[40])
        try expected.writeFragment(Array(inMemory[40...]))
        let file = try DiskFile(path: directory.path("copy"), mode: .create)
        let writer = Recording.short.makeWriter(file)
        try writer.writeFragment(Array(stored[..<40]), next: stored[40])
        try writer.writeFragment(Array(stored[40...]))
        #expect(writer.byteCount == UInt64(storage.bytes.count))
        #expect(try Array(Data(contentsOf: directory.file("copy"))) == storage.bytes)
        #expect(expected.index.pending == writer.index.pending)
    }

    @Test func packetsOfSeveralFilesFarApartAndOutOfOrderComeToTheirPlaces() throws {
        let noise = (0..<2).map { SyntheticMedia.noise(200_000, seed: $0) }
        let files = try noise.enumerated().map { number, bytes in
            try Data(bytes).write(to: directory.file("source\(number)"))
            return try StoredFile(path: directory.path("source\(number)"))
        }
        var (stored, writer) = (StoredPieces(), AtomWriter())
        var expected: [UInt8] = [7]
        writer.u8(7)
        // Neighbours, a small gap, a large one, back to what was read already, and every now and then the other file.
        let places = [
            (0, 0, 300), (0, 300, 50_000), (0, 51_000, 10), (1, 199_999, 1), (0, 150_000, 50_000), (0, 200, 200),
        ]
        let many = (0..<1500).map { (1, 60 * $0 + 7, 50) }
        for (file, offset, count) in places + many {
            let place = try #require(StoredPlace(files[file], offset: UInt64(offset), count: count))
            #expect(stored.take(run(MediaData(at: place)), into: &writer))
            expected += noise[file][offset..<(offset + count)]
        }
        #expect(stored.pieces.count == places.count - 1 + many.count)
        #expect(!stored.take(run(MediaData([1])), into: &writer))
        var none = StoredPieces(isUsed: false)
        let place = try #require(StoredPlace(files[0], offset: 0, count: 1))
        #expect(!none.take(run(MediaData(at: place)), into: &writer))
        try stored.read(into: &writer)
        #expect(writer.bytes == expected)
    }

    @Test func aFileThatEachTrackHasOpenedForItselfIsOne() throws {
        try Data([1, 2, 3, 4]).write(to: directory.file("one"))
        try Data([1, 2, 3, 4]).write(to: directory.file("other"))
        let files = try ["one", "one", "other"].map { try StoredFile(path: directory.path($0)) }
        let places = try files.enumerated().map { try #require(StoredPlace($1, offset: UInt64($0), count: 1)) }
        #expect(places[0].joined(with: places[1])?.count == 2)
        #expect(places[1].joined(with: places[2]) == nil && places[1].joined(with: places[0]) == nil)
        #expect(files[0].isSame(as: files[1]) && !files[0].isSame(as: files[2]))
    }

    private func run(_ data: MediaData) -> FragmentBuilder.Run {
        FragmentBuilder.Run(
            data: data, count: 1, size: UInt32(data.count), duration: 1, compositionOffset: 0, isKeyFrame: true)
    }

    @Test func aSourceThatIsCutOffMeanwhileIsAnError() throws {
        let (_, stored) = try batch()
        for size in [0, 1000] {
            #expect(truncate(directory.path("source"), off_t(size)) == 0)
            let file = try DiskFile(path: directory.path("copy\(size)"), mode: .create)
            let error = #expect(throws: MediaError.self) {
                try Recording.short.makeWriter(file).writeFragment(stored)
            }
            #expect(error?.code == .ioFailure && error?.action.contains("source") == true)
        }
    }

    @Test func bytesThatAreAskedForAreReadAndZeroWhereTheFileHasLostThem() throws {
        try Data([1, 2, 3, 4]).write(to: directory.file("source"))
        let source = try StoredFile(path: directory.path("source"))
        let place = try #require(StoredPlace(source, offset: 1, count: 3))
        let (data, late) = (MediaData(at: place), MediaData(at: place))
        #expect(data.count == 3 && Array(data.bytes) == [2, 3, 4])
        #expect(truncate(directory.path("source"), 2) == 0)
        #expect(Array(data.bytes) == [2, 3, 4] && Array(late.bytes) == [2, 0, 0])
        #expect(StoredPlace(source, offset: 2, count: 3) == nil && StoredPlace(source, offset: .max, count: 1) == nil)
    }

    @Test func whatIsNoFileHasNoPlaces() throws {
        #expect(throws: MediaError.self) { try StoredFile(path: directory.path("none")) }
        #expect(throws: MediaError.self) { try StoredFile(path: directory.url.path) }
    }
}

extension TrackSample {
    fileprivate func holding(_ data: MediaData) -> TrackSample {
        var packet = self
        packet.sample = SampleBuffer(
            format: sample.format, content: .data(data), presentationTime: sample.presentationTime,
            decodeTime: sample.decodeTime, duration: sample.duration, isKeyFrame: sample.isKeyFrame)
        return packet
    }
}
