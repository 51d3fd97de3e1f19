import Glibc
import RealTime

/// Waits for INT, TERM and HUP on a thread of its own.
///
/// `block()` comes first, on the main thread, before any other thread exists: signals are then blocked in every thread,
/// wait in the kernel, and none is lost or kills the process before somebody listens.
public enum SignalWatcher {
    /// Blocks the signals for this thread and all that it will start, and ignores PIPE.
    public static func block() {
        var signals = set()
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Listens from now to the end of the process.
    ///
    /// - Parameters:
    ///   - finish: called once, on the watcher's thread.
    ///   - quit: the last word before the process ends with status 1.
    static func start(
        clock: any HostClock = MonotonicClock(), finish: @escaping @Sendable () -> Void,
        quit: @escaping @Sendable () -> Void
    ) throws(ThreadError) {
        _ = try NamedThread("signals") {
            var signals = set()
            var machine = StopSignals()
            while true {
                let number = sigwaitinfo(&signals, nil)
                guard number > 0 else { continue }
                switch machine.receive(number, at: clock.nanoseconds) {
                case .finish: finish()
                case .quit:
                    quit()
                    _exit(1)
                case .nothing: break
                }
            }
        }
    }

    private static func set() -> sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in StopSignals.all { sigaddset(&signals, number) }
        return signals
    }
}
