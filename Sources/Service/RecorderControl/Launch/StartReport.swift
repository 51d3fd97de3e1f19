package import CommandInterface
import Glibc
import MediaTypes
package import RecorderStorage

/// A recording that a crash left unfinished and that the next start repaired.
package struct RepairedRecording: Codable, Sendable, Equatable {
    /// The path that the file had while it was recorded.
    package let source: String
    /// The path of the repaired movie.
    package let file: String
    /// The result in one line, e.g. "a.recording.mov → a.mov: 3.0 s kept, all of it".
    package let summary: String

    package init(source: String, file: String, summary: String) {
        (self.source, self.file, self.summary) = (source, file, summary)
    }

    package var text: String { "repaired an interrupted recording: \(summary)" }
}

/// The report of a capture process to its starter: one line of JSON through an inherited pipe.
package struct StartReport: Codable, Sendable, Equatable {
    /// The path of the recording's file, once the first sample is in it.
    package var file: String?
    /// The reason why the start failed.
    package var error: String?
    package var exitCode: Int32?

    /// True if the devices deliver samples, and the process waits for a request to record.
    package var isArmed: Bool?

    /// The older recordings that will be deleted; nil if there are no retention rules.
    package var retention: RetentionAccount?

    /// The unfinished recordings that this process repaired before the report.
    package var repaired: [RepairedRecording]?

    /// A problem in spite of which the recorder has started; nil without one.
    package var warning: String?

    package init(file: String) { self.file = file }

    private init(isArmed: Bool) { self.isArmed = isArmed }

    package static let armed = StartReport(isArmed: true)

    package init(_ failure: RecordingFailure) {
        error = failure.description
        exitCode = ExitCode(for: failure).rawValue
    }

    /// Writes the line and closes the pipe. The recording continues even if the starter has ended.
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
