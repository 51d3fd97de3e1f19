/// The states of a plan's tasks: which may begin, which are running, and which have ended. A pure value that does not
/// depend on an engine.
package struct RunState: Sendable {
    package enum Verdict: Sendable, Equatable {
        case done
        case failed
        /// The task is retried later.
        case again
    }

    /// The maximum number of retries of a task after a temporary failure.
    package static let mostRetries = 3
    /// Nanoseconds before the first retry. The delay doubles with each retry.
    private static let firstDelay: Int64 = 2_000_000_000

    private var queue: [Int]
    private var next = 0
    private var retries: [Int: Int] = [:]
    /// The number of attempts that found a file in use, by task. These attempts do not count as retries.
    private var waits: [Int: Int] = [:]
    private var later: [(task: Int, time: Int64)] = []
    private var running: Set<Int>
    /// The tasks that wait for other tasks, each with the tasks that it waits for.
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

    /// Returns the tasks that may begin now, in order. They remain in the queue until `begun` is called.
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
        // Another process is making the same copy. The task is retried until that process ends, without a limit to the
        // number of retries.
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

    /// Puts the tasks that now wait for no other task at the front of the queue. These tasks join parts, and thus free
    /// the disk space that the parts use.
    private mutating func free(_ task: Int) {
        for (waits, others) in waiting.sorted(by: { $0.key > $1.key }) where others.contains(task) {
            waiting[waits]?.remove(task)
            guard waiting[waits]?.isEmpty == true else { continue }
            waiting[waits] = nil
            queue.insert(waits, at: next)
        }
    }

    /// Counts a failure for each task that waits for a failed task. These tasks never begin.
    private mutating func giveUp(after task: Int) {
        for (waits, others) in waiting where others.contains(task) {
            waiting[waits] = nil
            failed += 1
        }
    }
}
