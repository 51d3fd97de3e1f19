/// What is wrong with one value of a settings dictionary.
struct SettingsFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The key, and before it those of the dictionaries that it is in: `AVVideoCompressionPropertiesKey.AverageBitRate`.
    let key: String
    let reason: String

    var description: String { "\(key): \(reason)" }
}

/// Everything that is wrong with a settings dictionary, sorted by key.
struct SettingsFaults: Error, Sendable, Hashable, CustomStringConvertible {
    let list: [SettingsFault]

    var description: String { list.map(\.description).joined(separator: "; ") }
}
