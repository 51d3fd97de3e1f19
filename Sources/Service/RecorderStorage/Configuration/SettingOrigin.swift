/// The origin of a setting's text, from the weakest to the strongest.
package enum SettingOrigin: Sendable, Hashable, CustomStringConvertible {
    /// The default.
    case standard
    /// A configuration file, by its path, and the line, counted from 1.
    case file(String, line: Int)
    /// An environment variable, by its name.
    case environment(String)
    /// An option, such as `--segment`.
    case flag(String)

    /// The origin as text: "default", "/etc/recorder/front.yaml:7", "RECORDER_SEGMENT" or "--segment".
    package var description: String {
        switch self {
        case .standard: "default"
        case .file(let path, let line): "\(path):\(line)"
        case .environment(let name): name
        case .flag(let name): name
        }
    }

    /// True if the text comes from the command line. Then an error has the stage `usage`, not `configuration`.
    var isTyped: Bool {
        switch self {
        case .standard, .flag: true
        case .file, .environment: false
        }
    }
}

/// A setting and its text, as the user wrote it.
package struct SettingAssignment: Sendable {
    package let setting: RecordingSetting
    /// The text of the value; `NAME=VALUE` for a setting with entries.
    package let text: String
    package let origin: SettingOrigin

    package init(_ setting: RecordingSetting, _ text: String, from origin: SettingOrigin) {
        self.setting = setting
        self.text = text
        self.origin = origin
    }

    /// Identifies the value that is set: of two assignments with the same place, the stronger one counts.
    var place: String {
        guard setting.shape == .entries else { return setting.key }
        return "\(setting.key).\(text.prefix { $0 != "=" })"
    }

    /// The setting and its origin: "/etc/recorder/front.yaml:7: duration", "RECORDER_DURATION" or "--duration".
    var subject: String {
        if case .file = origin { "\(origin): \(setting.key)" } else { origin.description }
    }
}
