import Glibc
import MediaTypes
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The time at which another file follows a failed one. The clock is a number.
@Suite struct FileRetryTests {
    private let stale = MediaError(errno: ESTALE, "cannot write a.mov")
    private let broken = MediaError(errno: EIO, "cannot write a.mov")
    private let second: Int64 = 1_000_000_000

    @Test func next_fileAfterFile_waitsTwiceAsLongUpToThirtySeconds() {
        var retry = FileRetry()
        var now: Int64 = 0
        var delays: [Int64] = []
        for _ in 0..<12 {
            guard case .after(let delay) = retry.next(after: stale, at: now, hasSamples: false) else {
                Issue.record("gave up after \(delays)")
                return
            }
            retry.removed()
            delays.append(delay / 100_000_000)
            now += delay
        }
        #expect(delays == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
    }

    @Test func next_staleDiskForADay_makesFewFilesAndNeverGivesUp() {
        var retry = FileRetry()
        var now: Int64 = 0
        var files = 0
        while now < 86_400 * second {
            guard case .after(let delay) = retry.next(after: stale, at: now, hasSamples: false) else {
                Issue.record("gave up after \(now / second) s")
                return
            }
            retry.removed()
            files += 1
            now += delay
        }
        #expect(files < 2900)
    }

    @Test func next_brokenDisk_givesUpAfterThirtySecondsWithoutASample() {
        var retry = FileRetry()
        var now: Int64 = 0
        while case .after(let delay) = retry.next(after: broken, at: now, hasSamples: now == 0) {
            retry.removed()
            now += delay
            guard now < 300 * second else { break }
        }
        #expect(now >= FileRetry.patience && now < 2 * FileRetry.patience)
    }

    @Test func next_filesThatCannotBeRemoved_areBounded() {
        var retry = FileRetry()
        var now: Int64 = 0
        var files = 0
        while case .after(let delay) = retry.next(after: stale, at: now, hasSamples: false), files < 100 {
            files += 1
            now += delay
        }
        #expect(files == FileRetry.mostLeft)
    }

    @Test func next_fileThatRecordedForAMinute_restartsTheSeries() {
        var retry = FileRetry()
        for _ in 0..<4 {
            _ = retry.next(after: broken, at: 0, hasSamples: true)
        }
        #expect(retry.next(after: broken, at: second, hasSamples: true) == .after(1_600_000_000))
        let later = second + 1_600_000_000 + FileRetry.recovery
        #expect(retry.next(after: broken, at: later, hasSamples: true) == .after(FileRetry.shortestDelay))
    }

    @Test func next_fileThatMayNotGrow_followsAtOnce() {
        var retry = FileRetry()
        let full = MediaError(errno: EFBIG, "cannot write a.mov")
        for _ in 0..<100 { #expect(retry.next(after: full, at: 0, hasSamples: true) == .after(0)) }
    }
}
