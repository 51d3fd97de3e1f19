/// What a hook's command learns of the event: in its environment as `RECORDER_…`, and as one JSON object on its standard
/// input. What is not known is in neither.
///
/// No fact is named like a setting, so that a recorder that is started by a hook does not take facts for settings.
package struct HookFacts: Encodable, Sendable, Hashable {
    package internal(set) var event: HookCommands.Event
    /// The recorder's name.
    package internal(set) var name: String
    /// The wall clock, as 2026-11-21T14:03:22.345Z.
    package internal(set) var time: String
    /// The file that began, or has its final name now.
    package var file: String?
    /// The camera or microphone that went away or came back.
    package var device: String?
    /// What is in the file.
    package var seconds: Double?
    package var bytes: Int64?
    /// Bytes that the disk has left.
    package var free: Int64?
    /// Why it ended before its time, or is not copied.
    package var error: String?
    /// Where the file's copy is, as rclone spells it.
    package var copy: String?

    package init(
        file: String? = nil, device: String? = nil, seconds: Double? = nil, bytes: Int64? = nil, free: Int64? = nil,
        error: String? = nil, copy: String? = nil
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
    }

    /// The names of all that a hook may be given.
    static let variables = Set(
        ["EVENT", "NAME", "TIME", "FILE", "DEVICE", "SECONDS", "BYTES", "FREE", "ERROR", "COPY"].map {
            "RECORDER_" + $0
        })

    /// `RECORDER_FILE=/data/front.mov` …; one text is cut at 32 KiB, because the kernel takes no more than 128
    /// (execve(2)).
    var environment: [String: String] {
        let facts: [String: String?] = [
            "EVENT": event.rawValue, "NAME": name, "TIME": time, "FILE": file, "DEVICE": device,
            "SECONDS": seconds.map { "\($0)" }, "BYTES": bytes.map { "\($0)" }, "FREE": free.map { "\($0)" },
            "ERROR": error, "COPY": copy,
        ]
        var environment: [String: String] = [:]
        for case (let key, let value?) in facts {
            let text = value.replacing("\0", with: "")
            environment["RECORDER_" + key] = String(decoding: text.utf8.prefix(32_768), as: UTF8.self)
        }
        return environment
    }
}
