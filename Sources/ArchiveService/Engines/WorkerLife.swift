import CLinux
import Glibc

/// What a worker says of itself to the system, before it does anything else.
package enum WorkerLife {
    /// Goes when its parent does, even by SIGKILL, and also while it is stopped.
    ///
    /// - Returns: false where the parent is gone already.
    package static func bind(to parent: Int32) -> Bool {
        _ = clinux_die_with_parent()
        return getppid() == parent
    }

    /// Lets others go first: with a niceness, and for the disk; at 19 for the processor too, whatever theirs is.
    package static func stepBack(niceness: Int) {
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Int32(clamping: niceness))
        _ = clinux_idle_disk()
        if niceness >= 19 { _ = clinux_idle_processor() }
    }
}
