package import CommandInterface
import Glibc
import MediaTypes

/// A recording that a crash left unfinished, and the next start repaired.
package struct RepairedRecording: Codable, Sendable, Equatable {
    /// The path that it had while it was recorded.
    package let source: String
    /// Where the movie is.
    package let file: String
    /// "a.recording.mov → a.mov: 3.0 s kept, all of it"
    package let summary: String

    init(source: String, file: String, summary: String) {
        (self.source, self.file, self.summary) = (source, file, summary)
    }

    package var text: String { "repaired an interrupted recording: \(summary)" }
}

/// What a capture process tells the one who started it, as one line of JSON through an inherited pipe.
package struct StartReport: Codable, Sendable, Equatable {
    /// The recording, once its first sample is in the file.
    package var file: String?
    /// Why there is none.
    package var error: String?
    package var exitCode: Int32?

    /// The devices deliver, and the process waits to be told to record.
    package var isArmed: Bool?

    /// What goes of older recordings; nil without rules.
    package var retention: RetentionAccount?

    /// What an earlier process left unfinished, and this one repaired before the report.
    package var repaired: [RepairedRecording]?

    package init(file: String) { self.file = file }

    private init(isArmed: Bool) { self.isArmed = isArmed }

    static let armed = StartReport(isArmed: true)

    package init(_ failure: RecordingFailure) {
        error = failure.description
        exitCode = ExitCode(for: failure).rawValue
    }

    /// Writes the line and closes the pipe. That nobody reads any more does not concern the recording.
    package func send(to descriptor: Int32) {
        let line = JSONText.line(self) + "\n"
        var rest = Array(line.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { break }
        }
        close(descriptor)
    }
}
