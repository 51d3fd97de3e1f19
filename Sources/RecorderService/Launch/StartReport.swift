import Glibc
import MediaTypes

/// What a capture process tells the one who started it, as one line of JSON through an inherited pipe.
public struct StartReport: Codable, Sendable, Equatable {
    /// The recording, once its first sample is in the file.
    public var file: String?
    /// Why there is none.
    public var error: String?
    public var exitCode: Int32?

    /// The devices deliver, and the process waits to be told to record.
    public var isArmed: Bool?

    /// What goes of older recordings; nil without rules.
    public var retention: RetentionAccount?

    public init(file: String) { self.file = file }

    private init(isArmed: Bool) { self.isArmed = isArmed }

    static let armed = StartReport(isArmed: true)

    public init(_ failure: RecordingFailure) {
        error = failure.description
        exitCode = ExitCode(for: failure).rawValue
    }

    /// Writes the line and closes the pipe. That nobody reads any more does not concern the recording.
    public func send(to descriptor: Int32) {
        let line = JSONText.line(self) + "\n"
        var rest = Array(line.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { break }
        }
        close(descriptor)
    }
}
