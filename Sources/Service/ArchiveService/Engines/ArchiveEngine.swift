import CommandInterface
package import MediaTypes

/// An engine, which carries out a plan's tasks in processes of this machine or of a cluster. The interface is small, so
/// that other engines can be added.
///
/// Only one thread uses an engine. A task is a process that runs `recorder archive task PLAN NUMBER`; the engine does
/// not know about movies.
package protocol ArchiveEngine: AnyObject {
    /// Accepts tasks.
    ///
    /// - Returns: The number of accepted tasks, counted from the first one; fewer than passed if there is no room now.
    /// - Throws: An error if the engine is unavailable, or refuses.
    func submit(_ tasks: [Int]) throws(MediaError) -> Int

    /// Returns the state of each task that has not ended.
    func state() throws(MediaError) -> [Int: TaskState]

    /// Ends all running tasks, and drops all waiting ones.
    func cancel() throws(MediaError)

    /// Blocks until a task has ended, or for the given time.
    ///
    /// - Returns: The tasks that ended since the last call.
    func wait(nanoseconds: Int64) throws(MediaError) -> [TaskEnd]

    /// Returns the accounting's lines since the last call, from all machines; the first call also returns those of
    /// earlier runs.
    func accounting() -> [AccountLine]
}

package enum TaskState: Sendable, Hashable {
    /// The task has not begun. `reason` is the engine's explanation; nil if the task only waits for its turn.
    case waiting(reason: String?)
    case running(host: String)
    /// The task's process is stopped for this reason, and will continue.
    case paused(reason: String)
}

package struct TaskEnd: Sendable, Hashable {
    package enum Ending: Sendable, Hashable {
        case exited(Int32)
        case signalled(Int32)
        /// The task's machine failed, or its result was lost.
        case lost(String)
        /// A user cancelled the task.
        case cancelled
    }

    package let task: Int
    package let ending: Ending
    /// The number of times that the engine restarted the task by itself.
    package let restarts: Int

    package init(_ task: Int, _ ending: Ending, restarts: Int = 0) {
        (self.task, self.ending, self.restarts) = (task, ending, restarts)
    }

    /// True if the task ended because another process uses a file that the task needs. False if the engine itself
    /// restarted the task, because the engine reports such a task only after giving it up.
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
