import CommandInterface
import MediaTypes

/// One thing that can be decided about a recording, in all its forms: `--segment 10m`, `RECORDER_SEGMENT=10m`,
/// `segment: 10m`.
///
/// Everything that knows the settings, the command line, the configuration file, the environment, `config show` and the
/// reload, knows them from `RecordingSetting.all`.
package struct RecordingSetting: Sendable {
    package enum Shape: Sendable, Hashable {
        /// One text.
        case value
        /// Yes or no.
        case flag
        /// Texts by names, which are given one by one: `--hook stop=…`, `RECORDER_HOOK_STOP=…`, a mapping in the file.
        case entries
    }

    /// Takes something from the first into the second.
    typealias Adoption = @Sendable (RecordingConfiguration, inout RecordingConfiguration) -> Void

    /// The option's name without dashes in front, which is the key in the file too.
    package let key: String
    package let shape: Shape
    package let help: String
    /// What stands for the value in `--help`.
    package let valueName: String
    /// Left out of `--help`, which fits one screen; `--help-hidden` has it.
    package private(set) var isRare = false
    /// A recording that runs can take it over; else it waits for the next start.
    package var isLive: Bool { adopt != nil }

    /// Understands one text, or one `NAME=TEXT` of entries.
    let read: @Sendable (String, inout RecordingDraft) throws(OptionError) -> Void
    /// The texts that `read` makes the same of; none when nothing is decided.
    let show: @Sendable (RecordingConfiguration) -> [String]
    /// Takes it over from another configuration; nil when only a restart can.
    let adopt: Adoption?
    /// The settings that mean nothing any more beside this text. Where they come from a weaker place they are dropped, so
    /// that `--bit-rate 6M` wins over `crf: 20` in the file; side by side they are a contradiction.
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

    /// The same, left out of `--help`.
    var rare: RecordingSetting {
        var setting = self
        setting.isRare = true
        return setting
    }

    package var flag: String { "--" + key }
    package var environmentName: String { "RECORDER_" + key.uppercased().replacing("-", with: "_") }

    package static let all: [RecordingSetting] = devices + encoding + file + keeping + copying + running

    package static func named(_ key: String) -> RecordingSetting? { all.first { $0.key == key } }
}

extension RecordingSetting {
    typealias Path<Value> = any WritableKeyPath<RecordingConfiguration, Value> & Sendable

    /// One value that is always decided.
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

    /// One value that may be left open; `none` opens it again where a weaker place has decided.
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

/// A configuration while its words are being read: what only means something together is kept apart until the end.
struct RecordingDraft {
    var configuration = RecordingConfiguration()
    var codec = VideoCodecChoice.h264
    var preset: String?
    var crf: Double?
    var bitRate: Int?
    var keyFrameInterval: MediaTime?
    var audioCodec = AudioCodecChoice.aac
    var audioBitRate: Int?
    var channels: Int?
    var sampleRate: Int?
    var hold: CopyHold?

    /// - Throws: for what contradicts itself, with the keys.
    func finished() throws(OptionError) -> RecordingConfiguration {
        var configuration = configuration
        configuration.video = try EncodingText.video(
            codec, preset: preset, crf: crf, bitRate: bitRate, keyFrameInterval: keyFrameInterval)
        configuration.audio = try EncodingText.audio(
            audioCodec, bitRate: audioBitRate, channels: channels, sampleRate: sampleRate)
        configuration.retention.hold = hold.map { .init($0, remote: configuration.copies.remote?.text ?? "") }
        try configuration.validate()
        return configuration
    }
}
