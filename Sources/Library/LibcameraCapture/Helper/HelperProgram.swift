import Glibc
package import MediaTypes
import RealTime

/// Starts helpers. The module that starts programs provides the closure.
package struct HelperLauncher: Sendable {
    /// The error of a start that fails.
    ///
    /// The alias exists because Swift 6.3 does not count the error type of a closure as a use of that type's module.
    package typealias Failure = MediaError

    /// Starts a helper.
    ///
    /// The argument is a descriptor of this process, which becomes descriptor 3 of the helper.
    package let start: @Sendable (Int32) throws(Failure) -> HelperProgram

    package init(start: @escaping @Sendable (Int32) throws(Failure) -> HelperProgram) { self.start = start }
}

/// A helper that was started.
package struct HelperProgram: Sendable {
    /// Ends the helper if it still runs, waits for its end, and returns how it ended. Called once.
    package let end: @Sendable () -> SessionEnd.Exit

    package init(end: @escaping @Sendable () -> SessionEnd.Exit) { self.end = end }

    /// Creates the program of a child process. `end` waits up to two seconds for the process to end. A driver that
    /// hangs in the kernel can keep even a killed process alive, and the recorder must report the lost camera
    /// nevertheless.
    package init(process: Int32) {
        self.init(process: process, patience: 2_000_000_000) { Self.exit(of: $0, waits: $1) }
    }

    /// - Parameters:
    ///   - patience: The longest wait, in nanoseconds. After that, a separate thread waits.
    ///   - exit: Returns how a process ended; nil while it runs. If the second argument is true, waits for the end.
    init(process: Int32, patience: Int64, exit: @escaping @Sendable (Int32, Bool) -> SessionEnd.Exit?) {
        end = {
            // If the helper closed its socket because it ended, it already has its exit status. The signal does not
            // change that status.
            kill(process, SIGKILL)
            let clock = MonotonicClock()
            let limit = clock.nanoseconds + patience
            while true {
                if let ended = exit(process, false) { return ended }
                let now = clock.nanoseconds
                guard now < limit else { break }
                // waitpid(2) has no time limit. The camera is lost, so this thread has nothing else to do.
                clock.sleep(until: min(limit, now + 1_000_000))
            }
            // If no thread can be created, the process stays a zombie until this process ends.
            _ = try? NamedThread("reap-libcamera") { _ = exit(process, true) }
            return .unknown
        }
    }

    /// Returns how a child process ended, and releases its number; nil if it runs and `waits` is false.
    private static func exit(of process: Int32, waits: Bool) -> SessionEnd.Exit? {
        var status: Int32 = 0
        while true {
            let found = waitpid(process, &status, waits ? 0 : WNOHANG)
            if found == 0 { return nil }
            if found < 0 {
                guard errno == EINTR else { return .unknown }
                continue
            }
            // The low seven bits are the signal, the next eight the exit status (waitpid(2)).
            return status & 0x7F == 0 ? .status(status >> 8 & 0xFF) : .signal(status & 0x7F)
        }
    }
}
