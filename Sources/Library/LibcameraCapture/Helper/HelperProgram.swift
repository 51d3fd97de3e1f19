import Glibc
package import MediaTypes

/// The start of a helper. The module that starts programs provides it.
package struct HelperLauncher: Sendable {
    /// The error of a start that fails.
    ///
    /// It has a name here because Swift 6.3 does not count the error of a closure's type as a use of its module.
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

    /// Creates the program of a child process.
    package init(process: Int32) {
        end = {
            // One that has closed its socket by ending has its status already, which this does not change.
            kill(process, SIGKILL)
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0 {
                guard errno == EINTR else { return .unknown }
            }
            // The low seven bits are the signal, the next eight the exit status (waitpid(2)).
            return status & 0x7F == 0 ? .status(status >> 8 & 0xFF) : .signal(status & 0x7F)
        }
    }
}
