import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// Tests of a track with several sample descriptions, and of which samples have which.
@Suite struct ChangedDescriptionTests {
    private static func format(_ configuration: UInt8, width: Int) -> VideoFormat {
        VideoFormat(
            codec: .h264, width: width, height: 48, decoderConfiguration: [1, 66, 0, configuration, 0xFF, 0xE0, 0])
    }

    private static func sample(_ format: VideoFormat, _ number: Int) -> TrackSample {
        TrackSample(
            track: 0,
            sample: SampleBuffer(
                format: .video(format), content: .data(MediaData([0, 0, 0, 1, UInt8(number)])),
                presentationTime: MediaTime(value: Int64(number), timescale: 10),
                duration: MediaTime(value: 1, timescale: 10)))
    }

    private func written(mayChange: Bool = true, _ formats: [[VideoFormat]]) throws -> MemoryStorage {
        let storage = MemoryStorage()
        var track = MovieTrack(id: 1, mediaType: .video, format: .video(formats[0][0]), timeScale: 10)
        track.mayChangeFormat = mayChange
        let writer = MovieFileWriter(
            storage: storage, timeScale: 10, creationTime: 0, metadata: [], tracks: [track],
            sessionStart: .zero)
        var number = 0
        for fragment in formats {
            let batch = fragment.map { format in
                number += 1
                return Self.sample(format, number - 1)
            }
            try writer.writeFragment(batch)
        }
        return storage
    }

    @Test func writer_formatChangesWithinAFragment_describesEachSample() throws {
        let (one, two) = (Self.format(1, width: 64), Self.format(2, width: 96))
        let storage = try written([[one, one, two], [two, one], [one]])
        let growing = storage.bytes
        try MovieFinisher.finish(storage)
        let moov = try #require(Atom.last("moov", in: storage.bytes))
        let tables = try #require(moov.all("trak").first?.find("mdia", "minf", "stbl"))
        let (table, map) = (try #require(tables["stsd"]).payload, try #require(tables["stsc"]).payload)
        let entries = StoredDescription.all(in: table, mediaType: .video)
        #expect(entries.map(\.width) == [64, 96])
        // First chunk, samples, entry.
        #expect(Self.numbers(map.dropFirst(8)) == [1, 2, 1, 2, 1, 2, 4, 1, 1])
        #expect(growing.count < storage.bytes.count)
    }

    @Test func writer_formatSeenBefore_reusesItsDescription() throws {
        let (one, two) = (Self.format(1, width: 64), Self.format(2, width: 96))
        let storage = try written([[one], [two], [one], [two]])
        try MovieFinisher.finish(storage)
        let moov = try #require(Atom.last("moov", in: storage.bytes))
        let table = try #require(moov.all("trak").first?.find("mdia", "minf", "stbl", "stsd"))
        #expect(StoredDescription.all(in: table.payload, mediaType: .video).count == 2)
    }

    @Test func writer_tooManyFormats_refusesMoreThanTheHeaderHolds() throws {
        let storage = MemoryStorage()
        var track = MovieTrack(id: 1, mediaType: .video, format: .video(Self.format(0, width: 64)), timeScale: 10)
        track.mayChangeFormat = true
        let writer = MovieFileWriter(
            storage: storage, timeScale: 10, creationTime: 0, metadata: [], tracks: [track],
            sessionStart: .zero)
        for number in 0..<200 where writer.refusal(track: 0) == nil {
            try writer.writeFragment([Self.sample(Self.format(UInt8(number), width: 64), number)])
        }
        #expect(writer.refusal(track: 0) != nil)
        let report = try MovieFinisher.finish(storage)
        let kept = try #require(report.sampleCounts[1])
        #expect(kept > 20)
    }

    private static func numbers(_ bytes: ArraySlice<UInt8>) -> [UInt32] {
        var reader = ByteReader(bytes)
        var numbers: [UInt32] = []
        while let number = reader.u32() { numbers.append(number) }
        return numbers
    }
}

extension Atom {
    /// The last atom of a type at the top level of a file.
    fileprivate static func last(_ type: FourCharCode, in file: [UInt8]) -> Atom? {
        var (place, found): (Int, Atom?) = (0, nil)
        while place + 8 <= file.count {
            var reader = ByteReader(file[place...])
            guard let size = reader.u32(), let code = reader.code(), size >= 8 else { return found }
            let end = min(file.count, place + Int(size))
            if code == type { found = Atom(parsing: Array(file[place..<end])) }
            place = end
        }
        return found
    }
}
