/// One setting that differs between two configurations.
package struct ConfigurationChange: Sendable, Hashable, CustomStringConvertible {
    package let key: String
    package let old: [String]
    package let new: [String]
    /// True if a running recording adopts the change; otherwise it takes effect at the next start.
    package let isLive: Bool

    /// Returns the settings that differ, in the order of `RecordingSetting.all`. The recorders' names are not compared.
    package static func between(_ old: RecordingConfiguration, _ new: RecordingConfiguration) -> [ConfigurationChange] {
        RecordingSetting.all.compactMap { setting in
            let (before, after) = (setting.show(old), setting.show(new))
            guard before != after else { return nil }
            return ConfigurationChange(key: setting.key, old: before, new: after, isLive: setting.isLive)
        }
    }

    /// Returns a copy of the old configuration, with the new values of the settings that a running recording can adopt.
    package static func adopt(
        _ new: RecordingConfiguration, into old: RecordingConfiguration
    ) -> RecordingConfiguration {
        var result = old
        for setting in RecordingSetting.all { setting.adopt?(new, &result) }
        return result
    }

    /// The change in one line, e.g. "segment: 10m → 5m" or
    /// "camera: /dev/video0 → /dev/video2 (takes effect at the next start)".
    package var description: String {
        func text(_ values: [String]) -> String { values.isEmpty ? "not set" : values.joined(separator: ", ") }
        return "\(key): \(text(old)) → \(text(new))" + (isLive ? "" : " (takes effect at the next start)")
    }
}
