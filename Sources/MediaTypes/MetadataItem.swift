/// One fact about a movie or a track: a key and its value.
public struct MetadataItem: Sendable, Hashable, Codable {
    /// Whose keys they are, and so where in the file the fact stands. A file may have facts in all three.
    public enum KeySpace: String, Sendable, Hashable, Codable, CaseIterable {
        /// Names in reverse domain notation, as `com.apple.quicktime.title` (QTFF, "Metadata", handler `mdta`). For `.mov`
        /// and for facts of one's own.
        case quickTimeMetadata
        /// Four characters, as `©nam` or `©xyz` (QTFF, "User Data Atoms"): what older programs read in a `.mov`.
        case quickTimeUserData
        /// Four characters, as `©nam`, `covr` or `trkn`, or `mean:name` for a fact of one's own: what is read in `.mp4`,
        /// `.m4v` and `.m4a`.
        case iTunes
    }

    public enum Content: Sendable, Hashable, Codable {
        case text(String)
        case integer(Int64)
        case float(Double)
        /// A picture as a JPEG or PNG file, such as a cover.
        case jpeg([UInt8])
        case png([UInt8])
    }

    public var keySpace: KeySpace
    public var key: String
    public var content: Content
    /// Of the text: ISO 639-2/T; nil for all languages. iTunes' facts have none.
    public var language: String?

    /// A fact in words, in QuickTime's metadata.
    public init(key: String, value: String) {
        self.init(keySpace: .quickTimeMetadata, key: key, content: .text(value))
    }

    public init(keySpace: KeySpace, key: String, content: Content, language: String? = nil) {
        self.keySpace = keySpace
        self.key = key
        self.content = content
        self.language = language
    }

    /// The value in words; empty for a picture.
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

    /// Whether this is another value of the same fact, which takes the other's place.
    public func replaces(_ other: MetadataItem) -> Bool {
        keySpace == other.keySpace && key == other.key && language == other.language
    }

    /// Keys that QuickTime defines; FFmpeg, mediainfo and others show them by these names.
    public static let creationDateKey = "com.apple.quicktime.creationdate"
    public static let softwareKey = "com.apple.quicktime.software"
    public static let titleKey = "com.apple.quicktime.title"
    /// Latitude, longitude and height as ISO 6709 writes them: `+47.3769+008.5417+408/`.
    public static let locationKey = "com.apple.quicktime.location.ISO6709"
    /// The recorder's account of what was captured and what was lost, as JSON.
    public static let ledgerKey = "recorder.ledger"
    /// What relates a recording to others: a `RecordingClock`, as JSON.
    public static let clockKey = "recorder.clock"
    /// What damage took out of a recording that was repaired: `MissingStretch`es, as JSON.
    public static let missingKey = "recorder.missing"
    /// The signed end of a signed recording.
    package static let signedEndKey = "recorder.signature"
}

extension MetadataItem {
    /// What the fact is about, whichever key space it stands in, as FFmpeg calls it: `title` for `title`, `TITLE`,
    /// `title-deu`, `©nam` and `com.apple.quicktime.title`. Names that nobody else has stand for themselves.
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

    /// Where Apple's word is another than FFmpeg's.
    private static let domainNames = [
        "location.iso6709": "location", "creationdate": "creation_time", "displayname": "title", "author": "artist",
        "information": "comment", "year": "date",
    ]
}
