/// What `RECORDER_…` variables decide.
///
/// A variable that is set to nothing decides nothing. Entries have a variable each: `RECORDER_HOOK_STOP`,
/// `RECORDER_CONTROL_FOCUS_ABSOLUTE`.
enum SettingsEnvironment {
    static func assignments(_ environment: [String: String]) -> [SettingAssignment] {
        RecordingSetting.all.flatMap { setting in
            variables(of: setting, in: environment).compactMap { variable, entry in
                guard let text = environment[variable], !text.isEmpty else { return nil }
                return SettingAssignment(
                    setting, entry.map { "\($0)=\(text)" } ?? text, from: .environment(variable))
            }
        }
    }

    private static func variables(
        of setting: RecordingSetting, in environment: [String: String]
    ) -> [(variable: String, entry: String?)] {
        guard setting.shape == .entries else { return [(setting.environmentName, nil)] }
        let prefix = setting.environmentName + "_"
        let others = Set(RecordingSetting.all.map(\.environmentName))
        return environment.keys.filter { $0.hasPrefix(prefix) && !others.contains($0) }.sorted().map { variable in
            let entry = variable.dropFirst(prefix.count).lowercased()
            // Events have dashes, V4L2's names underscores.
            return (variable, setting.key == RecordingSetting.hook.key ? entry.replacing("_", with: "-") : entry)
        }
    }
}
