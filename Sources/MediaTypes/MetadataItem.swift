/// One fact about a movie or a track: a key in reverse domain notation and its text (QTFF, "Metadata", handler `mdta`).
public struct MetadataItem: Sendable, Hashable, Codable {
    public var key: String
    public var value: String

    public init(key: String, value: String) {
        self.key = key
        self.value = value
    }

    /// Keys that QuickTime defines; FFmpeg, mediainfo and others show them by these names.
    public static let creationDateKey = "com.apple.quicktime.creationdate"
    public static let softwareKey = "com.apple.quicktime.software"
    public static let titleKey = "com.apple.quicktime.title"
    /// The recorder's account of what was captured and what was lost, as JSON.
    public static let ledgerKey = "recorder.ledger"
}
