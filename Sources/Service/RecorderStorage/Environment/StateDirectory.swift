import FileSystem
import Foundation
package import MediaTypes

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

    /// Creates the directory if necessary.
    ///
    /// - Throws: The error, e.g. of a read-only file system.
    package func create() throws(MediaError) {
        let code = FolderContents.create(path, mode: 0o700)
        guard code == 0 else { throw MediaError(errno: code, "cannot create \(path)") }
    }

    /// Creates the directory if necessary, and checks that this user may create files in it.
    ///
    /// - Throws: The error, e.g. of a read-only file system.
    package func check() throws(MediaError) {
        try create()
        guard access(path, W_OK | X_OK) == 0 else { throw MediaError(errno: errno, "cannot write in \(path)") }
    }

    package func log(_ name: RecordingName) -> String { "\(path)/\(name).log" }
    package func unfinished(_ name: RecordingName) -> String { "\(path)/\(name).unfinished.json" }
    /// Returns the path of the list with the disks of unfinished files.
    package func unfinishedDisks(_ name: RecordingName) -> String { "\(path)/\(name).unfinished-disks.json" }
    /// Returns the path of the note about the recorder's process: its state, and how it ended.
    package func ending(_ name: RecordingName) -> String { "\(path)/\(name).ending.json" }
    /// Returns the path of the lock that the recorder's process holds, wherever its runtime directory is.
    package func process(_ name: RecordingName) -> String { "\(path)/\(name).process" }
    /// Returns the path of the lock that the process which copies the recorder's recordings holds. It is not the name of
    /// the lock in the runtime directory, which may be the same directory.
    package func copier(_ name: RecordingName) -> String { "\(path)/\(name).copier" }
    /// Returns the path of the list of recordings whose two mirrored files may be incomplete.
    package func mirrored(_ name: RecordingName) -> String { "\(path)/\(name).mirrored.json" }
    package func finished(_ name: RecordingName) -> String { "\(path)/\(name).finished.sqlite" }
    /// Returns the path of the catalogue of the second disk's files, to which retention applies separately.
    package func finishedOnMirror(_ name: RecordingName) -> String { "\(path)/\(name).mirror.sqlite" }
    /// The secret key with which archive runs seal their records.
    package var archiveKey: String { path + "/archive.key" }
    package func retentionClock(_ name: RecordingName) -> String { "\(path)/\(name).clock.json" }
    /// Returns the path of the file systems on which deleting recordings freed no space.
    package func freedSpace(_ name: RecordingName) -> String { "\(path)/\(name).space.json" }
}
