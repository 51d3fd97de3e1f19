import CommandInterface
import FakeDevices
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderService

@Suite(.timeLimit(.minutes(1))) struct MemoryWatchTests {
    @Test func isDue_busyMoments_waitsForACalmOne() {
        var watch = MemoryWatch()
        var answers: [Bool] = []
        for (second, isCalm) in [
            (100, true), (114, true), (115, false), (500, false), (501, true), (502, true), (516, true),
        ] {
            answers.append(watch.isDue(at: Int64(second) * 1_000_000_000, isCalm: isCalm))
        }
        #expect(answers == [false, false, false, false, true, false, true])
    }

    @Test func hasGrown_peak_trimsOnceAndAgainAfterTheNext() {
        var watch = MemoryWatch()
        let fresh = 150 << 20
        var answers = [fresh, fresh + MemoryWatch.growth, 2 * fresh].map { watch.hasGrown(to: $0) }
        // That is needed now: no trim at each look.
        watch.noteTrimmed(to: 2 * fresh - 1000)
        // It comes back by itself, and grows again.
        answers += [2 * fresh, fresh, fresh + MemoryWatch.growth + 1].map { watch.hasGrown(to: $0) }
        #expect(answers == [false, false, true, false, false, true])
    }
}
