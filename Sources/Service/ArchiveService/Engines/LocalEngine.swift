import CommandInterface
import Foundation
package import MediaTypes
package import RealTime

/// An engine that runs tasks in processes of this machine. These workers have the lowest priority. While a recording
/// needs the CPU, some or all of them are stopped.
package final class LocalEngine: ArchiveEngine {
    /// The number of workers that may run now.
    package struct Allowance: Sendable, Hashable {
        package static let all = Allowance(workers: .max)

        package let workers: Int
        /// The recorder for which the other workers are stopped; nil while all workers may run.
        package let recorder: String?

        package init(workers: Int, recorder: String? = nil) { (self.workers, self.recorder) = (workers, recorder) }

        var reason: String {
            (recorder ?? "a recording") + " needs the processor: it encodes with reduced effort, or drops samples"
        }
    }

    private let starter: any WorkerStarter
    private let jobs: Int
    private let allowance: () -> Allowance
    private let clock: any HostClock
    private let pause: (Int64) -> Void
    private var waiting: [Int] = []
    private var workers: [Int: any Worker] = [:]
    /// The stopped workers.
    private var stopped: Set<Int> = []
    private var reader: Accounting.Reader?
    /// Nanoseconds between two checks of the workers.
    private static let interval: Int64 = 20_000_000
    /// Maximum time between SIGTERM and the end of a worker, in nanoseconds. After this time the worker gets SIGKILL.
    private static let patience: Int64 = 5_000_000_000

    /// Creates the engine.
    ///
    /// - Parameters:
    ///   - jobs: The number of parallel workers.
    ///   - allowance: Returns the number of workers that may run now. Called often, so it must not block.
    ///   - pause: Waits for the given number of nanoseconds.
    package init(
        _ starter: any WorkerStarter, jobs: Int, accountingOf directory: RunDirectory?,
        allowance: @escaping () -> Allowance = { .all }, clock: any HostClock = MonotonicClock(),
        pause: @escaping (Int64) -> Void = { MonotonicClock().sleep(until: MonotonicClock().nanoseconds + $0) }
    ) {
        (self.starter, self.jobs, self.allowance) = (starter, max(1, jobs), allowance)
        (self.clock, self.pause) = (clock, pause)
        reader = directory.map { Accounting.Reader($0) }
    }

    /// Returns the number of workers for which this machine has enough CPUs and memory.
    package static func usualJobs(threads: Int, processors: Int, availableMemory: Int64) -> Int {
        let byProcessors = (processors + threads - 1) / max(1, threads)
        return max(1, min(byProcessors, SystemMemory.encoders(in: availableMemory)))
    }

    /// Accepts only tasks that can begin soon. The caller keeps the other tasks.
    package func submit(_ tasks: [Int]) throws(MediaError) -> Int {
        let room = max(0, 2 * jobs - waiting.count - workers.count)
        waiting += tasks.prefix(room)
        try startWaiting()
        return min(room, tasks.count)
    }

    package func state() -> [Int: TaskState] {
        var states: [Int: TaskState] = [:]
        for task in waiting { states[task] = .waiting(reason: nil) }
        let reason = allowance().reason
        for task in workers.keys { states[task] = .running(host: "") }
        for task in stopped { states[task] = .paused(reason: reason) }
        // Tasks that would be stopped at once are not begun.
        if workers.isEmpty, let first = waiting.first, allowance().workers == 0 {
            states[first] = .paused(reason: reason)
        }
        return states
    }

    package func cancel() {
        waiting = []
        // A stopped process does not handle signals.
        for worker in workers.values {
            worker.signal(SIGTERM)
            worker.signal(SIGCONT)
        }
        let deadline = clock.nanoseconds + Self.patience
        while workers.values.contains(where: { $0.reap() == nil }), clock.nanoseconds < deadline {
            pause(Self.interval)
        }
        for worker in workers.values where worker.reap() == nil { worker.signal(SIGKILL) }
    }

    package func wait(nanoseconds: Int64) throws(MediaError) -> [TaskEnd] {
        let deadline = clock.nanoseconds + nanoseconds
        while true {
            applyAllowance()
            var ends: [TaskEnd] = []
            for (task, worker) in workers {
                guard let ending = worker.reap() else { continue }
                ends.append(TaskEnd(task, ending))
            }
            for end in ends {
                workers[end.task] = nil
                stopped.remove(end.task)
            }
            try startWaiting()
            if !ends.isEmpty || clock.nanoseconds >= deadline || workers.isEmpty && waiting.isEmpty {
                return ends.sorted { $0.task < $1.task }
            }
            pause(Self.interval)
        }
    }

    package func accounting() -> [AccountLine] { reader?.next() ?? [] }

    /// Stops the newest running workers if more are running than allowed. Continues the oldest stopped workers if fewer
    /// are running than allowed.
    private func applyAllowance() {
        let allowed = allowance().workers
        let computing = workers.keys.filter { !stopped.contains($0) }.sorted()
        for task in computing.dropFirst(allowed) {
            workers[task]?.signal(SIGSTOP)
            stopped.insert(task)
        }
        for task in stopped.sorted().prefix(max(0, allowed - computing.count)) {
            workers[task]?.signal(SIGCONT)
            stopped.remove(task)
        }
    }

    private func startWaiting() throws(MediaError) {
        let most = min(jobs, allowance().workers)
        while workers.count < most, let task = waiting.first {
            workers[task] = try starter.start(task)
            waiting.removeFirst()
        }
    }
}
