import Logging
import RealTime

@testable import RecorderStorage

/// A log that a test can inspect.
final class LogLines: Sendable {
    private let state = Locked<[String]>([])
    private let metadata = Locked<[Logger.Metadata]>([])

    var lines: [String] { state.withLock { $0 } }
    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

    /// The facts of the messages about an event.
    func facts(of event: LoggedEvent) -> [[String: String]] {
        metadata.withLock { $0 }.map { $0.mapValues { "\($0)" } }.filter { $0[LoggedEvent.key] == event.name }
    }

    func contains(_ text: String) -> Bool { lines.contains { $0.contains(text) } }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.state.withLock { $0.append("\(event.level): \(event.message)") }
            if let facts = event.metadata { lines.metadata.withLock { $0.append(facts) } }
        }
    }
}
