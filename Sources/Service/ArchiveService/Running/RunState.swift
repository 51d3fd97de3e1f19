/// The tasks of a plan that are to begin, and those that have ended. A pure value that knows no engine.
package struct RunState: Sendable {
    package enum Verdict: Sendable, Equatable {
        case done
        case failed
        /// The task is retried later.
        case again
    }

    /// The maximum number of retries of a task after a temporary failure.
    package static let mostRetries = 3
    /// Nanoseconds before the first retry; the delay doubles each time.
    private static let firstDelay: Int64 = 2_000_000_000

    private var queue: [Int]
    private var next = 0
    private var retries: [Int: Int] = [:]
    /// How often each task found a file in use. These attempts do not count as retries.
    private var waits: [Int: Int] = [:]
    private var later: [(task: Int, time: Int64)] = []
    private var running: Set<Int>
    /// Tasks that wait for others, with the tasks they wait for.
    private var waiting: [Int: Set<Int>] = [:]
    package private(set) var done = 0
    package private(set) var failed = 0

    /// Creates the state.
    ///
    /// - Parameters:
    ///   - tasks: The unfinished tasks in order.
    ///   - after: The tasks that each task waits for. Tasks that are not in `tasks` count as done.
    ///   - adopted: The tasks that the engine already has.
    package init(_ tasks: [Int], after: [Int: [Int]] = [:], adopted: [Int] = []) {
        let known = Set(tasks)
        let adopted = Set(adopted)
        running = adopted.intersection(known)
        for task in tasks where !adopted.contains(task) {
            let others = known.intersection(after[task] ?? [])
            if !others.isEmpty { waiting[task] = others }
        }
        queue = tasks.filter { [waiting] in !adopted.contains($0) && waiting[$0] == nil }
    }

    package var isOver: Bool { next == queue.count && later.isEmpty && running.isEmpty && waiting.isEmpty }

    /// Returns the tasks that may begin now, in order. They stay queued until `begun`.
    package mutating func ready(at now: Int64, atMost count: Int) -> [Int] {
        let due = later.filter { $0.time <= now }
        later.removeAll { $0.time <= now }
        queue += due.map(\.task)
        return Array(queue[next..<min(queue.count, next + count)])
    }

    /// Records that the first `count` ready tasks have begun.
    package mutating func begun(_ count: Int) {
        running.formUnion(queue[next..<(next + count)])
        next += count
    }

    package mutating func ended(_ end: TaskEnd, at now: Int64) -> Verdict {
        running.remove(end.task)
        if case .exited(0) = end.ending {
            done += 1
            free(end.task)
            return .done
        }
        // Another run is making the same copy. It is alive, so the task waits without a limit, until that run ends.
        if end.isBusy {
            let waited = waits[end.task, default: 0]
            waits[end.task] = waited + 1
            later.append((end.task, now + Self.firstDelay << Int64(min(waited, 4))))
            return .again
        }
        let tried = retries[end.task, default: 0] + end.restarts
        guard end.isTransient, tried < Self.mostRetries else {
            failed += 1
            giveUp(after: end.task)
            return .failed
        }
        retries[end.task] = tried + 1 - end.restarts
        later.append((end.task, now + Self.firstDelay << Int64(tried)))
        return .again
    }

    /// Queues the tasks that waited only for this one, before all other tasks: they join parts, and so free the disk
    /// space that the parts use.
    private mutating func free(_ task: Int) {
        for (waits, others) in waiting.sorted(by: { $0.key > $1.key }) where others.contains(task) {
            waiting[waits]?.remove(task)
            guard waiting[waits]?.isEmpty == true else { continue }
            waiting[waits] = nil
            queue.insert(waits, at: next)
        }
    }

    /// Fails the tasks that wait for a failed one; they never begin.
    private mutating func giveUp(after task: Int) {
        for (waits, others) in waiting where others.contains(task) {
            waiting[waits] = nil
            failed += 1
        }
    }
}
