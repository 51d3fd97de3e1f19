public import Foundation
import Glibc

/// Runs another program to its end and keeps what it printed.
public struct Command: Sendable {
    public let status: Int32
    public let output: Data
    public let errors: String

    public var text: String { String(decoding: output, as: UTF8.self) }

    /// - Parameter arguments: the program, looked up in `PATH`, and its arguments.
    /// - Throws: when it cannot be started; its exit status is for the caller to judge.
    public static func run(_ arguments: String..., input: Data? = nil) throws -> Command {
        try run(arguments, input: input)
    }

    public static func run(_ arguments: [String], input: Data? = nil) throws -> Command {
        // Files, not pipes: whatever the program prints, and in whichever order, nobody waits for anybody.
        let directory = try TemporaryDirectory()
        let (out, err, source) = (directory.path("out"), directory.path("err"), directory.path("in"))
        try (input ?? Data()).write(to: URL(fileURLWithPath: source))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, source, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, out, O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, err, O_WRONLY | O_CREAT, 0o600)
        // A test runs on a thread that blocks signals; a program started there would too.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var child = pid_t()
        let code = posix_spawnp(&child, words[0]!, &actions, &attributes, &words, environ)
        guard code == 0 else { throw Failure(description: "cannot run \(arguments[0]): \(String(cString: strerror(code)))") }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        return Command(
            status: status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F),
            output: try Data(contentsOf: URL(fileURLWithPath: out)),
            errors: String(decoding: try Data(contentsOf: URL(fileURLWithPath: err)), as: UTF8.self))
    }

    public struct Failure: Error, CustomStringConvertible {
        public let description: String
        public init(description: String) { self.description = description }
    }
}
