/// Where the text of a setting is from, from the weakest to the strongest.
package enum SettingOrigin: Sendable, Hashable, CustomStringConvertible {
    /// Nobody decided.
    case standard
    /// Lines begin with 1.
    case file(String, line: Int)
    /// A variable's name.
    case environment(String)
    /// An option, as `--segment`.
    case flag(String)

    /// "default", "/etc/recorder/front.yaml:7", "RECORDER_SEGMENT", "--segment"
    package var description: String {
        switch self {
        case .standard: "default"
        case .file(let path, let line): "\(path):\(line)"
        case .environment(let name): name
        case .flag(let name): name
        }
    }

    /// Whether somebody typed it just now, so that it is usage and not configuration what is wrong.
    var isTyped: Bool {
        switch self {
        case .standard, .flag: true
        case .file, .environment: false
        }
    }
}

/// A setting and a text for it, as somebody wrote it.
package struct SettingAssignment: Sendable {
    package let setting: RecordingSetting
    /// One value; `NAME=VALUE` of a setting with entries.
    package let text: String
    package let origin: SettingOrigin

    package init(_ setting: RecordingSetting, _ text: String, from origin: SettingOrigin) {
        self.setting = setting
        self.text = text
        self.origin = origin
    }

    /// Two assignments with the same place decide the same thing.
    var place: String {
        guard setting.shape == .entries else { return setting.key }
        return "\(setting.key).\(text.prefix { $0 != "=" })"
    }

    /// "/etc/recorder/front.yaml:7: duration", "RECORDER_DURATION", "--duration"
    var subject: String {
        if case .file = origin { "\(origin): \(setting.key)" } else { origin.description }
    }
}
