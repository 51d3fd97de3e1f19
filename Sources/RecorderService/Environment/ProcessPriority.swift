import Glibc

/// A recording's claim on the processor: what a camera gives now is lost when it waits, and other work is only later.
package enum ProcessPriority {
    /// The niceness (nice(2)) of a process that records: above usual programs, below a sound server's threads (−11).
    static let recording: Int32 = -10

    /// From here on the process goes before usual ones, where it may (CAP_SYS_NICE, or `LimitNICE=` of its unit; a desktop's user
    /// may not). One that was started with a niceness keeps it.
    ///
    /// Called once, on the main thread, before any other starts: `NamedThread` takes it over from there.
    package static func raise() {
        guard getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) == 0 else { return }
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, recording)
    }

    /// Makes a process group, as a hook's command is, one of usual claims.
    static func reset(group: pid_t) { _ = setpriority(__priority_which_t(PRIO_PGRP.rawValue), id_t(group), 0) }
}
