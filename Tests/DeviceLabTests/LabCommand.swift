import Glibc
import TestSupport

/// Another program, run beside the test: what plugs and unplugs devices, and what feeds them.
final class LabCommand {
    private(set) var process: pid_t = 0
    private var status: Int32?

    /// Starts `/bin/sh -c script` with its output thrown away.
    init(_ script: String) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [0, 1, 2] as [Int32] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        // A test runs on a thread that blocks signals. Foundation's Process hands that on, and SIGTERM would never arrive.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let words = ["/bin/sh", "-c", script]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        if posix_spawn(&process, "/bin/sh", &actions, &attributes, &arguments, environ) != 0 { status = -1 }
    }

    /// Waits for it to end: 0, or its exit status.
    @discardableResult
    func wait() -> Int32 {
        if let status { return status }
        var raw: Int32 = 0
        while waitpid(process, &raw, 0) < 0, errno == EINTR {}
        let code = Self.code(raw)
        status = code
        return code
    }

    func isOver() -> Bool {
        var raw: Int32 = 0
        guard status == nil else { return true }
        guard waitpid(process, &raw, WNOHANG) == process else { return false }
        status = Self.code(raw)
        return true
    }

    private static func code(_ raw: Int32) -> Int32 { raw & 0x7F == 0 ? raw >> 8 & 0xFF : 128 + raw & 0x7F }

    /// Sends it a signal, while it runs.
    func send(_ signal: Int32) { if status == nil { kill(process, signal) } }

    /// Ends it, and waits until it has.
    func end() {
        if status == nil { kill(process, SIGTERM) }
        _ = eventually(within: 5) { isOver() }
        if status == nil { kill(process, SIGKILL) }
        wait()
    }

    deinit { end() }

    /// Runs a script to its end.
    static func run(_ script: String) -> Int32 { LabCommand(script).wait() }
}
