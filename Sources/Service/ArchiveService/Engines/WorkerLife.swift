import CLinux
import Foundation

/// The process settings that a worker makes before it begins its task.
package enum WorkerLife {
    /// Makes this process end when its parent ends. This works even if the parent is killed by SIGKILL, and while this
    /// process is stopped.
    ///
    /// - Returns: false if the parent has already ended.
    package static func bind(to parent: Int32) -> Bool {
        _ = clinux_die_with_parent()
        return getppid() == parent
    }

    /// Sets the niceness of this process, and the idle priority for disk I/O. At niceness 19 it also gets the CPU only
    /// when no other process needs it (SCHED_IDLE).
    ///
    /// Priorities belong to threads (sched(7)), and the Swift runtime has already created some threads. The priority is
    /// set for each of these threads, and threads that they create inherit it.
    package static func stepBack(niceness: Int) {
        var done: Set<Int32> = []
        // A thread may create another one before its own priority is set.
        while true {
            let new = threads().filter { !done.contains($0) }
            guard !new.isEmpty else { return }
            for thread in new {
                _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(thread), Int32(clamping: niceness))
                _ = clinux_idle_disk(thread)
                if niceness >= 19 { _ = clinux_idle_processor(thread) }
                done.insert(thread)
            }
        }
    }

    /// Returns the IDs of this process's threads (proc(5)). If they are unknown, returns only 0, which stands for the
    /// calling thread.
    private static func threads() -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        let numbers = names.compactMap { Int32($0) }
        return numbers.isEmpty ? [0] : numbers
    }
}
