import CommandInterface
import Foundation
package import MediaTypes
package import RealTime

/// A cluster under Slurm: job arrays of at most a thousand tasks, in windows. What ran and how it ended is told by the plan's own
/// accounting, which all nodes write; Slurm is only asked what is still in its queue, because it need not keep more.
package final class SlurmEngine: ArchiveEngine {
    private struct Place: Hashable {
        let job: Int
        let index: Int
    }

    private struct Attempt {
        let place: Place
        /// Of the accounting: its last end.
        var exit: Int32?
        var restarts = 0
        /// How often Slurm did not have it any more, one time after the other.
        var misses = 0
    }

    private let script: SlurmScript
    private let directory: RunDirectory
    private let options: SlurmOptions
    private let run: CommandRunner
    private let clock: any HostClock
    private let pause: (Int64) -> Void
    private let journal: SlurmJournal
    private var attempts: [Int: Attempt] = [:]
    private var queue: [Int: TaskState] = [:]
    private var reader: Accounting.Reader
    private var lines: [AccountLine] = []
    private var scriptIsThere = false
    /// Arrays of this run.
    private var jobs: [Int] = []
    /// Between two looks at the queue: ten thousand jobs are a megabyte of answer.
    private let interval: Int64

    /// Takes up what an earlier run has in the queue.
    ///
    /// - Parameters:
    ///   - recorder: the program's path on all nodes.
    ///   - plan: absolute.
    ///   - pause: waits, in nanoseconds.
    /// - Throws: where Slurm is not there, or does not answer.
    package init(
        recorder: String, plan: String, options: SlurmOptions, interval: Int64 = 5_000_000_000,
        clock: any HostClock = MonotonicClock(),
        pause: @escaping (Int64) -> Void = { MonotonicClock().sleep(until: MonotonicClock().nanoseconds + $0) },
        run: @escaping CommandRunner = CommandRun.run
    ) throws(MediaError) {
        script = SlurmScript(recorder: recorder, plan: plan, options: options)
        directory = RunDirectory(ofPlan: plan)
        (self.options, self.interval, self.clock, self.pause, self.run) = (options, interval, clock, pause, run)
        journal = SlurmJournal(directory)
        reader = Accounting.Reader(directory)
        // What was accounted before belongs to no attempt of this run.
        lines = reader.next()
        let alive = try look()
        for submission in journal.read() {
            for (index, task) in submission.tasks.enumerated() {
                let place = Place(job: submission.job, index: index)
                if alive[place] != nil { attempts[task] = Attempt(place: place) }
            }
        }
    }

    /// Tasks that an earlier run left in the queue.
    package var adopted: [Int] { attempts.keys.sorted() }

    package func submit(_ tasks: [Int]) throws(MediaError) -> Int {
        var taken = 0
        while taken < tasks.count {
            let room = SlurmOptions.largestWindow - attempts.count
            let count = min(tasks.count - taken, SlurmOptions.largestArray, room)
            // Not one array for each task that ended.
            guard count > 0, count == tasks.count - taken || count >= SlurmOptions.largestArray / 4 else { break }
            guard try submitArray(Array(tasks[taken..<(taken + count)])) else { break }
            taken += count
        }
        return taken
    }

    /// - Returns: false where Slurm has no room now.
    private func submitArray(_ tasks: [Int]) throws(MediaError) -> Bool {
        try writeScript()
        let list = "\(directory.slurm)/list-\(tasks[0])-\(UInt32.random(in: 0...UInt32.max)).txt"
        try Self.write(tasks.map { "\($0)\n" }.joined(), to: list)
        let answer = try run(
            script.submission(script: directory.slurm + "/task.sh", list: list, count: tasks.count))
        guard answer.status == 0, let job = SlurmQueue.submitted(answer.output) else {
            unlink(list)
            if SlurmQueue.isFull(answer.errors) { return false }
            throw Self.refusal("sbatch", answer)
        }
        try journal.add(SlurmJournal.Submission(job: job, tasks: tasks))
        jobs.append(job)
        for (index, task) in tasks.enumerated() { attempts[task] = Attempt(place: Place(job: job, index: index)) }
        return true
    }

    private func writeScript() throws(MediaError) {
        guard !scriptIsThere else { return }
        try Self.write(script.task, to: directory.slurm + "/task.sh")
        scriptIsThere = true
    }

    /// Lets Slurm write the report once all arrays of this run have ended, however they did: whoever started it may walk away.
    package func submitReport() throws(MediaError) {
        guard !jobs.isEmpty else { return }
        try Self.write(script.report, to: directory.slurm + "/report.sh")
        let answer = try run(
            script.reportSubmission(script: directory.slurm + "/report.sh", after: jobs.map(String.init)))
        guard answer.status == 0 else { throw Self.refusal("sbatch", answer) }
    }

    package func state() throws(MediaError) -> [Int: TaskState] {
        attempts.mapValues { _ in TaskState.waiting }.merging(queue) { _, seen in seen }
            .filter { attempts[$0.key] != nil }
    }

    package func cancel() throws(MediaError) { try Self.cancel(journal.read().map(\.job), run) }

    /// Cancels what a plan has in the queue, from any machine of the cluster.
    package static func cancel(
        plan: String, run: CommandRunner = CommandRun.run
    ) throws(MediaError) {
        try cancel(SlurmJournal(RunDirectory(ofPlan: plan)).read().map(\.job), run)
    }

    private static func cancel(_ jobs: [Int], _ run: CommandRunner) throws(MediaError) {
        let answer = try run(SlurmQueue.words)
        guard answer.status == 0 else { throw refusal("squeue", answer) }
        let alive = Set(SlurmQueue.jobs(answer.output).map(\.job)).intersection(jobs)
        guard !alive.isEmpty else { return }
        let cancelled = try run(["scancel"] + alive.sorted().map(String.init))
        guard cancelled.status == 0 else { throw refusal("scancel", cancelled) }
    }

    package func wait(nanoseconds: Int64) throws(MediaError) -> [TaskEnd] {
        let deadline = clock.nanoseconds + nanoseconds
        while true {
            account()
            let ends = try ended()
            let now = clock.nanoseconds
            if !ends.isEmpty || now >= deadline || attempts.isEmpty { return ends }
            pause(min(interval, deadline - now))
        }
    }

    package func accounting() -> [AccountLine] {
        account()
        defer { lines = [] }
        return lines
    }

    // MARK: -

    private func account() {
        let new = reader.next()
        lines += new
        for line in new where line.event == .ended {
            attempts[line.task]?.exit = line.exit
            attempts[line.task]?.restarts = line.restart ?? 0
        }
    }

    private func ended() throws(MediaError) -> [TaskEnd] {
        let alive: [Place: SlurmQueue.Job]
        do throws(MediaError) { alive = try look() } catch {
            // A controller that is restarted answers again; whoever is tired of waiting has Ctrl-C.
            guard error.code == .busy else { throw error }
            return []
        }
        queue = [:]
        var ends: [TaskEnd] = []
        for (task, attempt) in attempts {
            if let job = alive[attempt.place] {
                queue[task] = job.state == "PENDING" ? .waiting : .running(host: job.node)
                attempts[task]?.misses = 0
                continue
            }
            // The last line of a node may take some seconds over NFS.
            attempts[task]?.misses += 1
            guard attempt.exit != nil || attempt.misses >= 2 else { continue }
            ends.append(try end(task, attempt))
        }
        for end in ends { attempts[end.task] = nil }
        return ends.sorted { $0.task < $1.task }
    }

    private func end(_ task: Int, _ attempt: Attempt) throws(MediaError) -> TaskEnd {
        if let exit = attempt.exit, !FilmTask.isTransient(exit) {
            return TaskEnd(task, .exited(exit), restarts: attempt.restarts)
        }
        let answer = try run(["scontrol", "show", "job", "-o", "\(attempt.place.job)_\(attempt.place.index)"])
        if answer.status == 0, let found = SlurmQueue.state(answer.output) {
            if found.state.hasPrefix("CANCELLED") { return TaskEnd(task, .cancelled, restarts: attempt.restarts) }
            if attempt.exit == nil {
                return TaskEnd(task, .lost("Slurm says \(found.state)"), restarts: attempt.restarts)
            }
        }
        if let exit = attempt.exit { return TaskEnd(task, .exited(exit), restarts: attempt.restarts) }
        return TaskEnd(task, .lost("it left Slurm's queue without a word"), restarts: attempt.restarts)
    }

    private func look() throws(MediaError) -> [Place: SlurmQueue.Job] {
        let answer = try run(SlurmQueue.words)
        guard answer.status == 0 else { throw Self.refusal("squeue", answer) }
        var places: [Place: SlurmQueue.Job] = [:]
        for job in SlurmQueue.jobs(answer.output) where SlurmQueue.isAlive(job.state) {
            places[Place(job: job.job, index: job.index)] = job
        }
        return places
    }

    private static func refusal(_ program: String, _ answer: CommandOutcome) -> MediaError {
        let line = answer.errors.split(separator: "\n").first.map { PlainText.line(String($0)) } ?? ""
        return MediaError(
            SlurmQueue.isFull(answer.errors) ? .busy : .unsupported, "\(program) failed",
            reason: line.isEmpty ? "exit status \(answer.status)" : line,
            wayOut: "`sinfo` shows whether Slurm is there")
    }

    private static func write(_ text: String, to path: String) throws(MediaError) {
        try WholeFile.write(Array(text.utf8).withUnsafeBytes { MediaData(copying: $0) }, to: path, overwrite: true)
    }
}
