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
    /// Tasks of joins that came to a good end, in this run or before.
    private var done: Set<Int> = []

    init(_ needs: [Int: [Int]]) {
        self.needs = needs
        var joins: [Int: [Int]] = [:]
        for (join, tasks) in needs { for task in tasks { joins[task, default: []].append(join) } }
        self.joins = joins
    }

    /// The arrays that they are.
    var jobs: Set<Int> { Set(waiting.values.map(\.place.job)) }

    /// Those of which everything is done or in the queue now: a join that knew of a part less would begin too early.
    ///
    /// - Parameters:
    ///   - tasks: that were submitted at this moment.
    ///   - places: of all tasks in the queue.
    func due(after tasks: [Int], _ places: [Int: SlurmAttempt]) -> [(join: Int, places: [SlurmCommands.Place])] {
        Set(tasks.flatMap { joins[$0] ?? [] }).sorted().compactMap { join in
            let needs = needs[join] ?? []
            guard waiting[join] == nil, places[join] == nil,
                needs.allSatisfy({ places[$0] != nil || done.contains($0) })
            else { return nil }
            return (join, needs.compactMap { places[$0]?.place })
        }
    }

    mutating func add(_ join: Int, _ place: SlurmCommands.Place) { waiting[join] = SlurmAttempt(place: place) }

    func isWaiting(_ join: Int) -> Bool { waiting[join] != nil }

    /// The one that waits for its turn, which has come: it does not wait here any more.
    ///
    /// - Returns: nil where there is none, and where it did not come to a good end before its turn.
    mutating func take(_ join: Int) -> SlurmAttempt? {
        guard let attempt = waiting.removeValue(forKey: join), attempt.exit ?? 0 == 0 else { return nil }
        return attempt
    }

    /// A task did not come to a good end: whatever waits for this very job waits in vain.
    ///
    /// - Returns: the jobs that can go.
    mutating func giveUp(after task: Int) -> Set<Int> {
        Set((joins[task] ?? []).compactMap { waiting.removeValue(forKey: $0)?.place.job })
    }

    mutating func note(_ line: AccountLine) {
        waiting[line.task]?.note(line)
        if line.event == .ended, line.exit == 0, joins[line.task] != nil { done.insert(line.task) }
    }
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
