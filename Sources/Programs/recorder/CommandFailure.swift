import ArgumentParser
import CommandInterface
import FileSystem
import Foundation
import MediaTypes
import RecorderControl

/// The failure of a command: one line, or one JSON object with `--json`, and an exit code.
struct CommandFailure: Error {
    let message: String
    let exitCode: Int32
    /// True if the failure was already reported, in the log or in the JSON object on standard output.
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

    /// The failure of a command that did its work, but could not write all of its output; nil if everything was written.
    static var ofOutput: CommandFailure? { StandardOutput.failure.map { CommandFailure($0.description, .ioError) } }

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

    /// The same failure, marked as reported: `report` then writes only the JSON object.
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

    /// True if the arguments contain `--json`. Also works for arguments that cannot be parsed as a command.
    private static var speaksJSON: Bool {
        ProcessText.arguments.dropFirst().prefix { $0 != "--" }.contains("--json")
    }
}
