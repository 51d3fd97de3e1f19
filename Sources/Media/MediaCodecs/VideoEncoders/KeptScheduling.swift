import Foundation
import RealTime

/// Prevents a library from raising its own priority above everything else on the machine.
///
/// If permitted, SVT-AV1 1.4 sets the highest real-time priority (SCHED_FIFO, 99) for the thread that opens it, and for
/// all threads that it creates. As root it is permitted, and these threads then have priority over every recording and
/// over the kernel's own work. Threads that the opening thread creates later inherit the priority (sched(7)).
enum KeptScheduling {
    /// Runs the body, and then restores this thread's scheduling. Sets the same scheduling for the threads that the
    /// body created.
    ///
    /// Use it for rare calls only, because it lists the threads of this process twice.
    static func during<Result>(_ body: () -> Result) -> Result {
        var own = sched_param()
        let policy = sched_getscheduler(0)
        guard policy >= 0, sched_getparam(0, &own) == 0 else { return body() }
        let before = threads()
        let result = body()
        sched_setscheduler(0, policy, &own)
        for thread in threads().subtracting(before) {
            // Unrelated threads may have been created meanwhile. Their settings stay unchanged.
            var made = sched_param()
            guard sched_getscheduler(thread) & ~NamedThread.resetOnFork == SCHED_FIFO,
                sched_getparam(thread, &made) == 0, made.sched_priority == sched_get_priority_max(SCHED_FIFO)
            else { continue }
            sched_setscheduler(thread, policy, &own)
        }
        return result
    }

    /// Returns the ids of this process' threads (proc(5)).
    private static func threads() -> Set<pid_t> {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return Set(names.compactMap { pid_t($0) })
    }
}
