/// A hook as people write it: `segment=rsync "$RECORDER_FILE" nas:`.
public enum HookText {
    /// An empty command takes away a hook that the configuration file has.
    public static func parse(_ text: String) throws(OptionError) -> (event: HookCommands.Event, command: String) {
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
