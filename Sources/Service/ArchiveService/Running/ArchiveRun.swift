import CommandInterface
import Foundation
package import MediaTypes
package import RealTime

/// Runs a plan to its end on any engine: begins tasks, handles their ends, retries some of them, and deletes sources if
/// requested. Blocks its thread. That thread must not end earlier, because the engine's processes end with it.
package final class ArchiveRun {
    package enum End: Sendable, Equatable {
        case done
        /// Some movies are not done. The report lists them.
        case failed
        case cancelled
    }

    private let plan: ArchivePlan
    private let directory: RunDirectory
    private let engine: any ArchiveEngine
    private let clock: any HostClock
    private let isStopping: () -> Bool
    /// True if tasks that the engine has accepted continue after this process has ended.
    private let leavesTasks: Bool
    private let report: (ArchiveProgress) -> Void
    private let warn: (String) -> Void
    /// The warnings that were already issued.
    private var reasons: Set<String> = []
    /// Called with each movie whose copy was verified and synced to the disk, and with the number of its task.
    private let whenSafe: ((Int, ArchivePlan.Movie) -> Void)?
    private var progress: ArchiveProgress
    private var movies: [String: (task: Int, movie: ArchivePlan.Movie)] = [:]
    private let hear: (AccountLine) -> Void

    package init(
        _ plan: ArchivePlan, _ directory: RunDirectory, engine: any ArchiveEngine, leavesTasks: Bool = false,
        clock: any HostClock = MonotonicClock(), isStopping: @escaping () -> Bool = { false },
        hear: @escaping (AccountLine) -> Void = { _ in }, whenSafe: ((Int, ArchivePlan.Movie) -> Void)? = nil,
        report: @escaping (ArchiveProgress) -> Void = { _ in },
        warn: @escaping (String) -> Void = { _ in }
    ) {
        (self.plan, self.directory, self.engine, self.leavesTasks) = (plan, directory, engine, leavesTasks)
        (self.clock, self.isStopping, self.whenSafe) = (clock, isStopping, whenSafe)
        (self.report, self.warn, self.hear) = (report, warn, hear)
        progress = ArchiveProgress(plan)
        if whenSafe != nil {
            for task in plan.tasks {
                for movie in task.movies { movies[movie.source.planText] = (task.number, movie) }
            }
        }
    }

    /// Runs the plan.
    ///
    /// - Parameter adopted: The tasks that the engine has taken over from an earlier run.
    package func run(adopted: [Int] = []) throws(MediaError) -> End {
        directory.record(waitsFor: nil)
        defer { directory.record(waitsFor: nil) }
        let after = Dictionary(plan.tasks.map { ($0.number, $0.work.after) }) { one, _ in one }
        var state = RunState(unfinished(), after: after, adopted: adopted)
        var isFull: Int64 = 0
        while !state.isOver {
            if isEnding {
                if !leavesTasks || directory.isCancelled { try engine.cancel() }
                account()
                return .cancelled
            }
            let now = clock.nanoseconds
            if now >= isFull {
                let ready = state.ready(at: now, atMost: 5000)
                if !ready.isEmpty {
                    let taken = try engine.submit(ready)
                    state.begun(taken)
                    // The engine accepts no more tasks, for example because Slurm's queue is full. It is asked again
                    // after a second, not in every iteration.
                    if taken == 0 { isFull = now + 1_000_000_000 }
                }
            }
            for end in try engine.wait(nanoseconds: 500_000_000) {
                if state.ended(end, at: clock.nanoseconds) == .failed, !isEnding { progress.record(end) }
                if end.isBusy {
                    say("task \(end.task) waits: another process uses one of its files; the task is retried later")
                }
            }
            account()
            try recordWaiting()
        }
        account()
        if progress.failed == 0, state.failed == 0 { return .done }
        // A task that sees the cancellation before this process does ends with an error.
        return isEnding ? .cancelled : .failed
    }

    /// True if the run must end because of a signal or of `archive cancel`.
    private var isEnding: Bool { isStopping() || directory.isCancelled }

    /// Issues a warning.
    ///
    /// - Parameter key: Identifies the warning. Only the first warning with each key is issued. If nil, the text is the
    ///   key.
    private func say(_ words: String, once key: String? = nil) {
        if reasons.insert(key ?? words).inserted { warn(words) }
    }

    /// Reports why the run waits. Each reason is issued once, as a warning. While no task is running, one reason is
    /// also stored in the progress and in the plan's directory, where `status` reads it.
    private func recordWaiting() throws(MediaError) {
        var counts: [String: Int] = [:]
        var isComputing = false
        for state in try engine.state().values {
            switch state {
            case .running: isComputing = true
            case .waiting(let reason?), .paused(let reason): counts[reason, default: 0] += 1
            case .waiting(nil): break
            }
        }
        for (reason, count) in counts {
            say("\(count) task\(count == 1 ? " waits" : "s wait"): \(reason)", once: reason)
        }
        let reason = isComputing ? nil : counts.keys.min()
        guard reason != progress.waitsFor else { return }
        progress.waitsFor = reason
        directory.record(waitsFor: reason)
    }

    /// Returns the unfinished tasks, according to the accounting of earlier runs and to the existing files.
    private func unfinished() -> [Int] {
        // The sizes of copies and parts, by movie and fingerprint.
        var made: [String: Int64] = [:]
        for line in engine.accounting() {
            progress.add(line)
            hear(line)
            if let movie = line.movie, let fingerprint = line.fingerprint, let bytes = line.bytes {
                made["\(movie)\0\(fingerprint)"] = bytes
            }
        }
        report(progress)
        func isThere(_ path: RawPath, _ movie: ArchivePlan.Movie, _ fingerprint: String) -> Bool {
            guard let bytes = made["\(movie.source.planText)\0\(fingerprint)"], let facts = FileMetadata.of(path) else {
                return false
            }
            return FileMetadata.isFile(facts) && Int64(facts.st_size) == bytes
        }
        return plan.tasks.filter { task in
            let isDone = task.movies.allSatisfy { movie in
                let fingerprint = (movie.settings ?? plan.header.settings)
                    .fingerprint(of: movie.identity, program: plan.header.program)
                if isThere(movie.output, movie, fingerprint) { return true }
                guard let part = task.partFingerprint(plan.header), let file = task.partFile(plan.header) else {
                    return false
                }
                return isThere(file, movie, part)
            }
            // An earlier run may have made the copy without deleting the source.
            if isDone, task.work.makesCopies, let whenSafe { for movie in task.movies { whenSafe(task.number, movie) } }
            return !isDone
        }.map(\.number)
    }

    private func account() {
        for line in engine.accounting() {
            progress.add(line)
            hear(line)
            if let whenSafe, line.event == .made || line.event == .found, let key = line.movie, let found = movies[key]
            {
                whenSafe(found.task, found.movie)
            }
        }
        report(progress)
    }
}
