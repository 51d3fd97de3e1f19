import CommandInterface
package import MediaTypes

/// An engine runs a plan's tasks in processes of this machine or of a cluster. The interface is small, so that other
/// engines can be added.
///
/// Only one thread uses an engine. A task is a process that runs `recorder archive task PLAN NUMBER`. The engine does
/// not know about movies.
package protocol ArchiveEngine: AnyObject {
    /// Accepts tasks.
    ///
    /// - Returns: The number of accepted tasks, counted from the first one. It is less than the number of passed tasks
    ///   if the engine's queue is full.
    /// - Throws: An error if the engine is unavailable, or if it refuses the tasks.
    func submit(_ tasks: [Int]) throws(MediaError) -> Int

    /// Returns the state of each task that has not ended.
    func state() throws(MediaError) -> [Int: TaskState]

    /// Ends all running tasks, and discards all waiting tasks.
    func cancel() throws(MediaError)

    /// Blocks until a task has ended, or for the given time.
    ///
    /// - Returns: The tasks that ended since the last call.
    func wait(nanoseconds: Int64) throws(MediaError) -> [TaskEnd]

    /// Returns the lines that all machines have added to the accounting since the last call. The first call also
    /// returns the lines of earlier runs.
    func accounting() -> [AccountLine]
}

package enum TaskState: Sendable, Hashable {
    /// The task has not begun. `reason` is the engine's explanation; nil if the task only waits for other tasks.
    case waiting(reason: String?)
    case running(host: String)
    /// The task's process is stopped for this reason, and will continue later.
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
    /// restarts such tasks, because it then reports only tasks that have failed for good.
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
