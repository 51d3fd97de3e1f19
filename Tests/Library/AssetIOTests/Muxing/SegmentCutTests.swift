import MediaTypes
import MovieFile
import Testing

@testable import AssetIO

/// Tests that a segment waits for slower tracks, but not for silent ones.
@Suite struct SegmentCutTests {
    private func packet(_ track: Int, _ milliseconds: Int64) -> TrackSample {
        TrackSample(
            track: track,
            sample: SampleBuffer(
                format: .video(VideoFormat(codec: .h264, width: 2, height: 2)), content: .data(MediaData([0])),
                presentationTime: MediaTime(value: milliseconds, timescale: 1000)))
    }

    @Test func segmentCut_trackBehind_waitsForIt() {
        let key = packet(0, 2000)
        var cut = SegmentCut(before: key, position: 3, tracks: [0, 1, 2])
        cut.record(key)
        cut.record(packet(1, 1990))
        cut.record(packet(2, 2000))
        #expect(!cut.isComplete)
        cut.record(packet(1, 2010))
        #expect(cut.isComplete)
        // Earlier packets stay and later ones go to the next segment, whichever arrived first.
        let open = [packet(0, 1900), packet(1, 2010), packet(2, 1999), key, packet(0, 1967), packet(2, 2000)]
        let (segment, later) = cut.divide(open)
        #expect(segment.map(\.sample.presentationTime.value) == [1900, 1999])
        #expect(later.map(\.sample.presentationTime.value) == [2010, 2000, 1967, 2000])
    }

    /// Packets stay in decode order: one that is shown before the cut may depend on one that is shown after it.
    @Test func segmentCut_divide_keepsPacketOrder() {
        let key = packet(0, 2000)
        let cut = SegmentCut(before: key, position: 5, tracks: [0, 1])
        let open = [
            packet(1, 1800), packet(1, 2100), packet(1, 1900), packet(1, 1950), packet(0, 1999), key, packet(1, 2400),
        ]
        let (segment, later) = cut.divide(open)
        #expect(segment.map(\.sample.presentationTime.value) == [1800, 1999])
        #expect(later.map(\.sample.presentationTime.value) == [2100, 1900, 1950, 2000, 2400])
    }

    @Test func segmentCut_trackEndedOrSilent_doesNotWait() {
        let key = packet(0, 2000)
        var ended = SegmentCut(before: key, position: 0, tracks: [0, 1])
        ended.record(key)
        ended.recordEnd(track: 1)
        #expect(ended.isComplete)
        var silent = SegmentCut(before: key, position: 0, tracks: [0, 1])
        silent.record(packet(0, 4990))
        #expect(!silent.isComplete)
        silent.record(packet(0, 5000))
        #expect(silent.isComplete)
    }

    @Test func segmentCut_singleTrack_doesNotWait() {
        let key = packet(0, 2000)
        var cut = SegmentCut(before: key, position: 0, tracks: [0])
        cut.record(key)
        #expect(cut.isComplete)
    }
}
