import CommandInterface
import MediaTypes

/// One setting of a recording, in all its forms: `--segment 10m`, `RECORDER_SEGMENT=10m`, `segment: 10m`.
///
/// The command line, the configuration file, the environment, `config show` and the reload all use
/// `RecordingSetting.all`.
package struct RecordingSetting: Sendable {
    package enum Shape: Sendable, Hashable {
        /// A single text.
        case value
        /// A flag: yes or no.
        case flag
        /// Named texts, which are set one by one: `--hook stop=…`, `RECORDER_HOOK_STOP=…`, or a mapping in the file.
        case entries
    }

    /// Copies a setting from the first configuration to the second.
    typealias Adoption = @Sendable (RecordingConfiguration, inout RecordingConfiguration) -> Void

    /// The option's name without dashes; also the key in the file.
    package let key: String
    package let shape: Shape
    package let help: String
    /// The placeholder for the value in `--help`.
    package let valueName: String
    /// True if `--help` omits the setting, so that the help fits on one screen; `--help-hidden` shows the setting.
    package private(set) var isRare = false
    /// True if a running recording can adopt a change; otherwise it takes effect at the next start.
    package var isLive: Bool { adopt != nil }

    /// Parses one text, or one `NAME=TEXT` of entries.
    let read: @Sendable (String, inout RecordingDraft) throws(OptionError) -> Void
    /// Returns the texts from which `read` restores the value; an empty array if the setting is not set.
    let show: @Sendable (RecordingConfiguration) -> [String]
    /// Copies the setting to a running recording's configuration; nil if a change needs a restart.
    let adopt: Adoption?
    /// Returns the keys of the settings that contradict this setting with this text. A contradictory setting from a
    /// weaker source is ignored: `--bit-rate 6M` overrides `crf: 20` in the file. Two contradictory settings from the
    /// same source are an error.
    let displaces: @Sendable (String) -> [String]

    init(
        _ key: String, _ help: String, _ valueName: String = "", shape: Shape = .value,
        read: @escaping @Sendable (String, inout RecordingDraft) throws(OptionError) -> Void,
        show: @escaping @Sendable (RecordingConfiguration) -> [String],
        adopt: Adoption? = nil,
        displaces: @escaping @Sendable (String) -> [String] = { _ in [] }
    ) {
        self.key = key
        self.shape = shape
        self.help = help
        self.valueName = valueName
        self.read = read
        self.show = show
        self.adopt = adopt
        self.displaces = displaces
    }

    /// The same setting, omitted from `--help`.
    var rare: RecordingSetting {
        var setting = self
        setting.isRare = true
        return setting
    }

    package var flag: String { "--" + key }
    package var environmentName: String { "RECORDER_" + key.uppercased().replacing("-", with: "_") }

    package static let all: [RecordingSetting] =
        devices + timeLapse + frames + encoding + file + retaining + copying + running

    package static func named(_ key: String) -> RecordingSetting? { all.first { $0.key == key } }
}

extension RecordingSetting {
    typealias Path<Value> = any WritableKeyPath<RecordingConfiguration, Value> & Sendable

    /// Creates a setting that cannot be unset.
    static func value<Value: Sendable>(
        _ key: String, _ help: String, _ valueName: String, _ path: Path<Value>, isLive: Bool = false,
        parse: @escaping @Sendable (String) throws(OptionError) -> Value,
        text: @escaping @Sendable (Value) -> String?, displaces: @escaping @Sendable (String) -> [String] = { _ in [] }
    ) -> RecordingSetting {
        RecordingSetting(
            key, help, valueName,
            read: { (text: String, draft: inout RecordingDraft) throws(OptionError) -> Void in
                draft.configuration[keyPath: path] = try parse(text)
            },
            show: { (configuration: RecordingConfiguration) -> [String] in
                text(configuration[keyPath: path]).map { [$0] } ?? []
            }, adopt: isLive ? adoption(of: path) : nil, displaces: displaces)
    }

    private static func adoption<Value: Sendable>(of path: Path<Value>) -> Adoption {
        { $1[keyPath: path] = $0[keyPath: path] }
    }

    /// Creates an optional setting. The text `none` removes the value of a weaker source.
    static func optional<Value: Sendable>(
        _ key: String, _ help: String, _ valueName: String, _ path: Path<Value?>, isLive: Bool = false,
        parse: @escaping @Sendable (String) throws(OptionError) -> Value, text: @escaping @Sendable (Value) -> String,
        displaces: @escaping @Sendable (String) -> [String] = { _ in [] }
    ) -> RecordingSetting {
        value(
            key, help, valueName, path, isLive: isLive,
            parse: { (text) throws(OptionError) in text == "none" ? nil : try parse(text) }, text: { $0.map(text) },
            displaces: displaces)
    }

    static func flag(
        _ key: String, _ help: String, _ path: Path<Bool>, isLive: Bool = false
    ) -> RecordingSetting {
        RecordingSetting(
            key, help, shape: .flag,
            read: { (text: String, draft: inout RecordingDraft) throws(OptionError) -> Void in
                draft.configuration[keyPath: path] = try ServiceText.parseFlag(text)
            }, show: { (configuration: RecordingConfiguration) -> [String] in ["\(configuration[keyPath: path])"] },
            adopt: isLive ? adoption(of: path) : nil)
    }
}

/// A configuration that is being parsed. Values that are valid only in combination are kept separate until the end.
struct RecordingDraft {
    var configuration = RecordingConfiguration()
    /// The codec; nil selects H.264, or `passthrough` for a network camera, because such a camera compresses its frames
    /// itself.
    var codec: VideoCodecChoice?
    var preset: String?
    var crf: Double?
    var bitRate: Int?
    var keyframeInterval: MediaTime?
    var audioCodec = AudioCodecChoice.aac
    var audioBitRate: Int?
    var channels: Int?
    var sampleRate: Int?
    var hold: CopyHold?

    /// Combines and validates the values.
    ///
    /// - Throws: An error for contradictory settings, with their keys.
    func finished() throws(OptionError) -> RecordingConfiguration {
        var configuration = configuration
        let isNetwork = configuration.networkCamera != nil
        configuration.video = try EncodingText.video(
            codec ?? (isNetwork ? .passthrough : .h264), preset: preset, crf: crf, bitRate: bitRate,
            keyframeInterval: keyframeInterval, encoder: configuration.encoder)
        configuration.audio = try EncodingText.audio(
            audioCodec, bitRate: audioBitRate, channels: channels, sampleRate: sampleRate)
        // A time-lapse has no audio, so the first microphone is not used.
        if configuration.every != nil, configuration.camera != .none, configuration.microphone == .first {
            configuration.microphone = .none
        }
        // A microphone of this machine is usually not in the same place as a network camera.
        if isNetwork, configuration.microphone == .first {
            configuration.microphone = .ofCamera(isRequired: false)
        }
        configuration.retention.hold = hold.map { .init($0, remote: configuration.copies.remote?.text ?? "") }
        try configuration.validate()
        return configuration
    }
}
