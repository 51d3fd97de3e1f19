import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The times at which files are tried.
@Suite struct CopyScheduleTests {
    private static let second: Int64 = 1_000_000_000
    private var schedule = CopySchedule()

    @Test func remote_failsRepeatedly_pausesLongerUpToTenMinutes() {
        var schedule = schedule
        var now: Int64 = 0
        var pauses: [Int64] = []
        for number in 1...14 {
            schedule.failed(Int64(number % 2), .remote, at: now)
            pauses.append((schedule.pausedUntil - now) / Self.second)
            now = schedule.pausedUntil
        }
        #expect(pauses == [2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600, 600, 600, 600])
        schedule.succeeded(1)
        #expect(schedule.pausedUntil == 0)
    }

    @Test func failedFile_afterAPause_isDueAfterOthers() {
        var schedule = schedule
        schedule.failed(1, .remote, at: 0)
        #expect(!schedule.isDue(1, at: schedule.pausedUntil))
        #expect(schedule.isDue(2, at: schedule.pausedUntil))
        #expect(schedule.isDue(1, at: schedule.pausedUntil + Self.second))
    }

    @Test func failedFiles_afterAnOutage_areDueAtOnce() {
        var schedule = schedule
        for number in 1...3 { schedule.failed(Int64(number), .remote, at: 0) }
        schedule.succeeded(4)
        for number in 1...3 { #expect(schedule.isDue(Int64(number), at: 0)) }
    }

    @Test func failedFile_othersSucceed_waitsAlone() {
        var schedule = schedule
        schedule.failed(1, .remote, at: 0)
        schedule.succeeded(2)
        schedule.failed(1, .remote, at: 0)
        #expect(schedule.pausedUntil == 0)
        #expect(!schedule.isDue(1, at: 4 * Self.second))
        #expect(schedule.isDue(1, at: 5 * Self.second))
    }

    @Test func failedFile_failsRepeatedly_waitsUpToAnHour() {
        var schedule = schedule
        for _ in 0..<30 {
            schedule.failed(1, .file, at: 0)
            schedule.succeeded(2)
        }
        #expect(schedule.pausedUntil == 0)
        #expect(schedule.nextDue == 3600 * Self.second)
        #expect(schedule.isTroubled)
        schedule.succeeded(1)
        #expect(!schedule.isTroubled)
    }

    @Test func failedFile_noLongerInTheBacklog_isNeverDue() {
        var schedule = schedule
        schedule.failed(1, .file, at: 0)
        schedule.failed(2, .file, at: 0)
        schedule.forgetAll(except: [2])
        #expect(!schedule.wasTried(1) && schedule.wasTried(2))
        schedule.forgetAll(except: [])
        #expect(schedule.nextDue == nil)
    }

    @Test func remote_threeFailedFilesInARow_isPaused() {
        var schedule = schedule
        schedule.failed(1, .file, at: 0)
        schedule.failed(2, .file, at: 0)
        #expect(schedule.pausedUntil == 0)
        schedule.failed(3, .file, at: 0)
        #expect(schedule.pausedUntil == 2 * Self.second)
    }
}
