import Foundation

/// Where processes leave what must outlive them, their logs and their lists of recordings: `$XDG_STATE_HOME/recorder`,
/// else `~/.local/state/recorder`.
package struct StateDirectory: Sendable, Hashable {
    package let path: String

    package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        if let base = environment["XDG_STATE_HOME"], base.hasPrefix("/") {
            path = base + "/recorder"
        } else {
            let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
            path = home + "/.local/state/recorder"
        }
    }

    package func log(_ name: RecordingName) -> String { "\(path)/\(name).log" }
    package func unfinished(_ name: RecordingName) -> String { "\(path)/\(name).unfinished.json" }
    /// Whether its process is there, and how it ended.
    func ending(_ name: RecordingName) -> String { "\(path)/\(name).ending.json" }
    /// Recordings whose two copies are not known to be whole.
    package func mirrored(_ name: RecordingName) -> String { "\(path)/\(name).mirrored.json" }
    package func finished(_ name: RecordingName) -> String { "\(path)/\(name).finished.sqlite" }
    /// The same of the second copies, which have a retention of their own.
    package func finishedCopies(_ name: RecordingName) -> String { "\(path)/\(name).mirror.sqlite" }
    /// What older versions wrote in its place.
    func oldFinished(_ name: RecordingName) -> String { "\(path)/\(name).finished.jsonl" }
    /// The secret with which runs of an archive seal what they did.
    package var archiveKey: String { path + "/archive.key" }
    package func retentionClock(_ name: RecordingName) -> String { "\(path)/\(name).clock.json" }
}
