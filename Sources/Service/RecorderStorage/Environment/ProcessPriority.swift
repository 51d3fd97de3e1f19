import Glibc

/// Sets the processor priority of a recording. The priority is higher than usual: a frame that waits too long is
/// dropped, but other work is only delayed.
package enum ProcessPriority {
    /// The niceness (nice(2)) of a process that records: above usual programs, below an audio server's threads (−11).
    static let recording: Int32 = -10

    /// Raises the priority above that of usual processes, if this process is permitted to do so. That requires
    /// CAP_SYS_NICE, or `LimitNICE=` in its unit; the process of a desktop user has neither. A process that was started
    /// with a niceness keeps that niceness.
    ///
    /// Called once, on the main thread, before other threads start: `NamedThread` inherits the priority.
    package static func raise() {
        guard getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) == 0 else { return }
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, recording)
    }

    /// Gives a process group, such as that of a hook's command, the usual priority.
    static func reset(group: pid_t) { _ = setpriority(__priority_which_t(PRIO_PGRP.rawValue), id_t(group), 0) }
}
