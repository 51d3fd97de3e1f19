package import Logging

/// The event that a log message reports, and its facts, as fields of the journal: `journalctl RECORDER_EVENT=lost`.
///
/// For each event that has a hook, there is an event of the same name here. The messages contain the facts too, for
/// logs that have only lines.
package enum LoggedEvent: Sendable, Hashable, CaseIterable {
    case hook(HookCommands.Event)
    /// Frames or other data are permanently lost; the recording continues.
    case lost
    /// Retention deleted a file.
    case deleted
    /// A file that a crash or power loss left unfinished was repaired.
    case repaired

    package static var allCases: [LoggedEvent] {
        HookCommands.Event.allCases.map(LoggedEvent.hook) + [.lost, .deleted, .repaired]
    }

    /// The key of the event in a message's metadata.
    package static let key = "event"

    /// The event's name in the journal.
    package var name: String {
        switch self {
        case .hook(let event): event.rawValue
        case .lost: "lost"
        case .deleted: "deleted"
        case .repaired: "repaired"
        }
    }

    /// Returns the metadata of a message about this event. Unknown facts are left out. Each fact has the same name as
    /// in a hook's environment, but in small letters and without `RECORDER_`.
    ///
    /// - Parameters:
    ///   - file: The file's path.
    ///   - device: The camera or microphone.
    ///   - seconds: The duration of the file or recording.
    ///   - bytes: The size of the file or recording.
    ///   - free: The free bytes on the disk.
    ///   - error: The cause.
    ///   - copy: The location of the file's copy.
    ///   - activity: The activity with which the event began, 1 to 100.
    package func fields(
        file: String? = nil, device: String? = nil, seconds: Double? = nil, bytes: Int64? = nil, free: Int64? = nil,
        error: String? = nil, copy: String? = nil, activity: Int? = nil
    ) -> Logger.Metadata {
        let facts: [String: String?] = [
            "file": file, "device": device, "seconds": seconds.map { "\($0)" }, "bytes": bytes.map { "\($0)" },
            "free": free.map { "\($0)" }, "error": error, "copy": copy, "activity": activity.map { "\($0)" },
        ]
        var fields: Logger.Metadata = [Self.key: .string(name)]
        for case (let name, let fact?) in facts { fields[name] = .string(fact) }
        return fields
    }
}
