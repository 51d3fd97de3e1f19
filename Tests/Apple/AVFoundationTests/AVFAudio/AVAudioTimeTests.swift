import AVFAudio
import Foundation
import Testing

@Suite struct AVAudioTimeTests {
    @Test func time_parts_areValidAsGiven() {
        let host = AVAudioTime(hostTime: 5)
        #expect(host.isHostTimeValid && !host.isSampleTimeValid && host.hostTime == 5)
        let sample = AVAudioTime(sampleTime: 480, atRate: 48_000)
        #expect(!sample.isHostTimeValid && sample.isSampleTimeValid && sample.sampleTime == 480)
        #expect(sample.sampleRate == 48_000 && sample == AVAudioTime(sampleTime: 480, atRate: 48_000))
        var stamp = AVAudioTime(hostTime: 7, sampleTime: 9, atRate: 8000).audioTimeStamp
        #expect(stamp.mFlags == .sampleHostTimeValid && stamp.mHostTime == 7 && stamp.mSampleTime == 9)
        #expect(AVAudioTime(audioTimeStamp: &stamp, sampleRate: 8000).sampleTime == 9)
        #expect(AVAudioTime.hostTime(forSeconds: 2) == 2_000_000_000)
        #expect(AVAudioTime.seconds(forHostTime: 500_000_000) == 0.5 && AVAudioTime.hostTime(forSeconds: -1) == 0)
        #expect(MemoryLayout<AudioTimeStamp>.size == 64 && MemoryLayout<SMPTETime>.size == 24)
    }

    @Test func extrapolateTime_anchor_completesTheTime() throws {
        let anchor = AVAudioTime(hostTime: 1_000_000_000, sampleTime: 48_000, atRate: 48_000)
        let later = try #require(AVAudioTime(hostTime: 1_500_000_000).extrapolateTime(fromAnchor: anchor))
        #expect(later.sampleTime == 72_000 && later.hostTime == 1_500_000_000)
        let earlier = try #require(
            AVAudioTime(sampleTime: 0, atRate: 48_000).extrapolateTime(fromAnchor: anchor))
        #expect(earlier.hostTime == 0 && earlier.sampleTime == 0)
        #expect(anchor.extrapolateTime(fromAnchor: AVAudioTime(hostTime: 3)) == nil)
    }
}
