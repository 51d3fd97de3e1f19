import CLinux
import Glibc

/// A POSIX thread with a name that `top -H`, `perf` and a debugger show.
///
/// The stages of the pipeline are threads, not tasks. The priority of a thread can be set, and a stage that computes
/// for milliseconds does not occupy one of Swift's few cooperative threads.
package final class NamedThread: Sendable {
    private struct State {
        var handle: pthread_t?
        var isJoined = false
    }

    private final class Body {
        let name: String
        let isUrgent: Bool
        let run: @Sendable () -> Void
        init(name: String, isUrgent: Bool, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.isUrgent = isUrgent
            self.run = run
        }
    }

    private let state = Locked(State())

    /// Starts the thread at once.
    ///
    /// - Parameters:
    ///   - name: at most 15 bytes are kept (prctl(2), PR_SET_NAME).
    ///   - isUrgent: true for a thread that does little work and must run without delay. If the process has a niceness
    ///     below 0, the thread gets a real-time priority, where that is permitted (`RLIMIT_RTPRIO`).
    ///   - body: runs on the new thread, exactly once.
    /// - Throws: the errno of pthread_create(3); `EAGAIN` if the system is out of threads.
    package init(
        _ name: String, isUrgent: Bool = false, body: @escaping @Sendable () -> Void
    ) throws(ThreadError) {
        let box = Unmanaged.passRetained(Body(name: name, isUrgent: isUrgent, run: body))
        var handle = pthread_t()
        let code = pthread_create(
            &handle, nil,
            { argument in
                let body = Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue()
                body.name.withCString(clinux_set_thread_name)
                NamedThread.takePriority(isUrgent: body.isUrgent)
                body.run()
                return nil
            }, box.toOpaque())
        guard code == 0 else {
            box.release()
            throw ThreadError(name: name, errno: code)
        }
        let started = handle
        state.withLock { $0.handle = started }
    }

    /// SCHED_RESET_ON_FORK of sched(7), which Swift does not import.
    package static let resetOnFork: Int32 = 0x4000_0000

    /// Sets the niceness of the calling thread to the niceness of the process. If the thread is urgent, it gets a
    /// real-time priority instead where possible.
    ///
    /// A thread inherits the niceness of the thread that creates it (sched(7)). libdispatch gives its workers another
    /// niceness, independent of that of the process. A change that is not permitted is skipped.
    private static func takePriority(isUrgent: Bool) {
        let thread = __priority_which_t(PRIO_PROCESS.rawValue)
        let wanted = getpriority(thread, id_t(getpid()))
        if isUrgent, wanted < 0 {
            // The lowest real-time priority is above all ordinary threads, and below other threads with a real-time
            // priority. Threads that this thread creates do not inherit it.
            var lowest = sched_param(sched_priority: sched_get_priority_min(SCHED_RR))
            if sched_setscheduler(0, SCHED_RR | Self.resetOnFork, &lowest) == 0 { return }
        }
        if getpriority(thread, 0) != wanted { _ = setpriority(thread, 0, wanted) }
    }

    /// Renames the calling thread, and raises its niceness so that other threads of the process run first. For work
    /// that may be late.
    package static func stepBack(as name: String) {
        name.withCString(clinux_set_thread_name)
        let thread = __priority_which_t(PRIO_PROCESS.rawValue)
        _ = setpriority(thread, 0, min(19, getpriority(thread, 0) + 10))
    }

    /// Waits for the thread to end. Idempotent; only the first caller waits. Never call this function from the thread
    /// itself.
    package func join() {
        let handle: pthread_t? = state.withLock { state in
            guard !state.isJoined else { return nil }
            state.isJoined = true
            return state.handle
        }
        if let handle { pthread_join(handle, nil) }
    }

    deinit {
        state.withLock { state in
            if !state.isJoined, let handle = state.handle { _ = pthread_detach(handle) }
        }
    }
}

/// A thread that could not be started, with the errno of pthread_create(3).
package struct ThreadError: Error, CustomStringConvertible {
    package let name: String
    package let errno: Int32
    package var description: String {
        "cannot start thread \(name): \(String(cString: strerror(errno))) (errno \(errno))"
    }
}
