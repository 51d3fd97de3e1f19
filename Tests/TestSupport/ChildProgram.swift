import Foundation
public import Glibc

/// A program that has been started, in the one way in which tests start programs: posix_spawn(3).
///
/// Not Foundation's `Process`: before it starts anything that reads the list of open descriptors beyond its own buffer, which
/// ends a run under the address sanitizer.
public final class ChildProgram: Sendable {
    /// What a program is started with.
    public struct Launch: Sendable {
        /// A path, or a name to be looked up in `PATH`.
        public var program: String
        public var arguments: [String]
        /// nil: that of the tests.
        public var environment: [String: String]?
        /// nil: that of the tests.
        public var directory: String?
        public var input = "/dev/null"
        /// Files that are made, or emptied.
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

    /// Its number, to send it signals while it runs.
    public let identifier: pid_t

    private enum End {
        case running
        /// An exit code, or the negative of the signal that killed it.
        case ended(Int32)
    }

    /// One thread at a time asks the system: who got the answer has reaped the child.
    private let reaping = NSLock()
    nonisolated(unsafe) private var end = End.running  // Only under `reaping`.

    /// - Throws: when it cannot be started.
    public init(_ launch: Launch) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, launch.input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, launch.output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, launch.errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        // A test runs on a thread that blocks signals; a program started there would too.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
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

    /// What it ended with: its exit code, or the negative of the signal that killed it. nil while it runs; never waits.
    public var status: Int32? { ask(WNOHANG) }

    /// Blocks until it has ended.
    ///
    /// - Returns: its exit code, or the negative of the signal that killed it.
    public func wait() -> Int32 {
        // Without a reaped child there is an answer as soon as there is one at all.
        while true { if let status = ask(0) { return status } }
    }

    public func send(_ signal: Int32) {
        // Under the lock: the number of a child that was reaped may be somebody else's.
        reaping.withLock { if case .running = end { kill(identifier, signal) } }
    }

    private func ask(_ options: Int32) -> Int32? {
        if options & WNOHANG == 0 {
            // Not while holding the lock: signals are sent meanwhile. The child stays to be reaped.
            var facts = siginfo_t()
            while waitid(P_PID, id_t(identifier), &facts, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
        }
        return reaping.withLock {
            if case .ended(let status) = end { return status }
            var word: Int32 = 0
            let reaped = waitpid(identifier, &word, WNOHANG)
            guard reaped != 0 else { return nil }
            // Somebody took the answer: no test of ours does.
            guard reaped == identifier else { fatalError("waitpid: \(String(cString: strerror(errno)))") }
            let status = word & 0x7F == 0 ? word >> 8 & 0xFF : -(word & 0x7F)
            end = .ended(status)
            return status
        }
    }

    /// posix_spawn_file_actions_addchdir_np(3), which is in glibc and not in what Swift shows of it.
    private static let addDirectoryChange = dlsym(nil, "posix_spawn_file_actions_addchdir_np").map {
        unsafeBitCast(
            $0,
            to: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>) -> Int32).self)
    }

    /// For C: ends with nil; each is the caller's to free.
    private static func strings(_ words: [String]) -> [UnsafeMutablePointer<CChar>?] {
        words.map { strdup($0) } + [nil]
    }
}
