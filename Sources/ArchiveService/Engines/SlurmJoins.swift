import MediaTypes

/// The joins that Slurm has in its queue before what they join is there (`afterok`), so that they are made although their run went.
///
/// A run that lives begins a join itself once the tasks before it are done; then it takes the one up that waits here. Used by one
/// thread.
struct SlurmJoins {
    /// What each join needs, by its task.
    private let needs: [Int: [Int]]
    /// The other way round.
    private let joins: [Int: [Int]]
    private var waiting: [Int: SlurmAttempt] = [:]

    init(_ needs: [Int: [Int]]) {
        self.needs = needs
        var joins: [Int: [Int]] = [:]
        for (join, tasks) in needs { for task in tasks { joins[task, default: []].append(join) } }
        self.joins = joins
    }

    /// The arrays that they are.
    var jobs: Set<Int> { Set(waiting.values.map(\.place.job)) }

    /// Those that can wait for tasks which are in the queue now.
    ///
    /// - Parameters:
    ///   - tasks: that were submitted at this moment.
    ///   - places: of all tasks in the queue; what a join needs beside them is done.
    func due(after tasks: [Int], _ places: [Int: SlurmAttempt]) -> [(join: Int, places: [SlurmCommands.Place])] {
        Set(tasks.flatMap { joins[$0] ?? [] }).sorted().compactMap { join in
            guard waiting[join] == nil, places[join] == nil else { return nil }
            let before = (needs[join] ?? []).compactMap { places[$0]?.place }
            return before.isEmpty ? nil : (join, before)
        }
    }

    mutating func add(_ join: Int, _ place: SlurmCommands.Place) { waiting[join] = SlurmAttempt(place: place) }

    /// The one that waits for that task's turn; it does not any more.
    mutating func take(_ join: Int) -> SlurmAttempt? { waiting.removeValue(forKey: join) }

    /// A task did not come to a good end: whatever waits for this very job waits in vain.
    ///
    /// - Returns: the jobs that can go.
    mutating func giveUp(after task: Int) -> Set<Int> {
        Set((joins[task] ?? []).compactMap { waiting.removeValue(forKey: $0)?.place.job })
    }

    mutating func note(_ line: AccountLine) { waiting[line.task]?.note(line) }
}

/// A task in Slurm's queue.
struct SlurmAttempt {
    let place: SlurmCommands.Place
    /// Of the accounting: its last end.
    var exit: Int32?
    var restarts = 0
    /// How often Slurm did not have it any more, one time after the other.
    var misses = 0

    init(place: SlurmCommands.Place) { self.place = place }

    mutating func note(_ line: AccountLine) {
        switch line.event {
        case .begun:
            // What is said of the attempt before is over.
            (exit, misses) = (nil, 0)
        case .ended: (exit, restarts) = (line.exit, line.restart ?? 0)
        default: break
        }
    }
}
