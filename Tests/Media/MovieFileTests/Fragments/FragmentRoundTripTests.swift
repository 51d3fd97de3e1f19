import MediaTypes
import Testing

@testable import MovieFile

@Suite struct FragmentRoundTripTests {
    private typealias Run = FragmentBuilder.Run

    private func run(
        _ bytes: [UInt8], count: UInt32 = 1, duration: UInt32 = 10, offset: Int32 = 0, key: Bool = true
    ) -> FragmentBuilder.Run {
        Run(
            data: MediaData(bytes), count: count, size: UInt32(bytes.count) / count, duration: duration,
            compositionOffset: offset, isKeyframe: key)
    }

    /// Writes a fragment, reads it back, and compares each track's samples as (duration, size, offset, key), one by
    /// one.
    private func roundTrip(_ tracks: [FragmentBuilder.Track]) throws {
        var writer = AtomWriter()
        writer.zeros(16)
        FragmentBuilder.write(tracks, sequenceNumber: 7, into: &writer)
        let bytes = Array(writer.bytes.dropFirst(16))
        let size = bytes[0..<4].reduce(0) { $0 << 8 | Int($1) }
        let parts = try #require(FragmentReader.tracks(inMovieFragment: Array(bytes[..<size])))
        #expect(parts.map(\.id) == tracks.map(\.id) && parts.map(\.decodeTime) == tracks.map(\.decodeTime))
        let media = UInt64(size + 8)..<UInt64(bytes.count)
        for (part, track) in zip(parts, tracks) {
            #expect(samples(part) == samples(track))
            #expect(part.isPlausible(media: media))
            let expected = track.runs.flatMap { Array($0.data.bytes) }
            #expect(Array(bytes[Int(part.chunks[0].dataOffset)...].prefix(expected.count)) == expected)
        }
        for count in 0..<size { #expect(FragmentReader.tracks(inMovieFragment: Array(bytes[..<count])) == nil) }
    }

    private struct Sample: Equatable {
        var duration: UInt32
        var size: UInt32
        var offset: Int32
        var key: Bool
    }

    private func samples(_ track: FragmentBuilder.Track) -> [Sample] {
        track.runs.flatMap { run in
            (0..<run.count).map { _ in
                Sample(duration: run.duration, size: run.size, offset: run.compositionOffset, key: run.isKeyframe)
            }
        }
    }

    private func samples(_ track: FragmentReader.Track) -> [Sample] {
        track.chunks.flatMap(\.runs).flatMap { run in
            (0..<run.count).map { _ in
                Sample(duration: run.duration, size: run.size, offset: run.compositionOffset, key: run.isKeyframe)
            }
        }
    }

    /// Every combination of one size or several, one duration or several, offsets or none, and all orders of keyframes.
    @Test(arguments: 0..<2, 0..<2)
    func fragment_everyCombinationOfFlags_isReadBack(sizes: Int, durations: Int) throws {
        let patterns: [[Bool]] = [
            [true], [false], [true, true, true], [false, false, false], [true, false, false], [false, true, true],
            [true, false, true], [false, false, true],
        ]
        for offsets in 0..<2 {
            for pattern in patterns {
                let runs = pattern.enumerated().map { index, key in
                    run(
                        [UInt8](repeating: UInt8(index), count: 4 + sizes * index),
                        duration: UInt32(10 + durations * index), offset: Int32(offsets * (index - 1)), key: key)
                }
                try roundTrip([FragmentBuilder.Track(id: 3, decodeTime: 1 << 33, runs: runs)])
            }
        }
    }

    @Test func fragment_severalTracksAndLongRuns_isReadBack() throws {
        try roundTrip([
            FragmentBuilder.Track(id: 1, decodeTime: 5, runs: [run([1, 2, 3]), run([4], key: false)]),
            FragmentBuilder.Track(
                id: 2, decodeTime: 0,
                runs: [run([UInt8](repeating: 5, count: 400), count: 100, duration: 1)]),
            FragmentBuilder.Track(
                id: 9, decodeTime: 1,
                runs: [
                    run([UInt8](repeating: 6, count: 40), count: 10, duration: 1),
                    run([UInt8](repeating: 7, count: 80), count: 20, duration: 1, key: false),
                ]),
        ])
    }

    @Test func run_largerThanTheMedia_isImplausible() {
        func track(offset: Int64, count: UInt32, size: UInt32, duration: UInt32 = 1, time: UInt64 = 0)
            -> FragmentReader.Track
        {
            FragmentReader.Track(
                id: 1, decodeTime: time,
                chunks: [
                    .init(
                        dataOffset: offset,
                        runs: [
                            .init(count: count, duration: duration, size: size, compositionOffset: 0, isKeyframe: true)
                        ])
                ])
        }
        let media: Range<UInt64> = 100..<200
        #expect(track(offset: 100, count: 25, size: 4).isPlausible(media: media))
        #expect(!track(offset: 100, count: 26, size: 4).isPlausible(media: media))
        #expect(!track(offset: 99, count: 1, size: 4).isPlausible(media: media))
        #expect(!track(offset: -8, count: 1, size: 4).isPlausible(media: media))
        #expect(!track(offset: 200, count: 1, size: 4).isPlausible(media: media))
        #expect(!track(offset: 100, count: .max, size: 0).isPlausible(media: media))
        #expect(!track(offset: 100, count: .max, size: .max).isPlausible(media: media))
        #expect(!track(offset: 100, count: 1, size: 4, time: .max).isPlausible(media: media))
        #expect(!track(offset: 100, count: 1, size: 4, time: 1 << 60).isPlausible(media: media))
    }
}
