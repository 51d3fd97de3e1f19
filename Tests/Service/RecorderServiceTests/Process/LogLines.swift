import Logging
import RealTime

/// A log that a test can inspect.
final class LogLines: Sendable {
    private let state = Locked<[String]>([])

    var lines: [String] { state.withLock { $0 } }
    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

    func contains(_ text: String) -> Bool { lines.contains { $0.contains(text) } }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.state.withLock { $0.append("\(event.level): \(event.message)") } }
    }
}
