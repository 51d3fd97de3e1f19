/// What a hook's command learns of the event: in its environment as `RECORDER_…`, and as one JSON object on its standard
/// input. What is not known is in neither.
///
/// No fact is named like a setting, so that a recorder that is started by a hook does not take facts for settings.
public struct HookFacts: Encodable, Sendable, Hashable {
    public internal(set) var event: HookCommands.Event
    /// The recorder's name.
    public internal(set) var name: String
    /// The wall clock, as 2026-11-21T14:03:22.345Z.
    public internal(set) var time: String
    /// The file that began, or has its final name now.
    public var file: String?
    /// The camera or microphone that went away or came back.
    public var device: String?
    /// What is in the file.
    public var seconds: Double?
    public var bytes: Int64?
    /// Bytes that the disk has left.
    public var free: Int64?
    /// Why it ended before its time.
    public var error: String?

    public init(
        file: String? = nil, device: String? = nil, seconds: Double? = nil, bytes: Int64? = nil, free: Int64? = nil,
        error: String? = nil
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
    }

    /// The names of all that a hook may be given.
    static let variables = Set(
        ["EVENT", "NAME", "TIME", "FILE", "DEVICE", "SECONDS", "BYTES", "FREE", "ERROR"].map { "RECORDER_" + $0 })

    /// `RECORDER_FILE=/data/front.mov` …; one text is cut at 32 KiB, because the kernel takes no more than 128
    /// (execve(2)).
    var environment: [String: String] {
        let facts: [String: String?] = [
            "EVENT": event.rawValue, "NAME": name, "TIME": time, "FILE": file, "DEVICE": device,
            "SECONDS": seconds.map { "\($0)" }, "BYTES": bytes.map { "\($0)" }, "FREE": free.map { "\($0)" },
            "ERROR": error,
        ]
        var environment: [String: String] = [:]
        for case (let key, let value?) in facts {
            let text = value.replacing("\0", with: "")
            environment["RECORDER_" + key] = String(decoding: text.utf8.prefix(32_768), as: UTF8.self)
        }
        return environment
    }
}
