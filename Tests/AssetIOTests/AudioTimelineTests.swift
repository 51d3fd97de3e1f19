import MediaTypes
import Testing

@testable import AssetIO

@Suite struct AudioTimelineTests {
    private func time(_ milliseconds: Double) -> MediaTime { MediaTime(seconds: 5 + milliseconds / 1000) }

    @Test func blocksThatFollowEachOtherAreLeftAlone() {
        var timeline = AudioTimeline(sampleRate: 48_000)
        for block in 0..<1000 {
            #expect(timeline.admit(time(Double(block) * 10), frames: 480) == .init())
        }
        #expect(timeline.gapCount == 0 && timeline.start == time(0))
    }

    @Test func jitterIsNotFollowed() {
        var timeline = AudioTimeline(sampleRate: 48_000)
        for block in 0..<1000 {
            let jitter = block == 0 ? 0 : Double(block * 37 % 79) - 39
            #expect(timeline.admit(time(Double(block) * 10 + jitter), frames: 480) == .init())
        }
        #expect(timeline.gapCount == 0)
    }

    @Test func aGapIsFilledToTheSample() {
        var timeline = AudioTimeline(sampleRate: 48_000)
        _ = timeline.admit(time(0), frames: 480)
        #expect(timeline.admit(time(110), frames: 480) == .init(silence: 4800))
        #expect(timeline.admit(time(120), frames: 480) == .init())
        #expect(timeline.gapCount == 1 && timeline.gapFrames == 4800)
    }

    @Test func anOverlapIsCut() {
        var timeline = AudioTimeline(sampleRate: 48_000)
        _ = timeline.admit(time(0), frames: 9600)
        #expect(timeline.admit(time(100), frames: 9600) == .init(cut: 4800))
        #expect(timeline.admit(time(300), frames: 480) == .init())
        #expect(timeline.gapCount == 0)
    }

    @Test func aBlockThatLiesWhollyInThePastIsCutAway() {
        var timeline = AudioTimeline(sampleRate: 48_000)
        _ = timeline.admit(time(0), frames: 48_000)
        #expect(timeline.admit(time(0), frames: 480) == .init(cut: 480))
        #expect(timeline.admit(time(1000), frames: 480) == .init())
    }

    @Test func theToleranceItselfIsJitter() {
        var timeline = AudioTimeline(sampleRate: 48_000)
        _ = timeline.admit(time(0), frames: 480)
        #expect(timeline.admit(time(50), frames: 480) == .init())
        #expect(timeline.admit(time(-20), frames: 480) == .init())
        #expect(timeline.admit(time(70.03), frames: 480) == .init(silence: 1921))
    }

    @Test func driftIsCorrectedOnceItPassesTheTolerance() {
        // A device 1,000 ppm slow: 10 ms of its sound take 10.01 ms.
        var timeline = AudioTimeline(sampleRate: 48_000)
        var silence = 0
        for block in 0..<10_000 { silence += timeline.admit(time(Double(block) * 10.01), frames: 480).silence }
        // 100 s drift by 100 ms: two corrections of a little more than 40 ms.
        #expect(timeline.gapCount == 2 && abs(silence - 2 * 1921) < 20)
    }

    @Test func theLongestSilenceIsFilledAndALongerGapStartsAnew() {
        var timeline = AudioTimeline(sampleRate: 48_000)
        _ = timeline.admit(time(0), frames: 480)
        #expect(timeline.admit(time(60_010), frames: 480) == .init(silence: 60 * 48_000))
        #expect(timeline.start == time(0))
        // A night later.
        let night = 8.0 * 3_600_000
        #expect(timeline.admit(time(night), frames: 480) == .init(isRestart: true))
        #expect(timeline.start == time(night) && timeline.gapCount == 2)
        #expect(timeline.gapFrames == 60 * 48_000 + Int64((night - 60_020) * 48))
        // From there on as from the beginning.
        #expect(timeline.admit(time(night + 10), frames: 480) == .init())
        #expect(timeline.admit(time(night + 120), frames: 480) == .init(silence: 4800))
        #expect(timeline.admit(time(night), frames: 480) == .init(cut: 480))
        #expect(timeline.admit(time(0), frames: 480) == .init(cut: 480))
    }

    @Test func timesAtTheEndOfTimeDoNotTrap() {
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
