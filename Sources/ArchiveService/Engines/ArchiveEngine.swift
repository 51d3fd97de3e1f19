import CommandInterface
package import MediaTypes

/// What does the tasks of a plan: the processes of this machine, or a cluster's. Five verbs, so that others can follow.
///
/// Used by one thread. A task is a process that runs `recorder archive task PLAN NUMBER`; the engine knows nothing of films.
package protocol ArchiveEngine: AnyObject {
    /// Takes tasks on.
    ///
    /// - Returns: how many of them, from the first on; fewer where there is no room at this moment.
    /// - Throws: where the engine is not there, or refuses.
    func submit(_ tasks: [Int]) throws(MediaError) -> Int

    /// Of the tasks that it has and that have not ended.
    func state() throws(MediaError) -> [Int: TaskState]

    /// Ends whatever runs, and drops whatever waits.
    func cancel() throws(MediaError)

    /// Blocks until a task has ended, or for that long.
    ///
    /// - Returns: those that ended since the last call.
    func wait(nanoseconds: Int64) throws(MediaError) -> [TaskEnd]

    /// What was accounted since the last call, on whatever machine; at first what earlier runs did.
    func accounting() -> [AccountLine]
}

package enum TaskState: Sendable, Hashable {
    /// Why, in the engine's own word; nil where it is only not its turn.
    case waiting(reason: String?)
    case running(host: String)
    /// It stands still, and for what.
    case paused(reason: String)
}

package struct TaskEnd: Sendable, Hashable {
    package enum Ending: Sendable, Hashable {
        case exited(Int32)
        case signalled(Int32)
        /// Its machine, or the word of it.
        case lost(String)
        /// Somebody cancelled it.
        case cancelled
    }

    package let task: Int
    package let ending: Ending
    /// How often the engine began it again by itself.
    package let restarts: Int

    package init(_ task: Int, _ ending: Ending, restarts: Int = 0) {
        (self.task, self.ending, self.restarts) = (task, ending, restarts)
    }

    /// Another process has what the task needs; engines that begin tasks again by themselves have given up by then.
    var isBusy: Bool { ending == .exited(ExitCode.busy.rawValue) && restarts == 0 }

    /// Whether another attempt may do better.
    package var isTransient: Bool {
        switch ending {
        case .exited(let code): FilmTask.isTransient(code)
        case .signalled, .lost: true
        case .cancelled: false
        }
    }
}
