import CommandInterface
import Foundation
package import MediaTypes
package import RealTime

/// The processes of this machine: a number of workers at low priority, which hold still while a recording goes on.
package final class LocalEngine: ArchiveEngine {
    private let starter: any WorkerStarter
    private let jobs: Int
    private let isRecording: () -> Bool
    private let clock: any HostClock
    private let pause: (Int64) -> Void
    private var waiting: [Int] = []
    private var workers: [Int: any Worker] = [:]
    private var isPaused = false
    private var reader: Accounting.Reader?
    /// Two looks at the workers are so far apart.
    private static let interval: Int64 = 20_000_000
    /// From TERM to KILL.
    private static let patience: Int64 = 5_000_000_000

    /// - Parameters:
    ///   - jobs: workers at once.
    ///   - isRecording: whether somebody records on this machine; asked often, must not block.
    ///   - pause: waits, in nanoseconds.
    package init(
        _ starter: any WorkerStarter, jobs: Int, accountingOf directory: RunDirectory?,
        isRecording: @escaping () -> Bool = { false }, clock: any HostClock = MonotonicClock(),
        pause: @escaping (Int64) -> Void = { MonotonicClock().sleep(until: MonotonicClock().nanoseconds + $0) }
    ) {
        (self.starter, self.jobs, self.isRecording) = (starter, max(1, jobs), isRecording)
        (self.clock, self.pause) = (clock, pause)
        reader = directory.map { Accounting.Reader($0) }
    }

    /// As many as there are processors for their threads, and memory for their pictures.
    package static func usualJobs(threads: Int, processors: Int, availableMemory: Int64) -> Int {
        let byProcessors = (processors + threads - 1) / max(1, threads)
        return max(1, min(byProcessors, SystemMemory.encoders(in: availableMemory)))
    }

    /// Takes only what it can begin soon: the rest stays with whoever knows more of it.
    package func submit(_ tasks: [Int]) throws(MediaError) -> Int {
        let room = max(0, 2 * jobs - waiting.count - workers.count)
        waiting += tasks.prefix(room)
        try startWaiting()
        return min(room, tasks.count)
    }

    package func state() -> [Int: TaskState] {
        var states: [Int: TaskState] = [:]
        for task in waiting { states[task] = .waiting(reason: nil) }
        for task in workers.keys { states[task] = isPaused ? .paused : .running(host: "") }
        return states
    }

    package func cancel() {
        waiting = []
        // Whoever holds still hears nothing.
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
            yieldToRecording()
            var ends: [TaskEnd] = []
            for (task, worker) in workers {
                guard let ending = worker.reap() else { continue }
                ends.append(TaskEnd(task, ending))
            }
            for end in ends { workers[end.task] = nil }
            try startWaiting()
            if !ends.isEmpty || clock.nanoseconds >= deadline || workers.isEmpty && waiting.isEmpty {
                return ends.sorted { $0.task < $1.task }
            }
            pause(Self.interval)
        }
    }

    package func accounting() -> [AccountLine] { reader?.next() ?? [] }

    private func yieldToRecording() {
        let isRecording = isRecording()
        guard isRecording != isPaused else { return }
        isPaused = isRecording
        for worker in workers.values { worker.signal(isPaused ? SIGSTOP : SIGCONT) }
    }

    private func startWaiting() throws(MediaError) {
        while !isPaused, workers.count < jobs, let task = waiting.first {
            workers[task] = try starter.start(task)
            waiting.removeFirst()
        }
    }
}
