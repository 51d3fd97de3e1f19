import Testing

@testable import WebService

@Suite struct RereadScheduleTests {
    @Test func growingFile_isReadAgainAfterTheInterval() {
        var schedule = RereadSchedule(now: 100, interval: 10)
        #expect(!schedule.isDue(200))
        schedule.grow()
        #expect(!schedule.isDue(109) && schedule.isDue(110))
        schedule.read(from: 110, to: 110)
        // It has not grown since.
        #expect(!schedule.isDue(500))
        schedule.grow()
        #expect(schedule.isDue(120))
    }

    @Test func movieThatTakesLongToRead_isReadLessOften() {
        var schedule = RereadSchedule(now: 0, interval: 10)
        schedule.grow()
        schedule.read(from: 100, to: 104)
        schedule.grow()
        #expect(!schedule.isDue(303) && schedule.isDue(304))
    }
}
