import ArgumentParser
import RecorderService

// The settings' table, as options: names and help are from there, and every text is understood there, because files and the
// environment say the same.

extension Option {
    init(_ setting: RecordingSetting) where Value == String? {
        self.init(name: .customLong(setting.key), help: setting.argumentHelp)
    }

    /// - Parameters:
    ///   - short: a letter for it.
    ///   - completion: what a shell offers.
    init(_ setting: RecordingSetting, short: Character, completion: CompletionKind) where Value == String? {
        self.init(
            name: [.customLong(setting.key), .customShort(short)], help: setting.argumentHelp, completion: completion)
    }

    init(_ setting: RecordingSetting) where Value == [String] {
        self.init(wrappedValue: [], name: .customLong(setting.key), help: setting.argumentHelp)
    }
}

extension Flag {
    init(_ setting: RecordingSetting) where Value == Bool? {
        self.init(name: .customLong(setting.key), inversion: .prefixedNo, help: setting.argumentHelp)
    }
}

extension RecordingSetting {
    fileprivate var argumentHelp: ArgumentHelp {
        ArgumentHelp(
            "\(help)", valueName: valueName.isEmpty ? nil : valueName, visibility: isRare ? .hidden : .default)
    }

    /// What the option decides; nothing when it was not given.
    func given(_ text: String?) -> [SettingAssignment] {
        text.map { [SettingAssignment(self, $0, from: .flag(flag))] } ?? []
    }

    func given(_ texts: [String]) -> [SettingAssignment] {
        texts.map { SettingAssignment(self, $0, from: .flag(flag)) }
    }

    func given(_ flag: Bool?) -> [SettingAssignment] { given(flag.map { $0 ? "true" : "false" }) }
}

extension SettingAssignment {
    /// As somebody types it.
    var word: String {
        switch (setting.shape, text) {
        case (.flag, "true"): setting.flag
        case (.flag, _): "--no-" + setting.key
        default: "\(setting.flag)=\(text)"
        }
    }
}
