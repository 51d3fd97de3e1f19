import Foundation
import Glibc
import TestSupport

/// The built command in an environment of its own: runtime directory, state, home and working directory.
struct Command {
    struct Result {
        let exitCode: Int32
        let output: String
        let errors: String

        var outputLines: [Substring] { output.split(separator: "\n") }
        var errorLines: [Substring] { errors.split(separator: "\n") }
    }

    /// The directory of this test; short, because the length of a socket's path is limited.
    let directory: String

    /// Runs the body, ends recordings that still run, and removes the directory.
    static func inDirectory(_ body: (Command) async throws -> Void) async throws {
        let command = Command(directory: "/tmp/rec-\(UUID().uuidString.prefix(8))")
        for name in ["run", "home", "work"] {
            try FileManager.default.createDirectory(
                atPath: "\(command.directory)/\(name)", withIntermediateDirectories: true)
        }
        do { try await body(command) } catch {
            try await command.clean()
            throw error
        }
        try await command.clean()
    }

    private func clean() async throws {
        if !locks.isEmpty { _ = try await run("stop", "--all") }
        try FileManager.default.removeItem(atPath: directory)
    }

    private var locks: [String] { files(in: "run/recorder").filter { $0.hasSuffix(".sock") } }

    /// The command next to the test bundle.
    static let executable: URL = {
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("recorder")
    }()

    /// The command's path, for a shell.
    var executablePath: String { Self.executable.path }

    /// A shell prefix for tests that limit the size of files: the thread sanitizer keeps part of a program's memory in
    /// a temporary file, and works without if it cannot create one.
    static let leavingTemporaryFilesAlone = "export TMPDIR=/nonexistent;"

    /// Starts the command.
    ///
    /// - Parameters:
    ///   - program: path of another program that starts the command.
    ///   - isAtLowestPriority: true for an archive whose workers have their default priority.
    func start(
        program: String? = nil, _ arguments: [String], environment: [String: String] = [:],
        isAtLowestPriority: Bool = false
    ) throws -> Running {
        let arguments = isAtLowestPriority ? arguments : Self.givingWorkersNormalPriority(arguments)
        var launch = ChildProgram.Launch(
            program ?? Self.executable.path, arguments,
            environment: [
                "HOME": path("home"), "XDG_RUNTIME_DIR": path("run"),
                // Other recorders on this machine must not affect a test.
                "RECORDER_SERVICE_DIRECTORY": path("run/service"), "PATH": "/usr/bin:/bin", "TZ": "UTC",
                "ASAN_OPTIONS": ProcessInfo.processInfo.environment["ASAN_OPTIONS"] ?? "",
                "TSAN_OPTIONS": ProcessInfo.processInfo.environment["TSAN_OPTIONS"] ?? "",
            ].merging(environment) { _, new in new },
            directory: path("work"))
        let files = path(UUID().uuidString)
        (launch.output, launch.errors) = (files + ".out", files + ".err")
        return Running(try ChildProgram(launch), files: files)
    }

    /// Runs the command to its end. After ten minutes, it is killed and the test fails.
    func run(_ arguments: String...) async throws -> Result { try await run(arguments) }

    func run(_ arguments: [String]) async throws -> Result { try await start(arguments).result() }

    func path(_ name: String) -> String { "\(directory)/\(name)" }

    func files(in name: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path(name))) ?? []).sorted()
    }
}

/// A command that has been started.
struct Running {
    private let program: ChildProgram
    private let files: String

    init(_ program: ChildProgram, files: String) {
        self.program = program
        self.files = files
    }

    var processID: Int32 { program.identifier }
    var isRunning: Bool { program.status == nil }
    var output: String { (try? String(contentsOfFile: files + ".out", encoding: .utf8)) ?? "" }
    var errors: String { (try? String(contentsOfFile: files + ".err", encoding: .utf8)) ?? "" }

    func send(_ signal: Int32) { program.send(signal) }

    /// - Returns: the result; its exit code is the negative signal number if a signal killed the command.
    func result() async throws -> Command.Result {
        do { try await waitUntil { !isRunning } } catch {
            send(SIGKILL)
            throw error
        }
        return Command.Result(exitCode: program.wait(), output: output, errors: errors)
    }
}
