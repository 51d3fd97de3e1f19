import FileSystem
import Glibc
import MediaTypes
import RealTime
import RecorderControl

/// The kernel's limits on which a recording depends.
struct LimitFacts: Sendable, Equatable {
    /// The reason why the limits of open files or memory are too low (`ResourceLimits`); nil if they are high enough.
    var resources: MediaError?
    /// True if recording threads may have a higher priority than other programs (niceness −10).
    var mayRaisePriority: Bool
    /// True if threads that read devices may have a real-time priority; only the lowest one is tested.
    var mayUseRealTime: Bool
    /// The errno of creating a watch for connected devices (inotify(7)); 0 if creating it succeeded.
    var watchError: Int32

    /// Reads the limits. Must be called on a separate thread, because it tests the priorities by raising those of the
    /// calling thread.
    static func read() -> LimitFacts {
        var resources: MediaError?
        do throws(MediaError) { try ResourceLimits.check(.recording) } catch { resources = error }
        // Linux changes only the calling thread, although the calls name the process (setpriority(2),
        // sched_setscheduler(2)).
        let thread = __priority_which_t(PRIO_PROCESS.rawValue)
        let mayRaise = getpriority(thread, 0) <= -10 || setpriority(thread, 0, -10) == 0
        var lowest = sched_param(sched_priority: sched_get_priority_min(SCHED_RR))
        let mayUseRealTime = sched_setscheduler(0, SCHED_RR | NamedThread.resetOnFork, &lowest) == 0
        return LimitFacts(
            resources: resources, mayRaisePriority: mayRaise, mayUseRealTime: mayUseRealTime, watchError: tryWatch())
    }

    private static func tryWatch() -> Int32 {
        let watch = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard watch >= 0 else { return errno }
        defer { close(watch) }
        return inotify_add_watch(watch, "/dev", UInt32(IN_CREATE | IN_ONLYDIR)) >= 0 ? 0 : errno
    }
}
