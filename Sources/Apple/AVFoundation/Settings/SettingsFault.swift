/// An invalid value in a settings dictionary.
struct SettingsFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The key, after the keys of the enclosing dictionaries, such as `AVVideoCompressionPropertiesKey.AverageBitRate`.
    let key: String
    let reason: String

    var description: String { "\(key): \(reason)" }
}

/// All invalid values in a settings dictionary, sorted by key.
struct SettingsFaults: Error, Sendable, Hashable, CustomStringConvertible {
    let list: [SettingsFault]

    var description: String { list.map(\.description).joined(separator: "; ") }
}
