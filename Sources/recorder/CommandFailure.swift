import ArgumentParser
import Foundation
import MediaTypes
import RecorderService

/// The end of a command that could not do what it should: one line, one exit code.
struct CommandFailure: Error {
    let message: String
    let exitCode: Int32

    init(_ message: String, _ exitCode: RecorderService.ExitCode) {
        self.message = message
        self.exitCode = exitCode.rawValue
    }

    init(_ failure: RecordingFailure) {
        self.init(failure.description, RecorderService.ExitCode(for: failure))
    }

    init(_ error: StartError) {
        message = error.description
        exitCode = error.exitCode
    }

    func exit() -> Never {
        if !message.isEmpty { StandardError.line("recorder: \(message)") }
        Foundation.exit(exitCode)
    }
}
