import CommandInterface
import Foundation
package import Logging
import RecorderStorage

/// Logs to standard error, one line per message: `recorder: message`. In the background each line begins with the time.
/// The facts of an event are not printed separately, because the message contains them (`LoggedEvent`).
package struct LineLog: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level
    private let hasTimes: Bool

    package init(level: Logger.Level, hasTimes: Bool) {
        logLevel = level
        self.hasTimes = hasTimes
    }

    /// Returns a logger with this format.
    package static func logger(level: Logger.Level = .info, hasTimes: Bool) -> Logger {
        Logger(label: "recorder") { _ in LineLog(level: level, hasTimes: hasTimes) }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let time = hasTimes ? TimestampText.text(Date()) + " " : ""
        let own = event.metadata?[LoggedEvent.key] == nil ? event.metadata : nil
        let facts = (own ?? [:]).merging(metadata) { own, _ in own }
        let tail = facts.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        StandardError.line(PlainText.line("\(time)recorder: \(event.message)\(tail)"))
    }
}
