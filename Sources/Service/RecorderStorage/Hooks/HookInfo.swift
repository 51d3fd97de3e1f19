/// The facts about an event. A hook's command gets them as `RECORDER_…` variables in its environment, and as one JSON
/// object on its standard input. Unknown facts are omitted.
///
/// No fact has the name of a setting. Otherwise, a recorder that a hook starts would mistake facts for settings.
package struct HookInfo: Encodable, Sendable, Hashable {
    package internal(set) var event: HookCommands.Event
    /// The recorder's name.
    package internal(set) var name: String
    /// The time of the event by the wall clock, such as 2026-11-21T14:03:22.345Z.
    package internal(set) var time: String
    /// The file that was begun, or that now has its final name.
    package var file: String?
    /// The camera or microphone that disconnected or reconnected.
    package var device: String?
    /// The duration of the file in seconds. `bytes` is its size.
    package var seconds: Double?
    package var bytes: Int64?
    /// The free bytes on the disk.
    package var free: Int64?
    /// The cause of the event, such as the error that ended the recording or prevented a copy. For `kept-full`, the
    /// warning that kept recordings leave too little free space.
    package var error: String?
    /// The location of the file's copy, in rclone's syntax.
    package var copy: String?
    /// The activity with which the event began, 1 to 100.
    package var activity: Int?

    package init(
        file: String? = nil, device: String? = nil, seconds: Double? = nil, bytes: Int64? = nil, free: Int64? = nil,
        error: String? = nil, copy: String? = nil, activity: Int? = nil
    ) {
        event = .start
        name = ""
        time = ""
        self.file = file
        self.device = device
        self.seconds = seconds
        self.bytes = bytes
        self.free = free
        self.error = error
        self.copy = copy
        self.activity = activity
    }

    /// The names of all variables for hooks.
    static let variables = Set(
        ["EVENT", "NAME", "TIME", "FILE", "DEVICE", "SECONDS", "BYTES", "FREE", "ERROR", "COPY", "ACTIVITY"].map {
            "RECORDER_" + $0
        })

    /// Returns an environment without these variables. A hook may start a recorder, whose own hooks must not get the
    /// facts of another recorder's event.
    package static func removed(from environment: [String: String]) -> [String: String] {
        environment.filter { !variables.contains($0.key) }
    }

    /// Variables such as `RECORDER_FILE=/data/front.mov`. Each text is truncated at 32 KiB, because the kernel accepts
    /// at most 128 KiB (execve(2)).
    var environment: [String: String] {
        let facts: [String: String?] = [
            "EVENT": event.rawValue, "NAME": name, "TIME": time, "FILE": file, "DEVICE": device,
            "SECONDS": seconds.map { "\($0)" }, "BYTES": bytes.map { "\($0)" }, "FREE": free.map { "\($0)" },
            "ERROR": error, "COPY": copy, "ACTIVITY": activity.map { "\($0)" },
        ]
        var environment: [String: String] = [:]
        for case (let key, let value?) in facts {
            let text = value.replacing("\0", with: "")
            environment["RECORDER_" + key] = String(decoding: text.utf8.prefix(32_768), as: UTF8.self)
        }
        return environment
    }
}
