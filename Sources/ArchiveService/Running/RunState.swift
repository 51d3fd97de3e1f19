/// Which tasks of a plan are to be begun, and which are over: a pure value that knows no engine.
package struct RunState: Sendable {
    package enum Verdict: Sendable, Equatable {
        case done
        case failed
        /// It is begun again later.
        case again
    }

    /// How often a task is begun again after an end that may go otherwise another time.
    package static let mostRetries = 3
    /// Before it is begun again the first time, in nanoseconds; each further time twice as long.
    private static let firstDelay: Int64 = 2_000_000_000

    private var queue: [Int]
    private var next = 0
    private var retries: [Int: Int] = [:]
    private var later: [(task: Int, time: Int64)] = []
    private var running: Set<Int>
    /// Tasks that wait for others, and for which of them.
    private var waiting: [Int: Set<Int>] = [:]
    package private(set) var done = 0
    package private(set) var failed = 0

    /// - Parameters:
    ///   - tasks: in their order.
    ///   - after: which of them begin only when others are done; those that are not among the tasks are.
    ///   - adopted: those that the engine has already.
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

    /// Those that may be begun now, in their order; they stay here until they are `begun`.
    package mutating func ready(at now: Int64, atMost count: Int) -> [Int] {
        let due = later.filter { $0.time <= now }
        later.removeAll { $0.time <= now }
        queue += due.map(\.task)
        return Array(queue[next..<min(queue.count, next + count)])
    }

    /// The first so many of those that were ready.
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
        let tried = retries[end.task, default: 0] + end.restarts
        // Another run makes the same copy: that one lives, and so this ends when it does.
        if end.isBusy {
            retries[end.task] = tried + 1
            later.append((end.task, now + Self.firstDelay << Int64(min(tried, 4))))
            return .again
        }
        guard end.isTransient, tried < Self.mostRetries else {
            failed += 1
            giveUp(after: end.task)
            return .failed
        }
        retries[end.task] = tried + 1 - end.restarts
        later.append((end.task, now + Self.firstDelay << Int64(tried)))
        return .again
    }

    /// Those for which it was the last begin before all others: what they join takes room until then.
    private mutating func free(_ task: Int) {
        for (waits, others) in waiting.sorted(by: { $0.key > $1.key }) where others.contains(task) {
            waiting[waits]?.remove(task)
            guard waiting[waits]?.isEmpty == true else { continue }
            waiting[waits] = nil
            queue.insert(waits, at: next)
        }
    }

    /// What waits for a task that failed never begins.
    private mutating func giveUp(after task: Int) {
        for (waits, others) in waiting where others.contains(task) {
            waiting[waits] = nil
            failed += 1
        }
    }
}
