import RealTime
import Testing

@Suite struct ClockTests {
    @Test func theMonotonicClockNeverGoesBack() {
        let clock = MonotonicClock()
        var last = clock.nanoseconds
        for _ in 0..<1000 {
            let now = clock.nanoseconds
            #expect(now >= last)
            last = now
        }
    }

    @Test func sleepReturnsAtOrAfterItsMoment() {
        let clock = MonotonicClock()
        let moment = clock.nanoseconds + 3_000_000
        clock.sleep(until: moment)
        #expect(clock.nanoseconds >= moment)
        clock.sleep(until: -5)  // long ago
    }

    @Test func aManualClockMovesOnlyWhenTold() {
        let clock = ManualClock(nanoseconds: 5)
        #expect(clock.nanoseconds == 5)
        clock.advance(by: 7)
        #expect(clock.nanoseconds == 12)
    }
}
