import Demuxing
import MediaTypes
import TestSupport
import Testing

/// Tests that frames hidden by an edit list are counted separately.
@Suite struct ShownFramesTests {
    @Test func summary_editedMovie_countsStoredAndShownFrames() throws {
        let edited = try MovieInspector.summary(ofFileAt: try InputMatrix["hevc-10-edited.mp4"].url().path)
        let track = try #require(edited.tracks.first)
        let (stored, shown) = (try #require(track.frameCount), try #require(track.shownFrameCount))
        let decoded = try InputMatrix["hevc-10-edited.mp4"].judgement().video[0].times.count
        #expect(shown == decoded && stored > shown)
        let whole = try MovieInspector.summary(ofFileAt: try InputMatrix["h264-aac.mov"].url().path)
        #expect(whole.tracks.allSatisfy { $0.shownFrameCount == nil })
    }
}
