import CommandInterface
import Foundation
package import MediaTypes

/// The state of a plan: the object that `recorder archive status` and `report` print with `--json`.
package struct ArchiveReport: Sendable, Hashable, Encodable {
    package struct Movie: Sendable, Hashable, Encodable {
        /// The path as in the plan.
        package var source: String
        package var reason: String
        package var task: Int?
        package var exitCode: Int32?
    }

    package struct Machine: Sendable, Hashable, Encodable {
        package var name: String
        /// The total duration of the movies in seconds. `seconds` is the time that the machine worked on them.
        package var duration: Double
        package var seconds: Double
        /// The speed as a multiple of real time.
        package var speed: Double
    }

    private enum CodingKeys: String, CodingKey {
        case plan, program, isRunning, isCancelled, waitsFor, tasks
        case movies = "files"
        case done, left, duration, doneDuration
        case inputBytes, bytes, savedBytes, deletedSources, secondsLeft, machines, failed, skipped, incomplete, kept
    }

    package var plan: String
    package var program: String
    package var isRunning: Bool
    package var isCancelled: Bool
    /// The reason why a running plan waits; nil while work is done, and if the plan is not running.
    package var waitsFor: String?
    package var tasks: Int
    package var movies: Int
    package var done: Int
    package var left: Int
    package var duration: Double
    package var doneDuration: Double
    package var inputBytes: Int64
    package var bytes: Int64
    package var savedBytes: Int64
    package var deletedSources: Int
    /// The estimated remaining seconds, from the speed so far; nil if nothing is done yet.
    package var secondsLeft: Double?
    package var machines: [Machine]
    package var failed: [Movie]
    package var skipped: [Movie]
    /// Files whose copies lack something. `reason` says what.
    package var incomplete: [Movie]
    /// Sources that should have been deleted but were kept.
    package var kept: [Movie]
    /// True if the run that requests the report was interrupted.
    private let wasInterrupted: Bool

    /// Creates the report from the plan and its accounting. Changes no file.
    ///
    /// - Parameters:
    ///   - isRunning: True if the plan is running; nil to check the plan's lock.
    ///   - wasInterrupted: True if the run that requests the report was interrupted.
    package init(
        ofPlan path: String, isRunning known: Bool? = nil, wasInterrupted: Bool = false
    ) throws(MediaError) {
        self.wasInterrupted = wasInterrupted
        let plan = try PlanReader.read(path)
        let directory = RunDirectory(ofPlan: path)
        var progress = ArchiveProgress(plan)
        var reader = Accounting.Reader(directory)
        let lines = reader.next()
        for line in lines { progress.add(line) }
        let isRunning = known ?? (FileClaim.isHeld(directory.lock) == true)
        self.isRunning = isRunning
        waitsFor = isRunning ? directory.waitsFor : nil
        // A task without an end line was killed, unless it is still running. Under Slurm, a task may continue after its
        // run has ended.
        if !isRunning, !progress.open.isEmpty, RunOptions.load(directory)?.engine != .slurm {
            for task in progress.open.keys { progress.record(task, "its task did not finish: resume the plan") }
        }
        self.plan = path
        program = plan.header.program
        isCancelled = directory.isCancelled
        tasks = plan.tasks.count
        (movies, done, left) = (progress.movies, progress.done, progress.left)
        (duration, doneDuration) = (progress.duration, progress.doneDuration)
        (inputBytes, bytes, savedBytes) = (progress.inputBytes, progress.bytes, progress.saved)
        deletedSources = progress.deleted
        machines = progress.machines.map { name, machine in
            Machine(
                name: name, duration: machine.duration, seconds: machine.seconds,
                speed: machine.seconds > 0 ? machine.duration / machine.seconds : 0)
        }.sorted { $0.name < $1.name }
        let work = progress.machines.values.reduce(0) { $0 + $1.seconds }
        let first = lines.first?.time ?? 0
        let wall = isRunning ? Date().timeIntervalSince1970 - first : work
        secondsLeft = progress.timeLeft(after: wall)
        failed = progress.failedMovies.map {
            Movie(source: $0.movie, reason: $0.reason, task: $0.task, exitCode: $0.exit)
        }
        skipped = plan.skipped.map { Movie(source: $0.path.planText, reason: $0.reason) }
        incomplete = progress.incomplete.map { Movie(source: $0.movie, reason: $0.reason, task: $0.task) }
        kept = progress.kept.map { Movie(source: $0.movie, reason: $0.reason, task: $0.task) }
    }

    /// True if every movie of the plan is done.
    package var isDone: Bool { done == movies }

    /// The files of `incomplete` that are not in `kept`, where the reason usually says the same.
    package var otherIncomplete: [Movie] {
        let known = Set(kept.map(\.source))
        return incomplete.filter { !known.contains($0.source) }
    }

    /// The state of the plan in one line.
    package var line: String {
        var facts = ["\(done) of \(ArchiveText.files(movies))", "\(NumberText.duration(doneDuration)) of video"]
        facts.append(
            savedBytes >= 0 ? "\(NumberText.bytes(savedBytes)) saved" : "\(NumberText.bytes(-savedBytes)) larger")
        if !failed.isEmpty { facts.append("\(failed.count) failed") }
        if let secondsLeft, left > 0 { facts.append("\(NumberText.wholeSeconds(secondsLeft)) left") }
        facts.append(state)
        return facts.joined(separator: " · ")
    }

    private var state: String {
        if isRunning { return waitsFor.map { "waiting: \($0)" } ?? "running" }
        return isCancelled ? "cancelled" : isDone ? "done" : wasInterrupted ? "interrupted" : "not running"
    }

    /// The report for the user: the savings, the failures with their reasons, and how to continue.
    package var text: String {
        var lines = [line]
        for machine in machines {
            lines.append(
                "  \(PlainText.line(machine.name)): \(NumberText.duration(machine.duration)) of video, "
                    + "\(NumberText.fixed(machine.speed, places: 1))× real time")
        }
        for movie in failed { lines.append("failed: \(PlainText.line(movie.source)): \(movie.reason)") }
        for movie in otherIncomplete { lines.append("left out: \(PlainText.line(movie.source)): \(movie.reason)") }
        for movie in kept { lines.append("not deleted: \(PlainText.line(movie.source)): \(movie.reason)") }
        for movie in skipped { lines.append("skipped: \(PlainText.line(movie.source)): \(movie.reason)") }
        if let wayOut { lines.append(wayOut) }
        return lines.joined(separator: "\n")
    }

    /// The advice how to continue; nil if nothing is left to do, or if the plan is running.
    package var wayOut: String? {
        guard !isDone, !isRunning else { return nil }
        return "run `recorder archive resume \(plan)` to continue"
    }
}
