import CLinux
import Glibc

/// A POSIX thread with a name that `top -H`, `perf` and a debugger show.
///
/// The pipeline's stages are threads of their own, not tasks: their priority can be set, and a stage that computes for
/// milliseconds does not starve Swift's small pool of cooperative threads.
public final class NamedThread: Sendable {
    private struct State {
        var handle: pthread_t?
        var isJoined = false
    }

    private final class Body {
        let name: String
        let run: @Sendable () -> Void
        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    private let state = Locked(State())

    /// Starts the thread at once.
    ///
    /// - Parameters:
    ///   - name: at most 15 bytes are kept (prctl(2), PR_SET_NAME).
    ///   - body: runs on the new thread, exactly once.
    /// - Throws: the errno of pthread_create(3), `EAGAIN` when the system is out of threads.
    public init(_ name: String, body: @escaping @Sendable () -> Void) throws(ThreadError) {
        let box = Unmanaged.passRetained(Body(name: name, run: body))
        var handle = pthread_t()
        let code = pthread_create(
            &handle, nil,
            { argument in
                let body = Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue()
                body.name.withCString(clinux_set_thread_name)
                NamedThread.takeNicenessOfProcess()
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

    /// A thread inherits the niceness of the one that makes it (sched(7)), and libdispatch gives its own to its workers, whatever the
    /// process was given. A niceness that is not allowed is left.
    private static func takeNicenessOfProcess() {
        let thread = __priority_which_t(PRIO_PROCESS.rawValue)
        let wanted = getpriority(thread, id_t(getpid()))
        if getpriority(thread, 0) != wanted { _ = setpriority(thread, 0, wanted) }
    }

    /// Waits for the thread to end. Idempotent; only the first caller waits. Never call it from the thread itself.
    public func join() {
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
public struct ThreadError: Error, CustomStringConvertible {
    public let name: String
    public let errno: Int32
    public var description: String {
        "cannot start thread \(name): \(String(cString: strerror(errno))) (errno \(errno))"
    }
}
