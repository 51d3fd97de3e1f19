import CLinux
import Foundation

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
    ///
    /// Priorities belong to threads (sched(7)), and the Swift runtime has made some by now: each of them is set, and those that they
    /// make inherit it.
    package static func stepBack(niceness: Int) {
        for thread in threads() {
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(thread), Int32(clamping: niceness))
            _ = clinux_idle_disk(thread)
            if niceness >= 19 { _ = clinux_idle_processor(thread) }
        }
    }

    /// The numbers of this process' threads (proc(5)); 0, the calling one, where nobody says.
    private static func threads() -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        let numbers = names.compactMap { Int32($0) }
        return numbers.isEmpty ? [0] : numbers
    }
}
