import CommandInterface
import FakeDevices
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

@Suite(.timeLimit(.minutes(10))) struct MemoryWatchTests {
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
        // This memory is needed: it is not trimmed at each look.
        watch.recordTrimmed(to: 2 * fresh - 1000)
        // The memory shrinks by itself, and grows again.
        answers += [2 * fresh, fresh, fresh + MemoryWatch.growth + 1].map { watch.hasGrown(to: $0) }
        #expect(answers == [false, false, true, false, false, true])
    }

    /// Hours with occasional overloads: memory is returned after each, in a calm moment, and at no other time.
    @Test func session_overloadsOverHours_returnsMemoryAfterEach() async throws {
        try await withTemporaryDirectory { directory in
            let figures = Locked((resident: 150 << 20, looks: 0, trims: 0))
            let bench = CaptureBench(
                directory,
                memory: MemoryReturn(
                    deallocateUnused: { figures.withLock { $0.looks += 1 } },
                    trimHeaps: { figures.withLock { ($0.resident, $0.trims) = (150 << 20, $0.trims + 1) } },
                    resident: { figures.withLock { $0.resident } }))
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            for hour in 1...3 {
                let looks = figures.withLock { $0.looks }
                bench.set(clock: hour * 3_600_000)
                try await pass(bench) { figures.withLock { $0.looks } > looks }
                figures.withLock { $0.resident = 383 << 20 }
                try await pass(bench) { figures.withLock { $0.trims } == hour }
                #expect(figures.withLock { $0.resident } == 150 << 20)
            }
            bench.process.requestStop()
            let isOver = Locked(false)
            let ending = Task {
                _ = await run.value
                isOver.withLock { $0 = true }
            }
            // The clock advances without playing hours of frames.
            try await pass(bench) { isOver.withLock { $0 } }
            await ending.value
        }
    }

    /// Advances only the clock, until the condition is true.
    private func pass(_ bench: CaptureBench, until condition: () -> Bool) async throws {
        try await waitUntil {
            if condition() { return true }
            bench.set(clock: bench.now + 1000)
            return false
        }
    }
}
