import ArgumentParser
import CommandInterface
import FileSystem
import Foundation
import MediaTypes
import RecorderService

/// The end of a command that could not do what it should: one line, or with `--json` one object, and one exit code.
struct CommandFailure: Error {
    let message: String
    let exitCode: Int32
    /// The line stands in the log, or in the object on standard output, already.
    private(set) var isTold = false
    /// Lines that people read before the message: what was done although the command failed.
    private var notes: [String] = []

    init(_ message: String, _ exitCode: CommandInterface.ExitCode) {
        self.message = message
        self.exitCode = exitCode.rawValue
    }

    init(_ failure: RecordingFailure) {
        self.init(failure.description, CommandInterface.ExitCode(for: failure))
    }

    /// The end of a command whose failures have been told one by one.
    init(alreadyToldOf failure: CommandFailure) {
        message = ""
        exitCode = failure.exitCode
    }

    init(_ error: StartError) {
        message = error.description
        exitCode = error.exitCode
        notes = error.repaired.map(\.text)
    }

    /// The same, of which people have heard: only programs are still told.
    var told: CommandFailure {
        var failure = self
        failure.isTold = true
        return failure
    }

    /// Says it on standard error.
    func tell() {
        guard !message.isEmpty else { return }
        if Self.speaksJSON {
            StandardError.line(JSONText.line(FailureReport(message, exitCode: exitCode)))
        } else if !isTold {
            for note in notes { StandardError.line("recorder: \(note)") }
            StandardError.line("recorder: \(message)")
        }
    }

    func exit() -> Never {
        tell()
        Foundation.exit(exitCode)
    }

    /// Whether the words ask for JSON; also where they are not understood, and no command could be asked.
    private static var speaksJSON: Bool {
        ProcessText.arguments.dropFirst().prefix { $0 != "--" }.contains("--json")
    }
}
