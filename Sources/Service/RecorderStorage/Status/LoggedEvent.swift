package import Logging

/// The event that a log message reports, and its facts, as fields of the journal: `journalctl RECORDER_EVENT=lost`.
///
/// An event that also has a hook has its name. The hooks `start`, `kept-full`, `activity` and `activity-end` have no
/// event here. The messages contain the facts too, for logs that have only lines.
package enum LoggedEvent: String, Sendable, CaseIterable {
    case segment
    case stop
    case died
    case deviceLost = "device-lost"
    case deviceFound = "device-found"
    case diskLow = "disk-low"
    case mirrorLost = "mirror-lost"
    case mirrorBack = "mirror-back"
    case fileLost = "file-lost"
    case copied
    case copyFailed = "copy-failed"
    /// Frames or other data are permanently lost; the recording continues.
    case lost
    /// Retention deleted a file.
    case deleted
    /// A file that a crash or power loss left unfinished was repaired.
    case repaired

    /// The key of the event in a message's metadata.
    package static let key = "event"

    /// Returns the metadata of a message about this event. Unknown facts are left out.
    ///
    /// - Parameters:
    ///   - file: The file's path.
    ///   - device: The camera or microphone.
    ///   - error: The cause.
    ///   - bytes: The file's size; for `diskLow` the free space.
    ///   - copy: The location of the file's copy.
    package func fields(
        file: String? = nil, device: String? = nil, error: String? = nil, bytes: Int64? = nil, copy: String? = nil
    ) -> Logger.Metadata {
        let facts = [
            "file": file, "device": device, "error": error, "bytes": bytes.map { "\($0)" }, "copy": copy,
        ]
        var fields: Logger.Metadata = [Self.key: .string(rawValue)]
        for case (let name, let fact?) in facts { fields[name] = .string(fact) }
        return fields
    }
}
