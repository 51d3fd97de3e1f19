public import Foundation

extension AVMetadataItem {
    /// The items of these languages, those of the first language first; of what is in none of them nothing is given, except
    /// items that are in no language, which come last.
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

    /// Those of an identifier. A common one finds what says the same in other key spaces.
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

    /// Those of a key and a key space; nil for either lets all pass.
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

    /// "en" is the language of "en-GB" and "eng"; the empty text that of what is in none.
    private func isIn(_ language: String) -> Bool {
        let own = extendedLanguageTag ?? facts.locale?.identifier ?? ""
        if language.isEmpty || own.isEmpty { return language.isEmpty && own.isEmpty }
        func root(_ tag: String) -> String {
            let first = tag.lowercased().split(whereSeparator: { $0 == "-" || $0 == "_" }).first.map(String.init) ?? ""
            return LanguageTags.short(first)
        }
        return own.caseInsensitiveCompare(language) == .orderedSame || root(own) == root(language)
    }
}

/// Says which metadata may be passed on.
open class AVMetadataItemFilter: NSObject, @unchecked Sendable {
    // Unchecked: nothing in it changes.
    private let rule: @Sendable (AVMetadataItem) -> Bool

    init(_ rule: @escaping @Sendable (AVMetadataItem) -> Bool) { self.rule = rule }

    /// Leaves out what tells who somebody is or where he was.
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

/// Languages by their codes of two letters (ISO 639-1) and of three (ISO 639-2/T).
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
