public import Foundation

extension AVMetadataItem {
    /// Returns the items in these languages, in the order of the languages. Items in other languages are omitted, and
    /// items without a language come last.
    public class func metadataItems(
        from metadataItems: [AVMetadataItem],
        filteredAndSortedAccordingToPreferredLanguages preferredLanguages: [String]
    ) -> [AVMetadataItem] {
        let languages = preferredLanguages + [""]
        var left = metadataItems
        var sorted: [AVMetadataItem] = []
        for language in languages {
            sorted += left.filter { $0.isIn(language) }
            left.removeAll { $0.isIn(language) }
        }
        return sorted
    }

    /// Returns the items with an identifier. A common identifier also finds equivalent items of other key spaces.
    public class func metadataItems(
        from metadataItems: [AVMetadataItem], filteredByIdentifier identifier: AVMetadataIdentifier
    ) -> [AVMetadataItem] {
        let common = keySpace(forIdentifier: identifier) == .common ? CommonMetadata.key(of: identifier) : nil
        return metadataItems.filter { item in
            item.identifier == identifier || common != nil && item.commonKey == common
        }
    }

    public class func metadataItems(
        from metadataItems: [AVMetadataItem], filteredBy metadataItemFilter: AVMetadataItemFilter
    ) -> [AVMetadataItem] {
        metadataItems.filter(metadataItemFilter.passes)
    }

    public class func metadataItems(from metadataItems: [AVMetadataItem], with locale: Locale) -> [AVMetadataItem] {
        metadataItems.filter { $0.locale?.identifier == locale.identifier }
    }

    /// Returns the items with a key and a key space. nil matches any key or key space.
    public class func metadataItems(
        from metadataItems: [AVMetadataItem], withKey key: Any?, keySpace: AVMetadataKeySpace?
    ) -> [AVMetadataItem] {
        metadataItems.filter { item in
            if let keySpace, keySpace != .common, item.keySpace != keySpace { return false }
            guard let key else { return keySpace != .common || item.commonKey != nil }
            guard let space = keySpace ?? item.keySpace, let wanted = identifier(forKey: key, keySpace: space) else {
                return false
            }
            return item.identifier == wanted
                || space == .common && item.commonKey != nil && item.commonKey == CommonMetadata.key(of: wanted)
        }
    }

    /// Returns true if the item is in a language: "en" matches "en-GB" and "eng"; an empty string matches items without
    /// a language.
    private func isIn(_ language: String) -> Bool {
        let own = extendedLanguageTag ?? storage.locale?.identifier ?? ""
        if language.isEmpty || own.isEmpty { return language.isEmpty && own.isEmpty }
        func root(_ tag: String) -> String {
            let first = tag.lowercased().split(whereSeparator: { $0 == "-" || $0 == "_" }).first.map(String.init) ?? ""
            return LanguageTags.short(first)
        }
        return own.caseInsensitiveCompare(language) == .orderedSame || root(own) == root(language)
    }
}

/// Decides which metadata is kept, for example by an export.
open class AVMetadataItemFilter: NSObject, @unchecked Sendable {
    // Unchecked: immutable.
    private let rule: @Sendable (AVMetadataItem) -> Bool

    init(_ rule: @escaping @Sendable (AVMetadataItem) -> Bool) { self.rule = rule }

    /// Returns a filter that removes personal information and locations.
    open class func forSharing() -> AVMetadataItemFilter {
        AVMetadataItemFilter { item in
            guard let identifier = item.identifier else { return false }
            if item.commonKey == .commonKeyLocation { return false }
            let name = identifier.rawValue.lowercased()
            return ![
                "location", "%a9xyz", "direction", "collection.user", "rating.user", "apid", "atid", "cnid", "plid",
                "akid",
            ]
            .contains { name.contains($0) }
        }
    }

    func passes(_ item: AVMetadataItem) -> Bool { rule(item) }
}

/// A table of languages with their two-letter codes (ISO 639-1) and three-letter codes (ISO 639-2/T).
enum LanguageTags {
    static func short(_ code: String) -> String { pairs[code] ?? code }

    private static let pairs = [
        "eng": "en", "deu": "de", "ger": "de", "fra": "fr", "fre": "fr", "ita": "it", "spa": "es", "por": "pt",
        "nld": "nl", "dut": "nl", "swe": "sv", "dan": "da", "nor": "no", "nob": "nb", "fin": "fi", "pol": "pl",
        "ces": "cs", "cze": "cs", "rus": "ru", "ukr": "uk", "ell": "el", "gre": "el", "tur": "tr", "ara": "ar",
        "heb": "he", "hin": "hi", "jpn": "ja", "kor": "ko", "zho": "zh", "chi": "zh", "hun": "hu", "ron": "ro",
        "rum": "ro", "bul": "bg", "hrv": "hr", "srp": "sr", "slk": "sk", "slo": "sk", "slv": "sl", "tha": "th",
        "vie": "vi", "ind": "id", "cat": "ca", "roh": "rm",
    ]
}
