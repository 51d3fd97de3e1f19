import ArchiveService
import Glibc
import MediaTypes
import RealTime

/// The processor time of this process: what a run itself needs, independent of the machine's other work.
struct ProcessorClock: HostClock {
    var nanoseconds: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }
}

/// A clock that advances on request, and with the processor time of the program: nodes wait while the run works.
final class VirtualClock: HostClock {
    private let real = ProcessorClock()
    private let skipped = Locked<Int64>(0)

    var nanoseconds: Int64 { real.nanoseconds + skipped.withLock { $0 } }

    func skip(to time: Int64) { skipped.withLock { $0 += max(0, time - (real.nanoseconds + $0)) } }
    /// Subtracts the time that the simulation itself needed.
    func forget(_ nanoseconds: Int64) { skipped.withLock { $0 -= nanoseconds } }
}

/// Nodes that run one task at a time from a queue as long as Slurm's. A task takes the planned time, a tenth more or
/// less. Its records are written as a node writes them.
final class SimulatedEngine: ArchiveEngine {
    let clock = VirtualClock()
    private let tasks: [Int: ArchivePlan.Task]
    private let header: ArchivePlan.Header
    private let directory: RunDirectory
    private let nodes: Int
    private var reader: Accounting.Reader
    private var queue: [Int] = []
    private var next = 0
    /// The running tasks, sorted by end.
    private var running: [(end: Int64, node: Int, task: Int)] = []
    private var idle: [(node: Int, since: Int64)]
    private let began: Int64
    private var waited: Int64 = 0
    private var busy: Int64 = 0
    private var lastEnd: Int64 = 0
    /// Seconds spent on appending records, which each node does itself.
    private(set) var accountingTime = 0.0

    init(_ plan: ArchivePlan, _ directory: RunDirectory, nodes: Int) {
        tasks = Dictionary(uniqueKeysWithValues: plan.tasks.map { ($0.number, $0) })
        (header, self.directory, self.nodes) = (plan.header, directory, nodes)
        reader = Accounting.Reader(directory)
        let now = clock.nanoseconds
        began = now
        idle = (0..<nodes).map { ($0, now) }
    }

    /// The mean duration of a task, in seconds.
    var meanTask: Double { tasks.isEmpty ? 0 : Double(busy) / 1e9 / Double(tasks.count) }
    /// The share of all nodes' time between two tasks, and before the first.
    var waiting: Double { share(waited, of: lastEnd - began) }
    /// The share of all nodes' time after their last tasks, while other nodes still work.
    var tail: Double { share(Int64(nodes) * (lastEnd - began) - busy - waited, of: lastEnd - began) }

    private func share(_ time: Int64, of length: Int64) -> Double {
        length > 0 ? Double(time) / Double(length) / Double(nodes) : 0
    }

    func submit(_ tasks: [Int]) throws(MediaError) -> Int {
        let room = SlurmOptions.largestWindow - (queue.count - next) - running.count
        let count = min(tasks.count, max(0, room))
        // The engine for Slurm does the same: it submits no array for each task that ended.
        guard count > 0, count == tasks.count || count >= SlurmOptions.largestArray / 4 else { return 0 }
        queue += tasks.prefix(count)
        try begin()
        return count
    }

    private func begin() throws(MediaError) {
        while next < queue.count, let place = idle.popLast() {
            let number = queue[next]
            next += 1
            let now = clock.nanoseconds
            waited += now - place.since
            let cost = (tasks[number]?.cost ?? 0) * (0.9 + Double(number * 7919 % 1000) / 5000)
            let end = now + Int64(cost * 1e9)
            busy += end - now
            let index = running.firstIndex { $0.end < end } ?? running.count
            running.insert((end, place.node, number), at: index)
            try account(place.node) { accounting throws(MediaError) in
                try accounting.append(accounting.line(.begun, task: number))
            }
        }
    }

    /// Writes records as the task's process does.
    private func account(_ node: Int, _ work: (Accounting) throws(MediaError) -> Void) throws(MediaError) {
        let real = ProcessorClock()
        let start = real.nanoseconds
        try work(Accounting(directory, host: "node-\(node)"))
        let spent = real.nanoseconds - start
        accountingTime += Double(spent) / 1e9
        clock.forget(spent)
    }

    func wait(nanoseconds: Int64) throws(MediaError) -> [TaskEnd] {
        let deadline = clock.nanoseconds + nanoseconds
        guard let first = running.last else {
            if next == queue.count { clock.skip(to: deadline) }
            return []
        }
        // Steps in which nothing ends are skipped: a movie takes a thousand of them.
        clock.skip(to: first.end)
        var ends: [TaskEnd] = []
        while let last = running.last, last.end <= clock.nanoseconds {
            running.removeLast()
            lastEnd = max(lastEnd, last.end)
            idle.append((last.node, last.end))
            ends.append(TaskEnd(last.task, .exited(0)))
            try account(last.node) { accounting throws(MediaError) in try self.report(last.task, accounting) }
        }
        try begin()
        return ends
    }

    private func report(_ number: Int, _ accounting: Accounting) throws(MediaError) {
        for movie in tasks[number]?.movies ?? [] {
            var line = accounting.line(.made, task: number, movie: movie.source)
            (line.duration, line.inputBytes, line.bytes) = (movie.duration, 1 << 30, 1 << 28)
            line.fingerprint = (movie.settings ?? header.settings).fingerprint(
                of: movie.identity, program: header.program)
            line.seconds = movie.cost
            try accounting.append(line)
        }
        var line = accounting.line(.ended, task: number)
        line.exit = 0
        try accounting.append(line)
    }

    func state() -> [Int: TaskState] { [:] }
    func cancel() {}
    func accounting() -> [AccountLine] { reader.next() }
}
