package import MediaTypes

/// The reason why a recording did not start, or ended early.
package struct RecordingFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The stage at which an error happened. The same error code means different things at different stages.
    package enum Stage: String, Sendable, Hashable, Codable {
        /// Parsing the command line.
        case usage
        /// Reading the configuration file and the environment.
        case configuration
        /// Setting up the process's name, socket or runtime directory.
        case control
        /// Opening and starting the camera and the microphone.
        case devices
        /// Creating the file.
        case output
        /// While recording or finalizing.
        case recording
        /// Reading an existing file.
        case input
    }

    package let stage: Stage
    package let error: MediaError

    package init(_ stage: Stage, _ error: MediaError) {
        self.stage = stage
        self.error = error
    }

    package var description: String { error.description }
}

/// The JSON that a command with `--json` prints on standard error when it fails:
/// `{"error":{"code":…,"exitCode":…,"message":…}}`.
package struct FailureReport: Encodable, Sendable {
    private struct Details: Encodable {
        /// The name of the exit code, such as `cannotCreate`.
        let code: String
        let exitCode: Int32
        /// The line that is printed without `--json`: what was tried, why it failed, and how to fix it.
        let message: String
    }

    private let error: Details

    package init(_ message: String, exitCode: Int32) {
        let code = ExitCode(rawValue: exitCode) ?? .failed
        error = Details(code: "\(code)", exitCode: exitCode, message: message)
    }
}
