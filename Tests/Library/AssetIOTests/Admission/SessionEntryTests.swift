import MediaTypes
import Testing

@testable import AssetIO

/// Tests of the packets that are kept while the session has not begun.
@Suite struct SessionEntryTests {
    private static let megabyte = MediaData([UInt8](repeating: 0, count: 1 << 20))

    private func packet(_ second: Int64) -> SampleBuffer {
        var format = VideoFormat(codec: .h264, width: 2, height: 2)
        format.decoderConfiguration = [1]
        return SampleBuffer(
            format: .video(format), content: .data(Self.megabyte),
            presentationTime: MediaTime(value: second, timescale: 1), isKeyframe: second == 0)
    }

    /// A session that starts in a GOP, 100 MiB after its keyframe.
    @Test(arguments: [true, false]) func entry_longGOPBeforeTheSession_isLimitedForLiveSources(isRealTime: Bool) {
        var entry = SessionEntry(TrackTraits(mediaType: .video, isRealTime: isRealTime, isPassthrough: true))
        entry.begin(at: MediaTime(value: 100, timescale: 1))
        for second in 0..<100 as Range<Int64> where entry.canDecode(packet(second)) {
            #expect(entry.admit(packet(second)) == nil)
        }
        #expect(entry.canDecode(packet(100)) == !isRealTime)
        guard !isRealTime else { return }
        #expect(entry.admit(packet(100))?.earlier.count == 100)
    }
}
