import CommandInterface
import MediaTypes

// The operation of the recorder.
extension RecordingSetting {
    package static let preRoll = optional(
        "pre-roll", "Keep the last 10s in memory, for what comes.", "time", \.preRoll,
        parse: ServiceText.parsePreRoll, text: DurationText.text)

    package static let armed = flag("armed", "Open the devices, and wait to be told.", \.isArmed)

    package static let onOverload = value(
        "on-overload", "adapt the effort, drop pictures, or step-down x264's preset too.", "policy", \.overload,
        isLive: true,
        parse: ServiceText.parsePolicy, text: \.rawValue
    )
    .rare

    package static let queueMemory = optional(
        "queue-memory", "What may wait for the encoder (default: an eighth of the memory).", "size", \.queueMemory,
        parse: ServiceText.parseQueueMemory, text: QuantityText.text
    )
    .rare

    package static let hook = RecordingSetting(
        "hook", "Run it at start, segment, stop …; repeatable.", "event=command", shape: .entries,
        read: { (text, draft) throws(OptionError) in
            let (event, command) = try HookText.parse(text)
            draft.configuration.hooks.commands[event] = command.isEmpty ? nil : command
        },
        show: { configuration in
            HookCommands.Event.allCases.compactMap { event in
                configuration.hooks.commands[event].map { "\(event.rawValue)=\($0)" }
            }
        }, adopt: { $1.hooks.commands = $0.hooks.commands })

    package static let hookTimeLimit = value(
        "hook-time-limit", "What a hook may take (default: 30s).", "time", \.hooks.timeLimit, isLive: true,
        parse: ServiceText.parseHookLimit, text: { DurationText.text($0) }
    )
    .rare

    package static let controlGroup = optional(
        "control-group", "A group that may control it too.", "group", \.controlGroup,
        parse: ServiceText.parseGroup, text: { $0 }
    )
    .rare

    package static let liveGroup = optional(
        "live-group", "A group that may watch it (default: who may control it).", "group", \.liveGroup,
        parse: ServiceText.parseGroup, text: { $0 }
    )
    .rare

    package static let group = optional(
        "group", "Which recorders it is one with: `recorder start @stage`.", "name", \.group,
        parse: { (text) throws(OptionError) in try RecordingName(parsing: text).description }, text: { $0 }
    )
    .rare

    static let running = [group, preRoll, armed, onOverload, queueMemory, hook, hookTimeLimit, controlGroup, liveGroup]
}
