import ArchiveService
import Glibc
import RealTime
import Testing

/// Workers that do what a test says.
private final class FakeWorkers: WorkerStarter {
    final class One: Worker {
        var end: TaskEnd.Ending?
        var signals: [Int32] = []
        var hearsTerm = true

        func reap() -> TaskEnd.Ending? { end }

        func signal(_ number: Int32) {
            signals.append(number)
            if number == SIGKILL || number == SIGTERM && hearsTerm { end = end ?? .signalled(number) }
        }
    }

    var started: [Int: One] = [:]

    func start(_ task: Int) -> any Worker {
        let worker = One()
        started[task] = worker
        return worker
    }
}

@Suite struct LocalEngineTests {
    private let clock = ManualClock()
    private let workers = FakeWorkers()

    private func engine(jobs: Int, isRecording: @escaping () -> Bool = { false }) -> LocalEngine {
        LocalEngine(
            workers, jobs: jobs, accountingOf: nil, isRecording: isRecording, clock: clock,
            pause: { [clock] in clock.advance(by: $0) })
    }

    @Test func noMoreWorkersRunThanItWasAskedFor() throws {
        let engine = engine(jobs: 2)
        #expect(try engine.submit([1, 2, 3, 4, 5]) == 4)
        #expect(Set(workers.started.keys) == [1, 2])
        workers.started[1]?.end = .exited(0)
        #expect(try engine.wait(nanoseconds: 1_000_000_000) == [TaskEnd(1, .exited(0))])
        #expect(Set(workers.started.keys) == [1, 2, 3])
        #expect(try engine.submit([5]) == 1)
    }

    @Test func workersHoldStillWhileSomebodyRecords() throws {
        var isRecording = false
        let engine = engine(jobs: 1, isRecording: { isRecording })
        _ = try engine.submit([1, 2])
        isRecording = true
        #expect(try engine.wait(nanoseconds: 100_000_000).isEmpty)
        #expect(workers.started[1]?.signals == [SIGSTOP])
        #expect(engine.state()[1] == .paused)
        // None begins meanwhile.
        workers.started[1]?.end = .exited(0)
        #expect(try engine.wait(nanoseconds: 100_000_000).count == 1)
        #expect(workers.started[2] == nil)
        isRecording = false
        _ = try engine.wait(nanoseconds: 100_000_000)
        #expect(workers.started[2]?.signals == [])
    }

    @Test func workersGoOnWhenTheRecordingEnds() throws {
        var isRecording = true
        let engine = engine(jobs: 1, isRecording: { isRecording })
        _ = try engine.submit([1])
        _ = try engine.wait(nanoseconds: 100_000_000)
        isRecording = false
        _ = try engine.wait(nanoseconds: 100_000_000)
        #expect(workers.started[1]?.signals == [SIGSTOP, SIGCONT])
    }

    @Test func whoDoesNotHearTermIsKilled() throws {
        let engine = engine(jobs: 2)
        _ = try engine.submit([1, 2, 3])
        workers.started[2]?.hearsTerm = false
        engine.cancel()
        #expect(workers.started[1]?.end == .signalled(SIGTERM))
        #expect(workers.started[2]?.end == .signalled(SIGKILL))
        #expect(workers.started[3] == nil)
    }

    @Test func jobsAreAsManyAsProcessorsAndMemoryAllow() {
        #expect(LocalEngine.usualJobs(threads: 4, processors: 16, availableMemory: 64 << 30) == 4)
        #expect(LocalEngine.usualJobs(threads: 4, processors: 2, availableMemory: 64 << 30) == 1)
        #expect(LocalEngine.usualJobs(threads: 1, processors: 64, availableMemory: 3 << 30) == 2)
        #expect(LocalEngine.usualJobs(threads: 1, processors: 64, availableMemory: 1) == 1)
    }
}
