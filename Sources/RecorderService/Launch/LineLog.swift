import Foundation
public import Logging

/// Logs to standard error, a line a message: `recorder: what happened`. In the background each line begins with the time.
public struct LineLog: LogHandler {
    public var metadata: Logger.Metadata = [:]
    public var logLevel: Logger.Level
    private let hasTimes: Bool

    public init(level: Logger.Level, hasTimes: Bool) {
        logLevel = level
        self.hasTimes = hasTimes
    }

    /// A logger that writes so.
    public static func logger(level: Logger.Level = .info, hasTimes: Bool) -> Logger {
        Logger(label: "recorder") { _ in LineLog(level: level, hasTimes: hasTimes) }
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        let time = hasTimes ? CaptureProcess.timestamp(Date()) + " " : ""
        let facts = (event.metadata ?? [:]).merging(metadata) { own, _ in own }
        let tail = facts.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        StandardError.line(PlainText.line("\(time)recorder: \(event.message)\(tail)"))
    }
}
