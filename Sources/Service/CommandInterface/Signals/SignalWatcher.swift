import CLinux
import Glibc
package import RealTime

/// Receives INT, TERM and HUP on a thread of its own.
///
/// Uses a handler that only writes a byte to a pipe. The signals are not blocked, because Swift's main thread waits in
/// sigsuspend(2) with an empty mask (libdispatch, `dispatch_main`). There, a signal that is blocked in all other
/// threads would end the process.
package enum SignalWatcher {
    /// Installs the handlers. From then on the signals end the recording, not the process.
    ///
    /// Called once, before any other thread starts. A signal that arrives before `start` waits in the pipe.
    package static func prepare() {
        var ends: [Int32] = [-1, -1]
        guard clinux_pipe(&ends) == 0 else { return }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        readEnd = ends[0]
        writeEnd = ends[1]
        for number in StopSignals.all {
            signal(number) { number in
                let before = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(writeEnd, &byte, 1)
                errno = before
            }
        }
        signal(SIGPIPE, SIG_IGN)
    }

    /// Handles signals from now until the process ends.
    ///
    /// - Parameters:
    ///   - finish: Called once, on the watcher's thread.
    ///   - reload: Called on that thread for each HUP; if nil, HUP calls `finish`.
    ///   - quit: Called just before the process ends with status 1.
    package static func start(
        clock: any HostClock = MonotonicClock(), reload: (@Sendable () -> Void)? = nil,
        finish: @escaping @Sendable () -> Void,
        quit: @escaping @Sendable () -> Void
    ) throws(ThreadError) {
        let pipe = readEnd
        guard pipe >= 0 else { return }
        _ = try NamedThread("signals") {
            var machine = StopSignals(reloadsOnHangup: reload != nil)
            var byte: UInt8 = 0
            while true {
                let count = read(pipe, &byte, 1)
                if count < 0, errno == EINTR { continue }
                guard count == 1 else { return }
                switch machine.receive(Int32(byte), at: clock.nanoseconds) {
                case .finish: finish()
                case .reload: reload?()
                case .quit:
                    quit()
                    _exit(1)
                case .nothing: break
                }
            }
        }
    }
}

// Safe, although the compiler cannot check it: written once, by `prepare`, while there is one thread and no handler.
nonisolated(unsafe) private var readEnd: Int32 = -1
nonisolated(unsafe) private var writeEnd: Int32 = -1
