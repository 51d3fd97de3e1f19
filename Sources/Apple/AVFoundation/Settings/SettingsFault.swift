/// An invalid value in a settings dictionary.
struct SettingsFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The key, preceded by those of the enclosing dictionaries: `AVVideoCompressionPropertiesKey.AverageBitRate`.
    let key: String
    let reason: String

    var description: String { "\(key): \(reason)" }
}

/// All invalid values in a settings dictionary, sorted by key.
struct SettingsFaults: Error, Sendable, Hashable, CustomStringConvertible {
    let list: [SettingsFault]

    var description: String { list.map(\.description).joined(separator: "; ") }
}
