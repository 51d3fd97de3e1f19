import CommandInterface
import MediaTypes

// The operation of the recorder.
extension RecordingSetting {
    package static let preRoll = optional(
        "pre-roll", "Also record this long before the start, e.g. 10s.", "time", \.preRoll,
        parse: ServiceText.parsePreRoll, text: DurationText.text)

    package static let armed = flag("armed", "Open the devices and wait for `recorder start`.", \.isArmed)

    package static let onOverload = value(
        "on-overload", "If the encoder is too slow: adapt its effort, drop frames, or step-down its preset.", "policy",
        \.overload, isLive: true,
        parse: ServiceText.parsePolicy, text: \.rawValue
    )
    .rare

    package static let queueMemory = optional(
        "queue-memory", "Memory for waiting frames (default: an eighth of the usable memory).", "size", \.queueMemory,
        parse: ServiceText.parseQueueMemory, text: QuantityText.text
    )
    .rare

    package static let hook = RecordingSetting(
        "hook", "Run a command at start, segment, stop …; repeatable.", "event=command", shape: .entries,
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
        "hook-time-limit", "Maximum time for a hook (default: 30s).", "time", \.hooks.timeLimit, isLive: true,
        parse: ServiceText.parseHookLimit, text: { DurationText.text($0) }
    )
    .rare

    package static let activityThreshold = value(
        "activity-threshold", "Activity that runs the hook, 1 to 100 (default: 50).", "value", \.activity.threshold,
        isLive: true, parse: ServiceText.parseActivity, text: { "\($0)" }
    )
    .rare

    package static let activityHold = value(
        "activity-hold", "End an activity after this quiet time (default: 10s).", "time", \.activity.hold, isLive: true,
        parse: ServiceText.parseHookLimit, text: { DurationText.text($0) }
    )
    .rare

    package static let controlGroup = optional(
        "control-group", "User group that may control the recorder.", "group", \.controlGroup,
        parse: ServiceText.parseGroup, text: { $0 }
    )
    .rare

    package static let liveGroup = optional(
        "live-group", "User group that may watch (default: --control-group).", "group", \.liveGroup,
        parse: ServiceText.parseGroup, text: { $0 }
    )
    .rare

    package static let group = optional(
        "group", "Group of recorders, as in `recorder start @stage`.", "name", \.group,
        parse: { (text) throws(OptionError) in try RecordingName(parsing: text).description }, text: { $0 }
    )
    .rare

    static let running = [
        group, preRoll, armed, onOverload, queueMemory, hook, hookTimeLimit, activityThreshold, activityHold,
        controlGroup, liveGroup,
    ]
}
