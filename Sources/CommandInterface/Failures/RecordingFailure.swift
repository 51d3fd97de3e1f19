package import MediaTypes

/// Why a recording did not begin, or ended before its time.
package struct RecordingFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where it happened: the same code means different things there.
    package enum Stage: String, Sendable, Hashable, Codable {
        /// Reading what the person asked for.
        case usage
        /// Reading the configuration file and the environment.
        case configuration
        /// Another process of that name, the socket, the runtime directory.
        case control
        /// Opening and starting camera and microphone.
        case devices
        /// Creating the file.
        case output
        /// While recording or finishing.
        case recording
        /// Reading a file that is there already.
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

/// What a command with `--json` prints on standard error when it fails: `{"error":{"code":…,"exitCode":…,"message":…}}`.
package struct FailureReport: Encodable, Sendable {
    private struct Facts: Encodable {
        /// The exit code's name, as `cannotCreate`.
        let code: String
        let exitCode: Int32
        /// The line that is printed otherwise: what was tried, why it failed, and the way out.
        let message: String
    }

    private let error: Facts

    package init(_ message: String, exitCode: Int32) {
        let code = ExitCode(rawValue: exitCode) ?? .failed
        error = Facts(code: "\(code)", exitCode: exitCode, message: message)
    }
}
