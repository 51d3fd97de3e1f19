import MediaTypes
import Testing

@testable import MovieFile

/// Tests that one track's parts of the fragments become one timeline.
@Suite struct TrackIndexerTests {
    /// Frames at 30 fps with times in microseconds, shown two frames after they are decoded.
    private static func part(decoded time: Int64, durations: [UInt32]) -> FragmentReader.Track {
        let runs = durations.map {
            FragmentReader.Run(count: 1, duration: $0, size: 10, compositionOffset: 66_667, isKeyframe: false)
        }
        return FragmentReader.Track(
            id: 1, decodeTime: UInt64(time), chunks: [FragmentReader.Chunk(dataOffset: 0, runs: runs)])
    }

    /// The file's thread guesses the duration of a fragment's last frame if it writes the fragment before it knows the
    /// next frame.
    @Test func indexer_guessedDurationAfterACut_addsNoSecondCut() throws {
        let cut: ClosedRange<Int64> = 2_100_000...7_100_000
        var indexer = TrackIndexer(
            SampleTableLayout(), unit: .sample, isAudio: false, timeScale: 1_000_000, cuts: [cut])
        try indexer.add(
            Self.part(decoded: 2_000_000, durations: [33_333, 33_334, 33_333]), fragment: 0)
        // Decoded before the cut's end, shown at it; the next one is decoded a microsecond later than guessed.
        try indexer.add(Self.part(decoded: 7_033_333, durations: [33_333]), fragment: 100)
        try indexer.add(Self.part(decoded: 7_066_667, durations: [33_333, 33_333]), fragment: 200)
        try indexer.finish()
        #expect(indexer.times.sections.count == 2)
        #expect(indexer.times.sections[1].firstPresentation == 7_100_000)
    }
}
