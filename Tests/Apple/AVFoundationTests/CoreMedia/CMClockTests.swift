import AVFoundation
import Testing

@Suite struct CMClockTests {
    @Test func hostClock_time_isThatOfMachAbsoluteTime() {
        let (before, clock) = (mach_absolute_time(), CMClockGetHostTimeClock())
        let time = CMClockGetTime(clock)
        #expect(time.timescale == 1_000_000_000 && UInt64(time.value) >= before)
        #expect(clock === CMClock.hostTimeClock && clock.time >= time && !clock.mightDrift(relativeTo: clock))
        #expect(CMClockConvertHostTimeToSystemUnits(CMClockMakeHostTimeFromSystemUnits(before)) == before)
        #expect(CMClockConvertHostTimeToSystemUnits(CMTime(value: -1, timescale: 1)) == 0)
        #expect(CMSyncConvertTime(time, from: clock, to: clock) == time)
        #expect(clock.convertTime(time, to: clock) == time)
    }
}
