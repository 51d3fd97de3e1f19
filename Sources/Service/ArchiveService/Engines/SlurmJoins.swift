import MediaTypes

/// The joins that were submitted to Slurm before their parts exist (`afterok`). Slurm begins them even if the run has
/// ended when the parts exist.
///
/// If the run still exists when the parts of a join are done, it requests the join. The engine then uses the join that
/// is already in Slurm's queue instead of submitting another one. Only one thread uses this value.
struct SlurmJoins {
    /// The tasks that each join needs.
    private let needs: [Int: [Int]]
    /// The joins that need each task.
    private let joins: [Int: [Int]]
    private var waiting: [Int: SlurmAttempt] = [:]
    /// The join tasks that succeeded, in this run or an earlier one.
    private var done: Set<Int> = []

    init(_ needs: [Int: [Int]]) {
        self.needs = needs
        var joins: [Int: [Int]] = [:]
        for (join, tasks) in needs { for task in tasks { joins[task, default: []].append(join) } }
        self.joins = joins
    }

    /// The job numbers of the waiting joins.
    var jobs: Set<Int> { Set(waiting.values.map(\.place.job)) }

    /// Returns the joins whose parts are all done or queued. A join is left out if one of its parts is neither done nor
    /// queued, because Slurm would begin the join too early.
    ///
    /// - Parameters:
    ///   - tasks: The tasks just submitted.
    ///   - places: The jobs of all queued tasks.
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

    /// Removes and returns a queued join whose parts are done.
    ///
    /// - Returns: nil if the join is not queued, or has already failed.
    mutating func take(_ join: Int) -> SlurmAttempt? {
        guard let attempt = waiting.removeValue(forKey: join), attempt.exit ?? 0 == 0 else { return nil }
        return attempt
    }

    /// Removes the joins that wait for a failed task, because they can never begin.
    ///
    /// - Returns: The jobs of these joins, which can be cancelled.
    mutating func giveUp(after task: Int) -> Set<Int> {
        Set((joins[task] ?? []).compactMap { waiting.removeValue(forKey: $0)?.place.job })
    }

    mutating func record(_ line: AccountLine) {
        waiting[line.task]?.record(line)
        if line.event == .ended, line.exit == 0, joins[line.task] != nil { done.insert(line.task) }
    }
}

/// A task in Slurm's queue.
struct SlurmAttempt {
    let place: SlurmCommands.Place
    /// The exit code in the last `ended` line that the accounting has for the task; nil if there is none.
    var exit: Int32?
    var restarts = 0
    /// The number of consecutive queries in which Slurm did not list the task.
    var misses = 0

    init(place: SlurmCommands.Place) { self.place = place }

    mutating func record(_ line: AccountLine) {
        switch line.event {
        case .begun:
            // Lines about the previous attempt no longer apply.
            (exit, misses) = (nil, 0)
        case .ended: (exit, restarts) = (line.exit, line.restart ?? 0)
        default: break
        }
    }
}
