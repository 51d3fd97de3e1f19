public import Foundation

/// Where processes leave what must outlive them, their logs and their lists of recordings: `$XDG_STATE_HOME/recorder`,
/// else `~/.local/state/recorder`.
public struct StateDirectory: Sendable, Hashable {
    public let path: String

    public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        if let base = environment["XDG_STATE_HOME"], base.hasPrefix("/") {
            path = base + "/recorder"
        } else {
            let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
            path = home + "/.local/state/recorder"
        }
    }

    public func log(_ name: RecordingName) -> String { "\(path)/\(name).log" }
    public func unfinished(_ name: RecordingName) -> String { "\(path)/\(name).unfinished.json" }
    public func finished(_ name: RecordingName) -> String { "\(path)/\(name).finished.sqlite" }
    /// What older versions wrote in its place.
    func oldFinished(_ name: RecordingName) -> String { "\(path)/\(name).finished.jsonl" }
    public func retentionClock(_ name: RecordingName) -> String { "\(path)/\(name).clock.json" }
}
