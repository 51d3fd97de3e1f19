import CommandInterface
package import MediaTypes

/// An engine that carries out a plan's tasks: processes of this machine, or of a cluster. Five methods, so that others
/// can follow.
///
/// Used by one thread. A task is a process that runs `recorder archive task PLAN NUMBER`; the engine does not know
/// about movies.
package protocol ArchiveEngine: AnyObject {
    /// Accepts tasks.
    ///
    /// - Returns: The number accepted, from the first on; fewer if there is no room now.
    /// - Throws: An error if the engine is unavailable, or refuses.
    func submit(_ tasks: [Int]) throws(MediaError) -> Int

    /// Returns the state of its tasks that have not ended.
    func state() throws(MediaError) -> [Int: TaskState]

    /// Ends all running tasks, and drops all waiting ones.
    func cancel() throws(MediaError)

    /// Blocks until a task has ended, or for the given time.
    ///
    /// - Returns: The tasks that ended since the last call.
    func wait(nanoseconds: Int64) throws(MediaError) -> [TaskEnd]

    /// Returns the lines accounted since the last call, on any machine; the first call includes those of earlier runs.
    func accounting() -> [AccountLine]
}

package enum TaskState: Sendable, Hashable {
    /// The task waits. The reason is in the engine's own words; nil if it only waits for its turn.
    case waiting(reason: String?)
    case running(host: String)
    /// The task is stopped, for this reason.
    case paused(reason: String)
}

package struct TaskEnd: Sendable, Hashable {
    package enum Ending: Sendable, Hashable {
        case exited(Int32)
        case signalled(Int32)
        /// Its machine, or its result, was lost.
        case lost(String)
        /// It was cancelled by a user.
        case cancelled
    }

    package let task: Int
    package let ending: Ending
    /// The number of times the engine restarted it by itself.
    package let restarts: Int

    package init(_ task: Int, _ ending: Ending, restarts: Int = 0) {
        (self.task, self.ending, self.restarts) = (task, ending, restarts)
    }

    /// True if another process uses a file that the task needs. Engines that restart tasks by themselves have given up
    /// by then.
    var isBusy: Bool { ending == .exited(ExitCode.busy.rawValue) && restarts == 0 }

    /// True if another attempt may succeed.
    package var isTransient: Bool {
        switch ending {
        case .exited(let code): TranscodeTask.isTransient(code)
        case .signalled, .lost: true
        case .cancelled: false
        }
    }
}
