import Glibc

/// Sets the processor priority of a recording. It is higher than usual, because a frame that waits too long is lost,
/// while other work is only delayed.
package enum ProcessPriority {
    /// The niceness (nice(2)) of a process that records: above usual programs, below an audio server's threads (−11).
    static let recording: Int32 = -10

    /// Raises the priority above that of usual processes, if this process may: with CAP_SYS_NICE or `LimitNICE=` of its
    /// unit, but not for a desktop user. A process that was started with a niceness keeps it.
    ///
    /// Called once, on the main thread, before other threads start: `NamedThread` inherits the priority.
    package static func raise() {
        guard getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) == 0 else { return }
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, recording)
    }

    /// Gives a process group, such as that of a hook's command, the usual priority.
    static func reset(group: pid_t) { _ = setpriority(__priority_which_t(PRIO_PGRP.rawValue), id_t(group), 0) }
}
