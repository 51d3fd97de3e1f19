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
