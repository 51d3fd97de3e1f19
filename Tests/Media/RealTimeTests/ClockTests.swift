import RealTime
import Testing

@Suite struct ClockTests {
    @Test func monotonicClock_neverGoesBack() {
        let clock = MonotonicClock()
        var last = clock.nanoseconds
        for _ in 0..<1000 {
            let now = clock.nanoseconds
            #expect(now >= last)
            last = now
        }
    }

    @Test func sleep_untilATime_returnsAtOrAfterIt() {
        let clock = MonotonicClock()
        let moment = clock.nanoseconds + 3_000_000
        clock.sleep(until: moment)
        #expect(clock.nanoseconds >= moment)
        clock.sleep(until: -5)  // long ago
    }

    @Test func manualClock_advanced_movesByThat() {
        let clock = ManualClock(nanoseconds: 5)
        #expect(clock.nanoseconds == 5)
        clock.advance(by: 7)
        #expect(clock.nanoseconds == 12)
    }
}
