/// One item of metadata of a movie or a track: a key and its value.
public struct MetadataItem: Sendable, Hashable, Codable {
    /// The vocabulary of the key. It also determines where the file stores the item. A file may have items in all three
    /// key spaces.
    public enum KeySpace: String, Sendable, Hashable, Codable, CaseIterable {
        /// Names in reverse domain notation, such as `com.apple.quicktime.title` (QTFF, "Metadata", handler `mdta`).
        /// For `.mov` and for custom items.
        case quickTimeMetadata
        /// Four characters, such as `©nam` or `©xyz` (QTFF, "User Data Atoms"): read by older programs in a `.mov`.
        case quickTimeUserData
        /// Four characters, such as `©nam`, `covr` or `trkn`, or `mean:name` for a custom item: read in `.mp4`, `.m4v`
        /// and `.m4a`.
        case iTunes
    }

    public enum Content: Sendable, Hashable, Codable {
        case text(String)
        case integer(Int64)
        case float(Double)
        /// An image as a JPEG or PNG file, such as a cover.
        case jpeg([UInt8])
        case png([UInt8])
    }

    public var keySpace: KeySpace
    public var key: String
    public var content: Content
    /// The language of the text, ISO 639-2/T; nil for all languages. iTunes items have none.
    public var language: String?

    /// Creates a text item in QuickTime's metadata.
    public init(key: String, value: String) {
        self.init(keySpace: .quickTimeMetadata, key: key, content: .text(value))
    }

    public init(keySpace: KeySpace, key: String, content: Content, language: String? = nil) {
        self.keySpace = keySpace
        self.key = key
        self.content = content
        self.language = language
    }

    /// The value as text; empty for an image.
    public var value: String {
        get {
            switch content {
            case .text(let text): text
            case .integer(let number): String(number)
            case .float(let number): String(number)
            case .jpeg, .png: ""
            }
        }
        set { content = .text(newValue) }
    }

    /// Returns true if both are values of the same item, so that this item replaces the other.
    public func replaces(_ other: MetadataItem) -> Bool {
        keySpace == other.keySpace && key == other.key && language == other.language
    }

    /// Keys that QuickTime defines; FFmpeg, mediainfo and others show them by these names.
    public static let creationDateKey = "com.apple.quicktime.creationdate"
    public static let softwareKey = "com.apple.quicktime.software"
    public static let titleKey = "com.apple.quicktime.title"
    /// Latitude, longitude and altitude in the form of ISO 6709: `+47.3769+008.5417+408/`.
    public static let locationKey = "com.apple.quicktime.location.ISO6709"
    /// The recorder's ledger, captured and dropped samples, as JSON.
    public static let ledgerKey = "recorder.ledger"
    /// The relation of a recording to other recordings: a `RecordingClock`, as JSON.
    public static let clockKey = "recorder.clock"
    /// The interval of a time-lapse, and the capture times of its frames, as JSON.
    package static let timeLapseKey = "recorder.time-lapse"
    /// The gaps that damage left in a repaired recording: `MissingRange`es, as JSON.
    public static let missingKey = "recorder.missing"
    /// The signed end of a signed recording.
    package static let signedEndKey = "recorder.signature"
}

extension MetadataItem {
    /// FFmpeg's name for the subject of the item, in any key space: `title` for `title`, `TITLE`, `title-deu`, `©nam`
    /// and `com.apple.quicktime.title`. A name that only one program uses is returned unchanged.
    package var meaning: String {
        switch keySpace {
        case .quickTimeUserData: return Self.name(ofUserData: key) ?? key
        case .iTunes: return Self.name(ofITunes: key) ?? key
        case .quickTimeMetadata: break
        }
        var name = key.lowercased()
        let domain = "com.apple.quicktime."
        if name.hasPrefix(domain) {
            name.removeFirst(domain.count)
            return Self.domainNames[name] ?? name
        }
        if !name.contains("."), let hyphen = name.lastIndex(of: "-"),
            LanguageCode.isValid(String(name[name.index(after: hyphen)...]))
        {
            name = String(name[..<hyphen])
        }
        return name
    }

    /// Apple's names that differ from FFmpeg's.
    private static let domainNames = [
        "location.iso6709": "location", "creationdate": "creation_time", "displayname": "title", "author": "artist",
        "information": "comment", "year": "date",
    ]
}
