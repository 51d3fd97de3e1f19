import Glibc
import TestSupport

/// Another program, run beside the test: what plugs and unplugs devices, and what feeds them.
final class LabCommand {
    /// nil: it could not be started.
    private let program: ChildProgram?

    var process: pid_t { program?.identifier ?? 0 }

    /// Starts `/bin/sh -c script` with its output thrown away.
    init(_ script: String) { program = try? ChildProgram(ChildProgram.Launch("/bin/sh", ["-c", script])) }

    /// Waits for it to end: 0, or its exit status, as a shell counts.
    @discardableResult
    func wait() -> Int32 {
        guard let status = program?.wait() else { return -1 }
        return status < 0 ? 128 - status : status
    }

    func isOver() -> Bool { program.map { $0.status != nil } ?? true }

    /// Sends it a signal, while it runs.
    func send(_ signal: Int32) { program?.send(signal) }

    /// Ends it, and waits until it has.
    func end() {
        send(SIGTERM)
        if !eventually(within: 5, { isOver() }) { send(SIGKILL) }
        wait()
    }

    deinit { end() }

    /// Runs a script to its end.
    static func run(_ script: String) -> Int32 { LabCommand(script).wait() }
}
