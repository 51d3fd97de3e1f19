import MediaTypes
import Testing

@testable import AssetIO

@Suite struct AudioTimelineTests {
    private func time(_ milliseconds: Double) -> MediaTime { MediaTime(seconds: 5 + milliseconds / 1000) }

    @Test func timeline_consecutiveBlocks_correctsNothing() {
        var timeline = AudioTimeline(sampleRate: 48_000)
        for block in 0..<1000 {
            #expect(timeline.admit(time(Double(block) * 10), frames: 480) == .init())
        }
        #expect(timeline.gapCount == 0 && timeline.start == time(0))
    }

    @Test func timeline_jitter_isIgnored() {
        var timeline = AudioTimeline(sampleRate: 48_000)
        for block in 0..<1000 {
            let jitter = block == 0 ? 0 : Double(block * 37 % 79) - 39
            let correction = timeline.admit(time(Double(block) * 10 + jitter), frames: 480)
            #expect(correction.silence == 0 && correction.cut == 0)
        }
        #expect(timeline.gapCount == 0)
    }

    @Test func timeline_gap_isFilledToTheAudioFrame() {
        var timeline = AudioTimeline(sampleRate: 48_000)
        _ = timeline.admit(time(0), frames: 480)
        #expect(timeline.admit(time(110), frames: 480) == .init(silence: 4800))
        #expect(timeline.admit(time(120), frames: 480) == .init())
        #expect(timeline.gapCount == 1 && timeline.gapFrames == 4800)
    }

    @Test func timeline_overlap_isCut() {
        var timeline = AudioTimeline(sampleRate: 48_000)
        _ = timeline.admit(time(0), frames: 9600)
        #expect(timeline.admit(time(100), frames: 9600) == .init(cut: 4800))
        #expect(timeline.admit(time(300), frames: 480) == .init())
        #expect(timeline.gapCount == 0)
    }

    @Test func timeline_blockInThePast_isCutCompletely() {
        var timeline = AudioTimeline(sampleRate: 48_000)
        _ = timeline.admit(time(0), frames: 48_000)
        #expect(timeline.admit(time(0), frames: 480) == .init(cut: 480))
        #expect(timeline.admit(time(1000), frames: 480) == .init())
    }

    @Test func timeline_exactlyTheTolerance_isJitter() {
        var timeline = AudioTimeline(sampleRate: 48_000)
        _ = timeline.admit(time(0), frames: 480)
        #expect(timeline.admit(time(50), frames: 480) == .init())
        #expect(timeline.admit(time(-20), frames: 480) == .init())
        #expect(timeline.admit(time(70.03), frames: 480) == .init(silence: 1921))
    }

    /// The times of a file in milliseconds, or in audio frames, at the same rate as its audio.
    @Test(arguments: [1.0, 0]) func timeline_fileWithRoundedTimes_isUnchanged(unit: Double) {
        var timeline = AudioTimeline(sampleRate: 48_000, isLive: false)
        for block in 0..<10_000 {
            let exact = Double(block) * 1024 / 48
            #expect(timeline.admit(time(unit > 0 ? exact.rounded() : exact), frames: 1024) == .init())
        }
    }

    /// The times drift by 1,000 ppm, some in the steps of a decoder that counts for a while.
    @Test(arguments: [10.01, 9.99], [1, 200]) func timeline_driftOfAFile_isFollowedWithoutGaps(
        interval: Double, blocks: Int
    ) {
        var timeline = AudioTimeline(sampleRate: 48_000, isLive: false)
        for block in 0..<10_000 {
            let start = block / blocks * blocks
            let now = time(Double(start) * interval + Double(block - start) * 10)
            let correction = timeline.admit(now, frames: 480)
            #expect(correction.silence == 0 && correction.cut == 0 && abs(correction.surplus) < 0.003)
            let expected = timeline.expected ?? now
            #expect(abs((expected - now).seconds - 0.01) < 0.006)
        }
        #expect(timeline.gapCount == 0 && timeline.clock == AudioClock())
    }

    @Test func timeline_gapInADriftingFile_isFilled() {
        var timeline = AudioTimeline(sampleRate: 48_000, isLive: false)
        for block in 0..<1000 { _ = timeline.admit(time(Double(block) * 10.001), frames: 480) }
        // A packet is missing.
        let correction = timeline.admit(time(1000 * 10.001 + 20), frames: 480)
        #expect((900...1010).contains(correction.silence) && correction.surplus == 0, "\(correction)")
        #expect(timeline.admit(time(1001 * 10.001 + 20), frames: 480).silence == 0)
        let overlap = timeline.admit(time(1002 * 10.001), frames: 480)
        #expect(overlap.cut == 480, "\(overlap)")
    }

    @Test func timeline_blockWithoutTime_followsThePrevious() {
        var timeline = AudioTimeline(sampleRate: 48_000)
        _ = timeline.admit(time(0), frames: 480)
        #expect(timeline.admit(nil, frames: 480) == .init() && timeline.expected == time(20))
        #expect(timeline.admit(time(20), frames: 480) == .init())
    }

    @Test func timeline_gapTooLongToFill_restarts() {
        var timeline = AudioTimeline(sampleRate: 48_000)
        _ = timeline.admit(time(0), frames: 480)
        #expect(timeline.admit(time(60_010), frames: 480) == .init(silence: 60 * 48_000))
        #expect(timeline.start == time(0))
        // A night later.
        let night = 8.0 * 3_600_000
        #expect(timeline.admit(time(night), frames: 480) == .init(isRestart: true))
        #expect(timeline.start == time(night) && timeline.gapCount == 2)
        #expect(timeline.gapFrames == 60 * 48_000 + Int64((night - 60_020) * 48))
        // Afterwards the timeline behaves as at the start.
        #expect(timeline.admit(time(night + 10), frames: 480) == .init())
        #expect(timeline.admit(time(night + 120), frames: 480) == .init(silence: 4800))
        #expect(timeline.admit(time(night), frames: 480) == .init(cut: 480))
        #expect(timeline.admit(time(0), frames: 480) == .init(cut: 480))
    }

    @Test func timeline_extremeTimes_doNotTrap() {
        for value in [Int64.max, .max - 1, .min, 0] {
            var timeline = AudioTimeline(sampleRate: 192_000)
            _ = timeline.admit(time(0), frames: 480)
            _ = timeline.admit(MediaTime(value: value, timescale: 1), frames: 480)
            _ = timeline.admit(MediaTime(value: .max, timescale: 1), frames: 480)
            _ = timeline.admit(time(10), frames: 480)
            _ = timeline.admit(MediaTime(value: .min, timescale: 1), frames: 480)
            _ = timeline.admit(MediaTime(value: .max, timescale: 1), frames: 480)
            _ = timeline.admit(time(10), frames: 480)
            #expect(timeline.gapFrames >= 0)
        }
    }
}
