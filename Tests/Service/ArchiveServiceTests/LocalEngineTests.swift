import ArchiveService
import Foundation
import RealTime
import TestSupport
import Testing

/// Workers controlled by a test.
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

    private func engine(
        jobs: Int, allowance: @escaping () -> LocalEngine.Allowance = { .all }
    ) -> LocalEngine {
        LocalEngine(
            workers, jobs: jobs, accountingOf: nil, allowance: allowance, clock: clock,
            pause: { [clock] in clock.advance(by: $0) })
    }

    @Test func localEngine_moreTasksThanJobs_limitsRunningWorkers() throws {
        let engine = engine(jobs: 2)
        #expect(try engine.submit([1, 2, 3, 4, 5]) == 4)
        #expect(Set(workers.started.keys) == [1, 2])
        workers.started[1]?.end = .exited(0)
        #expect(try engine.wait(nanoseconds: 1_000_000_000) == [TaskEnd(1, .exited(0))])
        #expect(Set(workers.started.keys) == [1, 2, 3])
        #expect(try engine.submit([5]) == 1)
    }

    @Test func workers_aboveAllowance_pauseAndResumeOldestFirst() throws {
        var allowance = LocalEngine.Allowance.all
        let engine = engine(jobs: 3, allowance: { allowance })
        _ = try engine.submit([1, 2, 3, 4])
        allowance = LocalEngine.Allowance(workers: 1, recorder: "front")
        #expect(try engine.wait(nanoseconds: 100_000_000).isEmpty)
        #expect(workers.started[1]?.signals == [])
        #expect(workers.started[2]?.signals == [SIGSTOP] && workers.started[3]?.signals == [SIGSTOP])
        #expect(engine.state()[1] == .running(host: ""))
        guard case .paused(let reason) = engine.state()[2] else {
            Issue.record("it is not paused")
            return
        }
        #expect(reason.contains("front"))
        allowance = LocalEngine.Allowance(workers: 2, recorder: "front")
        _ = try engine.wait(nanoseconds: 100_000_000)
        #expect(workers.started[2]?.signals == [SIGSTOP, SIGCONT] && workers.started[3]?.signals == [SIGSTOP])
    }

    @Test func workers_withoutAllowance_areNotStarted() throws {
        var allowance = LocalEngine.Allowance(workers: 0, recorder: "front")
        let engine = engine(jobs: 1, allowance: { allowance })
        _ = try engine.submit([1, 2])
        #expect(try engine.wait(nanoseconds: 100_000_000).isEmpty)
        #expect(workers.started.isEmpty)
        guard case .paused = engine.state()[1] else {
            Issue.record("there is no reason for waiting")
            return
        }
        allowance = .all
        _ = try engine.wait(nanoseconds: 100_000_000)
        #expect(Set(workers.started.keys) == [1])
    }

    /// Writes a plan with one task, and makes its directory.
    private func onePlan(in place: TemporaryDirectory) throws -> (ArchivePlan, RunDirectory, path: String) {
        let header = ArchivePlan.Header(
            program: "recorder 0", settings: ArchiveSettings(), output: RawPath("/out"), directories: [RawPath("/in")])
        var plan = ArchivePlan(header: header)
        let movie = ArchivePlan.Movie(
            source: RawPath("/in/a.mov"), identity: SourceIdentity(size: 1, modified: 1, inode: 1),
            output: RawPath("/out/a.mov"), duration: 1, cost: 1)
        plan.tasks = [ArchivePlan.Task(number: 1, movies: [movie])]
        let path = place.path("a.plan")
        try "\(PlanText.line(header))\n\(PlanText.line(plan.tasks[0]))\n".write(
            toFile: path, atomically: true, encoding: .utf8)
        let directory = RunDirectory(ofPlan: path)
        try directory.make()
        return (plan, directory, path)
    }

    /// A worker that starts after the plan was cancelled ends at once, perhaps before the run looks.
    @Test(arguments: [true, false]) func run_workerEndsWithAnError_isCancelledIfThePlanIs(isCancelled: Bool) throws {
        let place = try TemporaryDirectory()
        let (plan, directory, _) = try onePlan(in: place)
        let engine = LocalEngine(workers, jobs: 1, accountingOf: nil, clock: clock) { [clock, workers] in
            clock.advance(by: $0)
            if isCancelled { try? directory.cancel() }
            workers.started[1]?.end = .exited(65)
        }
        let end = try ArchiveRun(plan, directory, engine: engine, clock: clock).run()
        #expect(end == (isCancelled ? .cancelled : .failed))
    }

    /// `run` and `status` report the same reason for waiting.
    @Test func run_withoutAllowance_reportsWhatItWaitsFor() throws {
        let place = try TemporaryDirectory()
        let (plan, directory, path) = try onePlan(in: place)
        var turns = 0
        var told: [String] = []
        var warned: [String] = []
        var reported: [String] = []
        let engine = engine(jobs: 1, allowance: { LocalEngine.Allowance(workers: 0, recorder: "front") })
        let run = ArchiveRun(
            plan, directory, engine: engine, clock: clock,
            isStopping: {
                turns += 1
                if let report = try? ArchiveReport(ofPlan: path, isRunning: true) { reported.append(report.line) }
                return turns > 5
            }, report: { told.append($0.text()) }, warn: { warned.append($0) })
        #expect(try run.run() == .cancelled)
        #expect(warned.count == 1 && warned[0].contains("front needs the processor"), "\(warned)")
        #expect(told.last?.contains("waiting: front") == true, "\(told)")
        #expect(reported.last?.contains("waiting: front") == true, "\(reported)")
        #expect(try ArchiveReport(ofPlan: path, isRunning: true).line.hasSuffix("running"))
        #expect(
            try ArchiveReport(ofPlan: path, isRunning: false, wasInterrupted: true).line.hasSuffix("interrupted"))
    }

    @Test func cancel_workerIgnoresSIGTERM_killsIt() throws {
        let engine = engine(jobs: 2)
        _ = try engine.submit([1, 2, 3])
        workers.started[2]?.hearsTerm = false
        engine.cancel()
        #expect(workers.started[1]?.end == .signalled(SIGTERM))
        #expect(workers.started[2]?.end == .signalled(SIGKILL))
        #expect(workers.started[3] == nil)
    }

    @Test func usualJobs_fitProcessorsAndMemory() {
        #expect(LocalEngine.usualJobs(threads: 4, processors: 16, availableMemory: 64 << 30) == 4)
        #expect(LocalEngine.usualJobs(threads: 4, processors: 2, availableMemory: 64 << 30) == 1)
        #expect(LocalEngine.usualJobs(threads: 1, processors: 64, availableMemory: 3 << 30) == 2)
        #expect(LocalEngine.usualJobs(threads: 1, processors: 64, availableMemory: 1) == 1)
    }
}
