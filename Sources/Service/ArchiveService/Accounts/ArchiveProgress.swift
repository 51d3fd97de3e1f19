import CommandInterface

/// The progress of a plan, computed from its accounting.
package struct ArchiveProgress: Sendable {
    package struct Machine: Sendable, Hashable {
        /// The total duration of the movies in seconds. `seconds` is the time that the machine worked on them.
        package var duration = 0.0
        package var seconds = 0.0
    }

    package struct Failure: Sendable, Hashable {
        package let task: Int
        /// The path as in the plan.
        package let movie: String
        package let exit: Int32
        package let reason: String
    }

    package let movies: Int
    /// The total duration of the movies in the plan, in seconds. `cost` is the estimated work in seconds.
    package let duration: Double
    package let cost: Double
    package private(set) var doneDuration = 0.0
    package private(set) var doneCost = 0.0
    /// Sizes that are too large for their sum add up to the largest number.
    package private(set) var inputBytes: Int64 = 0
    package private(set) var bytes: Int64 = 0
    package private(set) var machines: [String: Machine] = [:]
    package private(set) var deleted = 0
    /// The reason why the run waits; nil while a task is running.
    package var waitsFor: String?
    private var keptMovies: [String: Failure] = [:]
    /// The movies whose copies lack something.
    private var incompleteMovies: [String: Failure] = [:]
    /// The number of copies that were encoded. If it exceeds the number of movies, a movie was encoded twice.
    package private(set) var made = 0
    private var doneMovies: Set<String> = []
    private var failures: [String: Failure] = [:]
    /// The estimated work for the failed movies, in seconds.
    private var failedCost = 0.0
    /// The tasks that began and have no end line yet.
    private var begun: [Int: AccountLine] = [:]
    /// A movie of the plan. Several tasks work on a movie that is encoded in parts.
    private struct Planned {
        var duration: Double
        var cost = 0.0
        var size: Int64
    }

    private var planned: [String: Planned] = [:]
    private var moviesOfTasks: [Int: [String]] = [:]
    /// The estimated cost of each task that makes a part, by task number.
    private var partCosts: [Int: Double] = [:]
    private var doneParts: [String: Set<Int>] = [:]

    package init(_ plan: ArchivePlan) {
        for task in plan.tasks {
            for movie in task.movies {
                let name = movie.source.planText
                planned[name, default: Planned(duration: movie.duration, size: movie.identity.size)].cost += movie.cost
                moviesOfTasks[task.number, default: []].append(name)
            }
            if !task.work.makesCopies { partCosts[task.number] = task.cost }
        }
        movies = planned.count
        duration = planned.values.reduce(0) { $0 + $1.duration }
        cost = planned.values.reduce(0) { $0 + $1.cost }
    }

    package var done: Int { doneMovies.count }
    package var failed: Int { failures.count }
    package var left: Int { movies - done - failed }
    package var failedMovies: [Failure] { Self.sorted(failures) }
    package var kept: [Failure] { Self.sorted(keptMovies) }
    /// The movies that are done but whose copies lack something. `reason` says what.
    package var incomplete: [Failure] { Self.sorted(incompleteMovies).filter { doneMovies.contains($0.movie) } }
    /// The disk space, in bytes, that is saved once the sources are deleted.
    package var saved: Int64 { inputBytes - bytes }
    /// The hosts of tasks that began but did not end, by task number. These tasks are running, or were killed.
    package var open: [Int: String] { begun.mapValues(\.host) }

    package mutating func add(_ line: AccountLine) {
        switch line.event {
        case .begun: begun[line.task] = line
        case .ended: begun[line.task] = nil
        case .made, .found:
            guard let movie = line.movie, let known = planned[movie] else { return }
            fail(movie, nil)
            if line.event == .made {
                made += 1
                recordWork(line)
                recordLosses(line, line.leftOut ?? [])
            }
            guard doneMovies.insert(movie).inserted else { return }
            doneDuration += known.duration
            let parts = doneParts[movie] ?? []
            doneCost += known.cost - parts.reduce(0) { $0 + (partCosts[$1] ?? 0) }
            inputBytes = ArchiveSize.sum(inputBytes, known.size)
            bytes = ArchiveSize.sum(bytes, line.bytes ?? 0)
        case .partMade, .partFound:
            if line.event == .partMade { recordWork(line) }
            guard let movie = line.movie, let cost = partCosts[line.task], !doneMovies.contains(movie),
                doneParts[movie, default: []].insert(line.task).inserted
            else { return }
            doneCost += cost
        case .failed:
            guard let movie = line.movie, planned[movie] != nil, !doneMovies.contains(movie) else { return }
            fail(
                movie,
                Failure(task: line.task, movie: movie, exit: line.exit ?? 1, reason: line.reason ?? "unknown reason"))
        // If the task is killed now, the line about the copy is missing.
        case .verified: recordLosses(line, line.receipt?.leftOut ?? [])
        case .deleted:
            deleted += 1
            if let movie = line.movie { keptMovies[movie] = nil }
        case .kept:
            guard let movie = line.movie else { return }
            keptMovies[movie] = Failure(task: line.task, movie: movie, exit: line.exit ?? 0, reason: line.reason ?? "")
        }
    }

    private static func sorted(_ failures: [String: Failure]) -> [Failure] {
        failures.values.sorted { ($0.task, $0.movie) < ($1.task, $1.movie) }
    }

    /// Records that a movie failed. If `failure` is nil, removes an earlier failure.
    private mutating func fail(_ movie: String, _ failure: Failure?) {
        let cost = planned[movie]?.cost ?? 0
        if let failure {
            if failures.updateValue(failure, forKey: movie) == nil { failedCost += cost }
        } else if failures.removeValue(forKey: movie) != nil {
            failedCost -= cost
        }
    }

    private mutating func recordWork(_ line: AccountLine) {
        machines[line.host, default: Machine()].duration += line.duration ?? 0
        machines[line.host, default: Machine()].seconds += line.seconds ?? 0
    }

    private mutating func recordLosses(_ line: AccountLine, _ losses: [String]) {
        guard let movie = line.movie else { return }
        incompleteMovies[movie] =
            losses.isEmpty
            ? nil : Failure(task: line.task, movie: movie, exit: 0, reason: losses.joined(separator: "; "))
    }

    /// Records that a task has failed for good. Its movies that have no result yet count as failed.
    package mutating func record(_ task: Int, _ reason: String) {
        for movie in moviesOfTasks[task] ?? [] where !doneMovies.contains(movie) && failures[movie] == nil {
            fail(movie, Failure(task: task, movie: movie, exit: 75, reason: reason))
        }
    }

    /// Returns the estimated seconds until the end, computed from the work that was done in the first `seconds`.
    /// Returns nil if nothing is done yet, or if nothing is left.
    package func timeLeft(after seconds: Double) -> Double? {
        guard doneCost > 0, left > 0 else { return nil }
        return seconds * max(0, cost - doneCost - failedCost) / doneCost
    }

    /// Returns a line such as `12 of 200 files · 3 h 02 min 11 s of video · 12.1 GB saved · 2 failed · 4 min 10 s left`.
    package func text(after seconds: Double? = nil) -> String {
        var facts = ["\(done) of \(ArchiveText.files(movies))", "\(NumberText.duration(doneDuration)) of video"]
        facts.append(saved >= 0 ? "\(NumberText.bytes(saved)) saved" : "\(NumberText.bytes(-saved)) larger")
        if failed > 0 { facts.append("\(failed) failed") }
        if let seconds, let left = timeLeft(after: seconds) { facts.append("\(NumberText.wholeSeconds(left)) left") }
        if let waitsFor { facts.append("waiting: \(waitsFor)") }
        return facts.joined(separator: " · ")
    }
}
