import Foundation
public import Glibc

/// A running program. All tests start programs with this type, by posix_spawn(3).
///
/// Foundation's `Process` is not used: before it starts anything, it reads the list of open descriptors beyond its own
/// buffer, which ends a run under the address sanitizer.
public final class ChildProgram: Sendable {
    /// The parameters of a program's start.
    public struct Launch: Sendable {
        /// A path, or a name to be looked up in `PATH`.
        public var program: String
        public var arguments: [String]
        /// The environment; nil for that of the tests.
        public var environment: [String: String]?
        /// The working directory; nil for that of the tests.
        public var directory: String?
        public var input = "/dev/null"
        /// Files that are created, or emptied.
        public var output = "/dev/null"
        public var errors = "/dev/null"

        public init(
            _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil,
            directory: String? = nil
        ) {
            self.program = program
            self.arguments = arguments
            self.environment = environment
            self.directory = directory
        }
    }

    /// The process ID, for signals while it runs.
    public let identifier: pid_t

    private enum End {
        case running
        /// The exit code, or the negative number of the signal that killed it.
        case ended(Int32)
    }

    /// One thread at a time asks the system: the thread that gets the answer has reaped the child.
    private let reaping = NSLock()
    nonisolated(unsafe) private var end = End.running  // Guarded by `reaping`.

    /// - Throws: an error if it cannot be started.
    public init(_ launch: Launch) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, launch.input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, launch.output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, launch.errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        // A test runs on a thread that blocks signals, and a program started there would inherit that. Jobs in the
        // background of a script ignore INT, and jobs of nohup(1) HUP.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] { sigaddset(&defaults, signal) }
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
        if let directory = launch.directory {
            guard let change = Self.addDirectoryChange, change(&actions, directory) == 0 else {
                throw Command.Failure(description: "cannot run \(launch.program) in \(directory)")
            }
        }
        let words = Self.strings([launch.program] + launch.arguments)
        let variables = Self.strings(
            (launch.environment ?? ProcessInfo.processInfo.environment).map { "\($0)=\($1)" })
        defer { for word in words + variables { free(word) } }
        var child = pid_t()
        let code = posix_spawnp(&child, words[0]!, &actions, &attributes, words, variables)
        guard code == 0 else {
            throw Command.Failure(description: "cannot run \(launch.program): \(String(cString: strerror(code)))")
        }
        identifier = child
    }

    /// The exit code, or the negative number of the signal that killed it; nil while it runs. Never waits.
    public var status: Int32? { ask(WNOHANG) }

    /// Blocks until it has ended.
    ///
    /// - Returns: its exit code, or the negative number of the signal that killed it.
    public func wait() -> Int32 {
        // Without a reaped child, an answer is available as soon as the child has ended.
        while true { if let status = ask(0) { return status } }
    }

    public func send(_ signal: Int32) {
        // The lock is needed because the ID of a reaped child may belong to another process.
        reaping.withLock { if case .running = end { kill(identifier, signal) } }
    }

    private func ask(_ options: Int32) -> Int32? {
        if options & WNOHANG == 0 {
            // The lock is not held here, so that signals can be sent meanwhile. The child is not reaped yet.
            var facts = siginfo_t()
            while waitid(P_PID, id_t(identifier), &facts, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
        }
        return reaping.withLock {
            if case .ended(let status) = end { return status }
            var word: Int32 = 0
            let reaped = waitpid(identifier, &word, WNOHANG)
            guard reaped != 0 else { return nil }
            // Other code reaped the child, which no test does.
            guard reaped == identifier else { fatalError("waitpid: \(String(cString: strerror(errno)))") }
            let status = word & 0x7F == 0 ? word >> 8 & 0xFF : -(word & 0x7F)
            end = .ended(status)
            return status
        }
    }

    /// posix_spawn_file_actions_addchdir_np(3), which glibc has and Swift does not import.
    private static let addDirectoryChange = dlsym(nil, "posix_spawn_file_actions_addchdir_np").map {
        unsafeBitCast(
            $0,
            to: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>) -> Int32).self)
    }

    /// Returns C strings that end with nil. The caller frees each.
    private static func strings(_ words: [String]) -> [UnsafeMutablePointer<CChar>?] {
        words.map { strdup($0) } + [nil]
    }
}
