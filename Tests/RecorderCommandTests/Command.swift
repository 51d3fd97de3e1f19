import Foundation
import Glibc
import TestSupport

/// One run of the built command in a world of its own: runtime directory, state, home and working directory.
struct Command {
    struct Result {
        let exitCode: Int32
        let output: String
        let errors: String

        var outputLines: [Substring] { output.split(separator: "\n") }
        var errorLines: [Substring] { errors.split(separator: "\n") }
    }

    /// Where everything of this test lives; short, because a socket's path must be.
    let directory: String

    /// The directory and everything in it is removed afterwards, recordings that still run are ended.
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

    /// The command beside the test bundle.
    static let executable: URL = {
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("recorder")
    }()

    /// Where it is, for a shell.
    var executablePath: String { Self.executable.path }

    /// For a shell that bounds the size of files: the thread sanitizer keeps a part of a program's memory in a temporary file,
    /// and does without where it cannot make one.
    static let leavingTemporaryFilesAlone = "export TMPDIR=/nonexistent;"

    /// - Parameter program: another one, by its path: what starts the command in its turn.
    func start(
        program: String? = nil, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> Running {
        var launch = ChildProgram.Launch(
            program ?? Self.executable.path, arguments,
            environment: [
                "HOME": path("home"), "XDG_RUNTIME_DIR": path("run"),
                // Whoever else records on this machine is none of a test's business.
                "RECORDER_SERVICE_DIRECTORY": path("run/service"), "PATH": "/usr/bin:/bin", "TZ": "UTC",
                "ASAN_OPTIONS": ProcessInfo.processInfo.environment["ASAN_OPTIONS"] ?? "",
                "TSAN_OPTIONS": ProcessInfo.processInfo.environment["TSAN_OPTIONS"] ?? "",
            ].merging(environment) { _, new in new },
            directory: path("work"))
        let files = path(UUID().uuidString)
        (launch.output, launch.errors) = (files + ".out", files + ".err")
        return Running(try ChildProgram(launch), files: files)
    }

    /// Runs to the end; a run of more than a minute is killed and fails.
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

    /// - Returns: with the negative of the signal as its exit code, where one killed it.
    func result() async throws -> Command.Result {
        do { try await waitUntil(within: 60) { !isRunning } } catch {
            send(SIGKILL)
            throw error
        }
        return Command.Result(exitCode: program.wait(), output: output, errors: errors)
    }
}
