package import CommandInterface
package import MediaTypes

/// Commands of the owner that run when something happens.
package struct HookCommands: Sendable, Hashable {
    package enum Event: String, Sendable, Hashable, CaseIterable, Codable {
        /// The first sample is in the file.
        case start
        /// A file has its final name.
        case segment
        /// The recording has ended, its last file is whole.
        case stop
        /// The process before this one died, or its file is unfinished: run by the next start, before it records.
        case died
        case deviceLost = "device-lost"
        case deviceFound = "device-found"
        /// Twice the reserve, or less, is left.
        case diskLow = "disk-low"
        /// One of two copies cannot be written; the recording goes on with the other.
        case mirrorLost = "mirror-lost"
        /// It has everything again.
        case mirrorBack = "mirror-back"
        /// A file was deleted or moved while it was recorded, or could not be finished.
        case fileLost = "file-lost"
        /// A file's copy was verified.
        case copied
        /// A file could not be copied; it is tried again.
        case copyFailed = "copy-failed"
    }

    /// For `/bin/sh -c`.
    package var commands: [Event: String] = [:]
    /// After that a command is ended.
    package var timeLimit = MediaTime(value: 30, timescale: 1)

    package init(commands: [Event: String] = [:]) { self.commands = commands }
}

/// A hook as people write it: `segment=rsync "$RECORDER_FILE" nas:`.
package enum HookText {
    /// An empty command takes away a hook that the configuration file has.
    package static func parse(_ text: String) throws(OptionError) -> (event: HookCommands.Event, command: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw OptionError(text, isNot: "a hook", write: "EVENT=COMMAND, as segment='rsync \"$RECORDER_FILE\" nas:'")
        }
        guard let event = HookCommands.Event(rawValue: String(parts[0])) else {
            let events = HookCommands.Event.allCases.map(\.rawValue).joined(separator: ", ")
            throw OptionError(String(parts[0]), isNot: "an event", write: events)
        }
        guard !parts[1].utf8.contains(0), parts[1].utf8.count <= longest else {
            throw OptionError("the command of \(event.rawValue) is no command: at most 64 KiB without a null")
        }
        return (event, String(parts[1]))
    }

    /// Below Linux' limit of 128 KiB for one argument (execve(2), `MAX_ARG_STRLEN`).
    private static let longest = 65_536
}
