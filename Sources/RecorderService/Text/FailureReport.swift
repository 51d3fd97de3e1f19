/// What a command with `--json` prints on standard error when it fails: `{"error":{"code":…,"exitCode":…,"message":…}}`.
public struct FailureReport: Encodable, Sendable {
    private struct Facts: Encodable {
        /// The exit code's name, as `cannotCreate`.
        let code: String
        let exitCode: Int32
        /// The line that is printed otherwise: what was tried, why it failed, and the way out.
        let message: String
    }

    private let error: Facts

    public init(_ message: String, exitCode: Int32) {
        let code = ExitCode(rawValue: exitCode) ?? .failed
        error = Facts(code: "\(code)", exitCode: exitCode, message: message)
    }
}
