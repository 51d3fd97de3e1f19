import CommandInterface
import Cryptography
import FileSystem
import Foundation
package import MediaTypes
package import RealTime

/// An engine that runs tasks on a Slurm cluster. It submits job arrays of at most 1000 tasks, and keeps at most 4000
/// tasks in the queue. All nodes write to the plan's own accounting, which shows which tasks ran and how they ended.
/// The engine mainly queries Slurm's queue, because not every cluster keeps records of ended jobs.
package final class SlurmEngine: ArchiveEngine {
    private let script: SlurmScript
    private let directory: RunDirectory
    private let slurm: SlurmCommands
    private let clock: any HostClock
    private let pause: (Int64) -> Void
    private let journal: SlurmJournal
    private var attempts: [Int: SlurmAttempt] = [:]
    private var queue: [Int: TaskState] = [:]
    private var joins: SlurmJoins
    private var reader: Accounting.Reader
    private var lines: [AccountLine] = []
    private var areScriptsThere = false
    /// The jobs whose tasks are known, because this run or an earlier one submitted them and listed their tasks.
    private var known: Set<Int> = []
    /// True if Slurm did not answer a submission, so that its queue may contain an array whose job number is unknown.
    private var isQueueUncertain = false
    /// The job that writes the report after all other jobs have ended.
    private var report: Int?
    private let threads: Int
    /// The time of the next query of the queue.
    private var nextLook: Int64 = 0

    /// Creates the engine, and takes over the tasks that an earlier run left in the queue.
    ///
    /// - Parameters:
    ///   - recorder: The program's path on all nodes.
    ///   - plan: The plan's absolute path.
    ///   - joins: The tasks that join parts, each with the tasks that make its parts.
    ///   - pause: Waits for this number of nanoseconds.
    /// - Throws: An error if Slurm is not installed, or does not respond.
    package init(
        recorder: String, plan: String, options: SlurmOptions, joins: [Int: [Int]] = [:],
        clock: any HostClock = MonotonicClock(),
        pause: @escaping (Int64) -> Void = { MonotonicClock().sleep(until: MonotonicClock().nanoseconds + $0) },
        run: @escaping CommandRunner = CommandRun.run
    ) throws(MediaError) {
        script = SlurmScript(recorder: recorder, plan: plan, options: options)
        directory = RunDirectory(ofPlan: plan)
        (threads, self.clock, self.pause) = (options.threads, clock, pause)
        slurm = SlurmCommands(plan: plan, run)
        journal = SlurmJournal(directory)
        self.joins = SlurmJoins(joins)
        reader = Accounting.Reader(directory)
        // Lines that were written before belong to no attempt of this run.
        lines = reader.next()
        for line in lines { self.joins.record(line) }
        let alive = try Self.firstLook(slurm)
        for submission in journal.read() {
            known.insert(submission.job)
            for (index, task) in submission.tasks.enumerated() {
                let place = SlurmCommands.Place(job: submission.job, index: index)
                guard alive[place] != nil else { continue }
                if submission.isJoin == true {
                    self.joins.add(task, place)
                } else {
                    attempts[task] = SlurmAttempt(place: place)
                }
            }
        }
        // These jobs are in no submission of the journal, because the earlier run was killed while it submitted them.
        // The job of an old report is cancelled too.
        try slurm.cancel(unknown(alive.keys))
    }

    /// Returns the jobs that are in no known submission, so that the tasks of their indices are unknown.
    private func unknown(_ places: some Sequence<SlurmCommands.Place>) -> Set<Int> {
        Set(places.map(\.job)).subtracting(known)
    }

    /// Queries the queue for the first time. Throws `notFound` if Slurm's controller does not respond. Later queries
    /// tolerate a controller that does not respond for a while.
    private static func firstLook(
        _ slurm: SlurmCommands
    ) throws(MediaError) -> [SlurmCommands.Place: SlurmQueue.Job] {
        do throws(MediaError) { return try slurm.queue() } catch {
            guard error.code == .busy || error.code == .unsupported else { throw error }
            throw MediaError(
                .notFound, "cannot use Slurm", reason: error.reason,
                wayOut: "run `sinfo` to check its controller, or omit --engine slurm to use only this machine")
        }
    }

    /// The tasks that an earlier run left in the queue.
    package var adopted: [Int] { attempts.keys.sorted() }

    package func submit(_ tasks: [Int]) throws(MediaError) -> Int {
        var taken = 0
        while taken < tasks.count {
            // This join already waits in Slurm's queue.
            if let waiting = joins.take(tasks[taken]) {
                attempts[tasks[taken]] = waiting
                taken += 1
                continue
            }
            let room = SlurmOptions.largestWindow - attempts.count
            let rest = tasks[(taken + 1)...].prefix { !joins.isWaiting($0) }.count + 1
            let count = min(rest, SlurmOptions.largestArray, room)
            // If only a few of many tasks fit in the queue, the engine waits for more space. Otherwise it would submit
            // an array of only one task after each task that ended.
            guard count > 0, count == rest || count >= SlurmOptions.largestArray / 4 else { break }
            guard try submitArray(Array(tasks[taken..<(taken + count)])) else { break }
            taken += count
        }
        try submitJoins(after: Array(tasks[..<taken]))
        if taken > 0, taken == tasks.count { renewReport() }
        return taken
    }

    /// Submits joins before their parts exist, so that Slurm begins them even if this run has ended when the parts
    /// exist.
    private func submitJoins(after tasks: [Int]) throws(MediaError) {
        for (join, places) in joins.due(after: tasks, attempts) {
            guard attempts.count < SlurmOptions.largestWindow, let job = try submitBatch([join], after: places) else {
                return
            }
            try journal.add(SlurmJournal.Submission(job: job, tasks: [join], isJoin: true))
            joins.add(join, SlurmCommands.Place(job: job, index: 0))
        }
    }

    /// Submits an array.
    ///
    /// - Returns: false if Slurm's queue is full, or if Slurm does not respond.
    private func submitArray(_ tasks: [Int]) throws(MediaError) -> Bool {
        guard let job = try submitBatch(tasks) else { return false }
        try journal.add(SlurmJournal.Submission(job: job, tasks: tasks))
        for (index, task) in tasks.enumerated() {
            attempts[task] = SlurmAttempt(place: SlurmCommands.Place(job: job, index: index))
        }
        return true
    }

    /// Submits tasks.
    ///
    /// - Parameter places: The tasks that must succeed first.
    /// - Returns: The job number; nil if Slurm's queue is full, or if Slurm does not respond.
    private func submitBatch(_ tasks: [Int], after places: [SlurmCommands.Place] = []) throws(MediaError) -> Int? {
        try writeScripts()
        let list = try writeList(tasks)
        let words = script.submission(
            script: directory.slurm + "/task.sh", list: list, count: tasks.count,
            after: places.map(\.name))
        let submission: SlurmCommands.Submission
        do throws(MediaError) { submission = try slurm.submit(words) } catch {
            discard(list)
            throw error
        }
        switch submission {
        case .accepted(let job):
            known.insert(job)
            return job
        case .full:
            discard(list)
            return nil
        case .unknown:
            // Slurm may have accepted the job. The next call of `wait` searches for it, before the tasks are submitted
            // again.
            (isQueueUncertain, nextLook) = (true, 0)
            return nil
        }
    }

    /// Writes the list of an array's tasks. The same tasks always have the same file name, so repeated submissions
    /// leave only one file.
    private func writeList(_ tasks: [Int]) throws(MediaError) -> String {
        let text = tasks.map { "\($0)\n" }.joined()
        let hash = SHA256.hash(data: Data(text.utf8)).prefix(8).hexadecimal
        let list = "\(directory.slurm)/list-\(tasks[0])-\(hash).txt"
        try Self.write(text, to: list)
        return list
    }

    /// Removes the list of an array that Slurm did not accept, unless an array in the queue may have the same list.
    private func discard(_ list: String) {
        if !isQueueUncertain { unlink(list) }
    }

    /// Cancels arrays that Slurm accepted without an answer. Their tasks are submitted again, and would otherwise run
    /// twice.
    private func cancelUnknown(_ alive: [SlurmCommands.Place: SlurmQueue.Job]) {
        guard isQueueUncertain else { return }
        // A job that is not an array is the report, which is kept. If cancelling fails, it is tried again after the
        // next query.
        try? slurm.cancel(unknown(alive.keys.filter { $0.index >= 0 }))
    }

    private func writeScripts() throws(MediaError) {
        guard !areScriptsThere else { return }
        try Self.write(script.task, to: directory.slurm + "/task.sh")
        try Self.write(script.report, to: directory.slurm + "/report.sh")
        areScriptsThere = true
    }

    /// Submits the job that writes the report once all arrays have ended, whatever their results. That job also runs if
    /// this run has ended or was killed.
    private func renewReport() {
        // Errors are ignored, because the run does not depend on the report. `recorder archive report` still works.
        if let report { try? slurm.cancel([report]) }
        let jobs = Set(attempts.values.map(\.place.job)).union(joins.jobs).sorted().map(String.init)
        report = nil
        let words = script.reportSubmission(script: directory.slurm + "/report.sh", after: jobs)
        if case .accepted(let job)? = try? slurm.submit(words) { report = job }
    }

    package func state() throws(MediaError) -> [Int: TaskState] {
        attempts.mapValues { _ in TaskState.waiting(reason: nil) }.merging(queue) { _, seen in seen }
            .filter { attempts[$0.key] != nil }
    }

    package func cancel() throws(MediaError) { try slurm.cancel(Set(slurm.queue().keys.map(\.job))) }

    /// Cancels a plan's jobs in the queue. Works on any machine of the cluster.
    package static func cancel(
        plan: String, run: @escaping CommandRunner = CommandRun.run
    ) throws(MediaError) {
        let slurm = SlurmCommands(plan: plan, run)
        try slurm.cancel(Set(slurm.queue().keys.map(\.job)))
    }

    package func wait(nanoseconds: Int64) throws(MediaError) -> [TaskEnd] {
        let deadline = clock.nanoseconds + nanoseconds
        while true {
            var now = clock.nanoseconds
            if now >= nextLook {
                account()
                let ends = try ended()
                now = clock.nanoseconds
                nextLook = now + interval
                if !ends.isEmpty { return ends }
            }
            if now >= deadline || attempts.isEmpty { return [] }
            pause(min(nextLook, deadline) - now)
        }
    }

    package func accounting() -> [AccountLine] {
        account()
        defer { lines = [] }
        return lines
    }

    // MARK: -

    /// The nanoseconds between two queries of the queue: 1 s, plus 4 ms for each attempt, at most 5 s. Listing
    /// thousands of jobs is much work for Slurm's controller.
    private var interval: Int64 { min(5_000_000_000, 1_000_000_000 + Int64(attempts.count) * 4_000_000) }

    private func account() {
        let new = reader.next()
        lines += new
        for line in new {
            attempts[line.task]?.record(line)
            joins.record(line)
        }
    }

    private func ended() throws(MediaError) -> [TaskEnd] {
        let alive: [SlurmCommands.Place: SlurmQueue.Job]
        do throws(MediaError) { alive = try slurm.queue() } catch {
            // The controller may only be restarting, so it is queried again later. The user can press Ctrl-C.
            guard error.code == .busy else { throw error }
            return []
        }
        cancelUnknown(alive)
        queue = [:]
        var ends: [TaskEnd] = []
        for (task, attempt) in attempts {
            if let job = alive[attempt.place] {
                queue[task] =
                    job.state == "PENDING"
                    ? .waiting(reason: SlurmQueue.stuck(job.reason, threads: threads)) : .running(host: job.node)
                attempts[task]?.misses = 0
                // This job would wait forever, but a new job for the task may get another node.
                if job.state == "PENDING", SlurmQueue.isSetAside(job.reason), try slurm.takeOut(attempt.place) {
                    let ending = TaskEnd.Ending.lost("Slurm could not start it: \(job.reason)")
                    ends.append(TaskEnd(task, ending, restarts: attempt.restarts))
                }
                continue
            }
            // The last line that a node wrote may arrive some seconds later over NFS.
            attempts[task]?.misses += 1
            guard attempt.exit != nil || attempt.misses >= 2 else { continue }
            if let end = try end(task, attempt) { ends.append(end) }
        }
        var void: Set<Int> = []
        for end in ends {
            attempts[end.task] = nil
            if end.ending != .exited(0) { void.formUnion(joins.giveUp(after: end.task)) }
        }
        // If cancelling fails, Slurm itself removes these joins later.
        try? slurm.cancel(void)
        return ends.sorted { $0.task < $1.task }
    }

    /// Returns how a task ended; nil if Slurm does not respond.
    private func end(_ task: Int, _ attempt: SlurmAttempt) throws(MediaError) -> TaskEnd? {
        if let exit = attempt.exit, !TranscodeTask.isTransient(exit) {
            return TaskEnd(task, .exited(exit), restarts: attempt.restarts)
        }
        let found: SlurmQueue.End?
        do throws(MediaError) { found = try slurm.end(of: attempt.place) } catch {
            guard error.code == .busy else { throw error }
            return nil
        }
        let ending: TaskEnd.Ending
        switch (found?.state, attempt.exit) {
        case (let state?, _) where state.hasPrefix("CANCELLED"): ending = .cancelled
        case (_, let exit?): ending = .exited(exit)
        // The script ended before the program wrote a line, because the program is missing on that node or cannot run.
        case ("FAILED", nil) where found?.signal == 0: ending = .exited(found?.exit ?? 1)
        case (let state?, nil): ending = .lost("Slurm reports \(state)")
        case (nil, nil): ending = .lost("it left Slurm's queue without a result")
        }
        return TaskEnd(task, ending, restarts: attempt.restarts)
    }

    private static func write(_ text: String, to path: String) throws(MediaError) {
        try AtomicFile.write(text.utf8, to: path, overwrite: true)
    }
}
