import MediaTypes
import TestSupport
import Testing

@Suite struct SampleBufferTests {
    @Test func sample_pcm_hasAudioFramesAndDuration() {
        let sample = SyntheticMedia.tone(from: 0, count: 480, at: .zero)
        #expect(sample.sampleCount == 480 && sample.byteCount == 1920)
        #expect(sample.duration == MediaTime(value: 1, timescale: 100))
    }

    @Test func sample_moved_keepsTheDistanceOfItsDecodeTime() {
        let format = FormatDescription.video(VideoFormat(codec: .h264, width: 2, height: 2))
        let sample = SampleBuffer(
            format: format, content: .data(MediaData([1])), presentationTime: MediaTime(value: 5, timescale: 10),
            decodeTime: MediaTime(value: 3, timescale: 10))
        let moved = sample.at(MediaTime(value: 15, timescale: 10))
        #expect(moved.presentationTime == MediaTime(value: 3, timescale: 2))
        #expect(moved.decodeTime == MediaTime(value: 13, timescale: 10))
    }

    @Test func audioFormat_24Bits_takesThreeBytesPerChannel() {
        #expect(AudioFormat(pcm: .s24, sampleRate: 48_000, channelCount: 2).bytesPerFrame == 6)
        #expect(AudioFormat(codec: .aac, sampleRate: 48_000, channelCount: 2).bytesPerFrame == nil)
        for layout in ChannelLayout.allCases { #expect((1...8).contains(layout.channelCount)) }
    }
}
