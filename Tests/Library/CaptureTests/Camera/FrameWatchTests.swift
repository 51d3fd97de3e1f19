import Testing

@testable import Capture

@Suite struct FrameWatchTests {
    private static let second: Int64 = 1_000_000_000
    private static let start = 100 * second

    /// Returns the second in which a camera with one frame a second counts as damaged; nil if it never does.
    private func secondOfDamage(isDamaged: (Int64) -> Bool) -> Int64? {
        var watch = FrameWatch(timeout: 5 * Self.second, start: Self.start)
        for number in 1...100 as ClosedRange<Int64> {
            let now = Self.start + number * Self.second
            watch.record(isDamaged: isDamaged(number), at: now)
            if watch.isDamaged(at: now) { return number }
        }
        return nil
    }

    @Test func watch_onlyDamagedFrames_isLostAfterTwoTimeouts() {
        #expect(secondOfDamage { $0 > 20 } == 31)
        #expect(secondOfDamage { _ in true } == 11)
    }

    @Test func watch_someUndamagedFrames_isNotLost() {
        #expect(secondOfDamage { $0 == 50 } == nil)
        #expect(secondOfDamage { $0 % 10 != 0 } == nil)
    }

    @Test func watch_damagedFrameAfterALongPause_isNotLost() {
        var watch = FrameWatch(timeout: 5 * Self.second, start: Self.start)
        let later = Self.start + 60 * Self.second
        watch.record(isDamaged: true, at: later)
        #expect(!watch.isDamaged(at: later) && watch.timeLeft(at: later) == 5 * Self.second)
    }

    @Test func watch_noFrame_isLostAfterTheTimeout() {
        var watch = FrameWatch(timeout: 5 * Self.second, start: Self.start)
        #expect(watch.timeLeft(at: Self.start + 4 * Self.second) == Self.second)
        watch.record(isDamaged: true, at: Self.start + 4 * Self.second)
        #expect(watch.timeLeft(at: Self.start + 5 * Self.second) == 4 * Self.second)
        #expect(watch.timeLeft(at: Self.start + 10 * Self.second) == 0)
    }
}
