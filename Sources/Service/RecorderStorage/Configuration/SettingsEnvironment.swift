/// Reads settings from `RECORDER_…` variables.
///
/// An empty variable has no effect. Each entry has its own variable: `RECORDER_HOOK_STOP`,
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

    /// Variables that are not settings, but name the directories with the sockets of recorders.
    private static let places = ["RECORDER_RUNTIME_DIRECTORY", "RECORDER_SERVICE_DIRECTORY"]

    /// Returns `RECORDER_…` variables that are unknown: neither settings nor variables for hooks.
    ///
    /// - Returns: The sorted variables. `meant` is the known variable that has almost the same name; nil if there is
    ///   none.
    static func unknown(_ environment: [String: String]) -> [(variable: String, meant: String?)] {
        let settings = RecordingSetting.all.filter { $0.shape != .entries }.map(\.environmentName) + ["RECORDER_CONFIG"]
        let known = Set(settings).union(HookInfo.variables).union(places)
        let entries = RecordingSetting.all.filter { $0.shape == .entries }.map { $0.environmentName + "_" }
        return environment.filter { variable, text in
            variable.hasPrefix("RECORDER_") && !text.isEmpty && !known.contains(variable)
                && !entries.contains { variable.hasPrefix($0) && variable.count > $0.count }
        }
        .keys.sorted().map { variable in
            // Compares without the common prefix, which would make all names similar.
            let meant = Spelling.nearest(
                to: String(variable.dropFirst(prefix.count)), in: settings.map { String($0.dropFirst(prefix.count)) })
            return (variable, meant.map { prefix + $0 })
        }
    }

    private static let prefix = "RECORDER_"

    private static func variables(
        of setting: RecordingSetting, in environment: [String: String]
    ) -> [(variable: String, entry: String?)] {
        guard setting.shape == .entries else { return [(setting.environmentName, nil)] }
        let prefix = setting.environmentName + "_"
        let others = Set(RecordingSetting.all.map(\.environmentName))
        return environment.keys.filter { $0.hasPrefix(prefix) && !others.contains($0) }.sorted().map { variable in
            let entry = variable.dropFirst(prefix.count).lowercased()
            // Events have dashes, V4L2 names have underscores.
            return (variable, setting.key == RecordingSetting.hook.key ? entry.replacing("_", with: "-") : entry)
        }
    }
}
