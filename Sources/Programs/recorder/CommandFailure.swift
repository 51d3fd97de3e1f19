import ArgumentParser
import CommandInterface
import FileSystem
import Foundation
import MediaTypes
import RecorderControl

/// The failure of a command: one line, or with `--json` one object, and one exit code.
struct CommandFailure: Error {
    let message: String
    let exitCode: Int32
    /// True if the line is already in the log, or in the object on standard output.
    private(set) var isTold = false
    /// Lines that the user reads before the message: the work that was done although the command failed.
    private var notes: [String] = []

    init(_ message: String, _ exitCode: CommandInterface.ExitCode) {
        self.message = message
        self.exitCode = exitCode.rawValue
    }

    init(_ failure: RecordingFailure) {
        self.init(failure.description, CommandInterface.ExitCode(for: failure))
    }

    /// Creates the failure of a command whose failures have already been reported one by one.
    init(alreadyToldOf failure: CommandFailure) {
        message = ""
        exitCode = failure.exitCode
    }

    init(_ error: StartError) {
        message = error.description
        exitCode = error.exitCode
        notes = error.repaired.map(\.text)
    }

    /// The same failure, already reported to the user: only the JSON report is still written.
    var told: CommandFailure {
        var failure = self
        failure.isTold = true
        return failure
    }

    /// Reports the failure on standard error.
    func report() {
        guard !message.isEmpty else { return }
        if Self.speaksJSON {
            StandardError.line(JSONText.line(FailureReport(message, exitCode: exitCode)))
        } else if !isTold {
            for note in notes { StandardError.line("recorder: \(note)") }
            StandardError.line("recorder: \(message)")
        }
    }

    func exit() -> Never {
        report()
        Foundation.exit(exitCode)
    }

    /// True if the arguments contain `--json`, even if they cannot be parsed and no command can be asked.
    private static var speaksJSON: Bool {
        ProcessText.arguments.dropFirst().prefix { $0 != "--" }.contains("--json")
    }
}
