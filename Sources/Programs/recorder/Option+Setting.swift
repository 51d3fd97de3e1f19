import ArgumentParser
import RecorderStorage

// The table of settings as options. It defines the names and the help of the options. It also parses their texts,
// because files and the environment contain the same texts.

extension Option {
    init(_ setting: RecordingSetting) where Value == String? {
        self.init(name: .customLong(setting.key), help: setting.argumentHelp)
    }

    /// Creates the option.
    ///
    /// - Parameters:
    ///   - short: A letter for the option.
    ///   - completion: The values that a shell offers.
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

    /// Returns the option's assignment; empty if the option was not set.
    func given(_ text: String?) -> [SettingAssignment] {
        text.map { [SettingAssignment(self, $0, from: .flag(flag))] } ?? []
    }

    func given(_ texts: [String]) -> [SettingAssignment] {
        texts.map { SettingAssignment(self, $0, from: .flag(flag)) }
    }

    func given(_ flag: Bool?) -> [SettingAssignment] { given(flag.map { $0 ? "true" : "false" }) }
}

extension SettingAssignment {
    /// The assignment as an argument.
    var word: String {
        switch (setting.shape, text) {
        case (.flag, "true"): setting.flag
        case (.flag, _): "--no-" + setting.key
        default: "\(setting.flag)=\(text)"
        }
    }
}
