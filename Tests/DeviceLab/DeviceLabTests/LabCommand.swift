import Glibc
import TestSupport

/// Another program next to the test, for example to connect, disconnect or feed devices.
final class LabCommand {
    /// The program; nil if it could not be started.
    private let program: ChildProgram?

    var process: pid_t { program?.identifier ?? 0 }

    /// Starts `/bin/sh -c script` and discards its output.
    init(_ script: String) { program = try? ChildProgram(ChildProgram.Launch("/bin/sh", ["-c", script])) }

    /// Waits for the end, and returns the exit status as a shell counts it.
    @discardableResult
    func wait() -> Int32 {
        guard let status = program?.wait() else { return -1 }
        return status < 0 ? 128 - status : status
    }

    func isOver() -> Bool { program.map { $0.status != nil } ?? true }

    /// Sends it a signal while it runs.
    func send(_ signal: Int32) { program?.send(signal) }

    /// Terminates it and waits for its end.
    func end() {
        send(SIGTERM)
        if !eventually(within: 5, { isOver() }) { send(SIGKILL) }
        wait()
    }

    deinit { end() }

    /// Runs a script to its end.
    static func run(_ script: String) -> Int32 { LabCommand(script).wait() }
}
