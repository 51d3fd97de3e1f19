import Foundation
import RealTime

/// Keeps a library from making itself more urgent than everything else on the machine.
///
/// SVT-AV1 1.4 gives the thread that opens it, and all threads that it makes, the highest real-time priority (SCHED_FIFO, 99)
/// wherever it may: as root, above every recording and above the kernel's own work. Whatever that thread makes later inherits it
/// (sched(7)).
enum KeptScheduling {
    /// Whatever the body makes of this thread's scheduling is undone, and the threads that it made get the same.
    ///
    /// For what is opened once: it lists the threads of this process twice.
    static func during<Result>(_ body: () -> Result) -> Result {
        var own = sched_param()
        let policy = sched_getscheduler(0)
        guard policy >= 0, sched_getparam(0, &own) == 0 else { return body() }
        let before = threads()
        let result = body()
        sched_setscheduler(0, policy, &own)
        for thread in threads().subtracting(before) {
            // Threads of others were made meanwhile, too: what they have chosen themselves stays.
            var made = sched_param()
            guard sched_getscheduler(thread) & ~NamedThread.resetOnFork == SCHED_FIFO,
                sched_getparam(thread, &made) == 0, made.sched_priority == sched_get_priority_max(SCHED_FIFO)
            else { continue }
            sched_setscheduler(thread, policy, &own)
        }
        return result
    }

    /// Of this process, by their numbers (proc(5)).
    private static func threads() -> Set<pid_t> {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return Set(names.compactMap { pid_t($0) })
    }
}
