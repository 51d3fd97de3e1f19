package import CommandInterface
package import MediaTypes

/// Commands of the user that run at events.
package struct HookCommands: Sendable, Hashable {
    package enum Event: String, Sendable, Hashable, CaseIterable, Codable {
        /// The first sample is in the file.
        case start
        /// A file has its final name.
        case segment
        /// The recording has ended; its last file is finalized.
        case stop
        /// The previous process died, or its file is unfinished. The next start runs this hook before it records.
        case died
        case deviceLost = "device-lost"
        case deviceFound = "device-found"
        /// At most twice the reserve is free on the disk.
        case diskLow = "disk-low"
        /// Kept recordings leave too little room for new ones.
        case keptFull = "kept-full"
        /// One of two mirrored files cannot be written; the recording continues with the other.
        case mirrorLost = "mirror-lost"
        /// The mirrored file is complete again.
        case mirrorBack = "mirror-back"
        /// A file was deleted or moved while it was recorded, or could not be finalized.
        case fileLost = "file-lost"
        /// Something happens in the video; see `activity-threshold`.
        case activity
        /// Nothing has happened in the video for the time `activity-hold`.
        case activityEnd = "activity-end"
        /// A file's copy was verified.
        case copied
        /// A file could not be copied; the copier will retry.
        case copyFailed = "copy-failed"
    }

    /// The commands for `/bin/sh -c`.
    package var commands: [Event: String] = [:]
    /// Time after which a command is killed.
    package var timeLimit = MediaTime(value: 30, timescale: 1)

    package init(commands: [Event: String] = [:]) { self.commands = commands }
}

/// Parses hooks in the user's syntax: `segment=rsync "$RECORDER_FILE" nas:`.
package enum HookText {
    /// Parses one hook. An empty command removes a hook of the configuration file.
    package static func parse(_ text: String) throws(OptionError) -> (event: HookCommands.Event, command: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw OptionError(
                text, isNot: "a hook", write: "EVENT=COMMAND, such as segment='rsync \"$RECORDER_FILE\" nas:'")
        }
        guard let event = HookCommands.Event(rawValue: String(parts[0])) else {
            let events = HookCommands.Event.allCases.map(\.rawValue).joined(separator: ", ")
            throw OptionError(String(parts[0]), isNot: "an event", write: events)
        }
        guard !parts[1].utf8.contains(0), parts[1].utf8.count <= longest else {
            throw OptionError(
                "the command of \(event.rawValue) is invalid: write at most 64 KiB, without null characters")
        }
        return (event, String(parts[1]))
    }

    /// The maximum length of a command, less than Linux' limit of 128 KiB for one argument (execve(2),
    /// `MAX_ARG_STRLEN`).
    private static let longest = 65_536
}
