import ONVIF
import Testing

/// When probes are sent, in virtual time.
@Suite struct ProbeScheduleTests {
    @Test func probes_inThreeSeconds_areSentTwice() {
        var schedule = ProbeSchedule(start: 1000, duration: 3_000_000_000)
        var sent: [Int64] = []
        var now: Int64 = 1000
        while !schedule.isOver(at: now) {
            if schedule.isDue(at: now) { sent.append(now - 1000) }
            #expect(schedule.deadline > now)
            now = schedule.deadline
        }
        #expect(sent == [0, ProbeSchedule.repetition])
        #expect(now == 3_000_001_000)
    }

    @Test func probes_inAShortTime_areSentOnce() {
        var schedule = ProbeSchedule(start: 0, duration: 1000)
        let first = schedule.isDue(at: 0)
        let again = schedule.isDue(at: 999)
        #expect(first && !again)
        #expect(schedule.deadline == 1000 && schedule.isOver(at: 1000))
    }
}
