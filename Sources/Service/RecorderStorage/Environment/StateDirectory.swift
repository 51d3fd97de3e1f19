import FileSystem

/// The directory for logs and lists of recordings, which outlive their processes: `$XDG_STATE_HOME/recorder`, else
/// `~/.local/state/recorder`.
package struct StateDirectory: Sendable, Hashable {
    package let path: String

    package init(environment: [String: String] = ProcessText.environment) {
        if let base = environment["XDG_STATE_HOME"], base.hasPrefix("/") {
            path = base + "/recorder"
        } else {
            let home = ProcessText.homeDirectory(in: environment)
            path = home + "/.local/state/recorder"
        }
    }

    package func log(_ name: RecordingName) -> String { "\(path)/\(name).log" }
    package func unfinished(_ name: RecordingName) -> String { "\(path)/\(name).unfinished.json" }
    /// Returns the note with the state of the recorder's process, and how it ended.
    package func ending(_ name: RecordingName) -> String { "\(path)/\(name).ending.json" }
    /// Returns the list of recordings whose two mirrored files may be incomplete.
    package func mirrored(_ name: RecordingName) -> String { "\(path)/\(name).mirrored.json" }
    package func finished(_ name: RecordingName) -> String { "\(path)/\(name).finished.sqlite" }
    /// Returns the catalogue of the files on the second disk, which have a retention of their own.
    package func finishedOnMirror(_ name: RecordingName) -> String { "\(path)/\(name).mirror.sqlite" }
    /// The secret key with which archive runs seal their records.
    package var archiveKey: String { path + "/archive.key" }
    package func retentionClock(_ name: RecordingName) -> String { "\(path)/\(name).clock.json" }
}
