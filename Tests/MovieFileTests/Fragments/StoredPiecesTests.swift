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

    /// Of every packet that FFmpeg finds: track, times, size and what is in it, which is noise to decoders.
    private func packets(_ name: String) throws -> [String] {
        let result = try Probe.ask(
            directory.path(name), "packet=stream_index,pts,dts,duration,size,flags,data_hash", level: "quiet",
            options: ["-fflags", "+nofillin+noparse", "-show_packets", "-show_data_hash", "crc32"])
        #expect(result.status == 0)
        return result.text.split(separator: "\n").map(String.init).sorted()
    }

    @Test func theFileHoldsTheSameAsOfPacketsInMemory() throws {
        let (inMemory, stored) = try batch()
        for (name, batch) in [("expected", inMemory), ("copy", stored)] {
            let file = try DiskFile(path: directory.path(name), mode: .create)
            let writer = Recording.short.makeWriter(file)
            try writer.writeFragment(Array(batch[..<40]), next: batch[40])
            try writer.writeFragment(Array(batch[40...]))
            #expect(try writer.byteCount == file.size())
            try MovieFinisher.finish(file, facts: FinishingFacts(index: writer.index))
        }
        let (copy, expected) = try (packets("copy"), packets("expected"))
        #expect(copy == expected)
        #expect(copy.count >= inMemory.count)
    }

    @Test func whatLiesTogetherInTheSourceLiesTogetherInTheFile() throws {
        let (_, stored) = try batch()
        let storage = MemoryStorage()
        try Recording.short.makeWriter(storage).writeFragment(stored)
        let source = try Array(Data(contentsOf: directory.file("source")))
        #expect(storage.bytes.suffix(source.count) == source[...])
    }

    @Test func packetsThatAFileHasInAnotherOrderAreStillWhole() throws {
        let (inMemory, stored) = try batch()
        // Of one track the first two packets have changed places in the file.
        let video = stored.indices.filter { stored[$0].track == 0 }
        var swapped = stored
        swapped[video[0]] = stored[video[0]].holding(try #require(stored[video[1]].data))
        swapped[video[1]] = stored[video[1]].holding(try #require(stored[video[0]].data))
        var expected = inMemory
        expected[video[0]] = inMemory[video[0]].holding(try #require(inMemory[video[1]].data))
        expected[video[1]] = inMemory[video[1]].holding(try #require(inMemory[video[0]].data))
        let (a, b) = (MemoryStorage(), MemoryStorage())
        try Recording.short.makeWriter(a).writeFragment(swapped)
        try Recording.short.makeWriter(b).writeFragment(expected)
        #expect(a.bytes == b.bytes)
    }

    /// Made bytes and pieces by turns, as a fragment has them.
    @Test(arguments: [50, StoredPieces.largePiece + 3])
    func piecesOfSeveralFilesFarApartAndOutOfOrderComeToTheirPlaces(large: Int) throws {
        let noise = (0..<2).map { SyntheticMedia.noise(400_000, seed: $0) }
        let files = try noise.enumerated().map { number, bytes in
            try Data(bytes).write(to: directory.file("source\(number)"))
            return try StoredFile(path: directory.path("source\(number)"))
        }
        var (stored, made) = (StoredPieces(), [7] as [UInt8])
        var expected = made
        // Neighbours, a small gap, a large one, back to what was read already, and every now and then the other file.
        let places = [
            (0, 0, 300), (0, 300, 50_000), (0, 51_000, 10), (1, 199_999, 1), (0, 150_000, large), (0, 200, 200),
        ]
        let many = (0..<1500).map { (1, 60 * $0 + 7, 50) }
        for (number, (file, offset, count)) in (places + many).enumerated() {
            let place = try #require(StoredPlace(files[file], offset: UInt64(offset), count: count))
            let isTaken = stored.take(run(MediaData(at: place)), at: made.count)
            #expect(isTaken)
            expected += noise[file][offset..<(offset + count)]
            guard number % 100 == 9 else { continue }
            made += [1, 2, UInt8(number / 100)]
            expected += [1, 2, UInt8(number / 100)]
        }
        made.append(9)
        expected.append(9)
        #expect(stored.pieces.count == places.count - 1 + many.count)
        #expect(stored.byteCount == expected.count - made.count)
        let takesMemory = stored.take(run(MediaData([1])), at: 0)
        var none = StoredPieces(isUsed: false)
        let place = try #require(StoredPlace(files[0], offset: 0, count: 1))
        let takesUnasked = none.take(run(MediaData(at: place)), at: 0)
        #expect(!takesMemory && !takesUnasked)
        let block = GatheredBlock()
        let memory = MemoryStorage(Array(repeating: 3, count: 11))
        try stored.write(among: made, to: memory, at: 11, using: block)
        #expect(Array(memory.bytes[11...]) == expected)
        // And once more with the same block, to a disk, where the kernel copies.
        let disk = try DiskFile(path: directory.path("out"), mode: .create)
        try stored.write(among: made, to: disk, at: 0, using: block)
        #expect(try Array(Data(contentsOf: directory.file("out"))) == expected)
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
    fileprivate var data: MediaData? { if case .data(let data) = sample.content { data } else { nil } }

    fileprivate func holding(_ data: MediaData) -> TrackSample {
        var packet = self
        packet.sample = SampleBuffer(
            format: sample.format, content: .data(data), presentationTime: sample.presentationTime,
            decodeTime: sample.decodeTime, duration: sample.duration, isKeyFrame: sample.isKeyFrame)
        return packet
    }
}
