import Foundation
package import MediaTypes

extension AVMetadataItem {
    /// Returns the items for a file's metadata. Each item is in the key space that the file type uses for it.
    ///
    /// - Parameters:
    ///   - stored: the metadata, under the names of the file or of libavformat.
    ///   - fileType: the file's type; `.mov` if unknown.
    static func items(fromStored stored: [MetadataItem], of fileType: FileType) -> [AVMetadataItem] {
        MetadataItem.movieItems(fromStored: stored, for: fileType).map(AVMetadataItem.init)
    }

    convenience init(_ item: MetadataItem) {
        self.init()
        let space: AVMetadataKeySpace =
            switch item.keySpace {
            case .quickTimeMetadata: .quickTimeMetadata
            case .quickTimeUserData: .quickTimeUserData
            case .iTunes: .iTunes
            }
        storage.keySpace = space
        storage.key = NSString(string: item.key)
        storage.identifier = Self.identifier(forKey: item.key, keySpace: space)
        storage.extendedLanguageTag = item.language.map(LanguageTags.short)
        switch item.content {
        case .text(let text): storage.value = NSString(string: text)
        case .integer(let number): storage.value = NSNumber(value: number)
        case .float(let number): storage.value = NSNumber(value: number)
        case .jpeg(let bytes), .png(let bytes):
            storage.value = Data(bytes)._bridgeToObjectiveC()
        }
        storage.dataType = storage.value.map(MetadataValueForm.dataType)
    }

    /// Returns the item in the form in which it is written to a file. Returns nil for an item without identifier or
    /// value, and for bytes that are not an image.
    func engine(for fileType: FileType) -> MetadataItem? {
        guard let identifier, let value, let content = Self.content(value), let place = Self.place(identifier, fileType)
        else { return nil }
        return MetadataItem(
            keySpace: place.0, key: place.1, content: content, language: place.0 == .iTunes ? nil : language)
    }

    /// The result of `engine(for: .mov)` as a list. In a QuickTime movie, an item may be in any key space.
    var engineItems: [MetadataItem] { engine(for: .mov).map { [$0] } ?? [] }

    /// Returns the items that can be written. If several of them have the same key, key space and language, only the
    /// last is returned.
    package static func engine(_ items: [AVMetadataItem], for fileType: FileType) -> [MetadataItem] {
        var all: [MetadataItem] = []
        for item in items.compactMap({ $0.engine(for: fileType) }) {
            if let index = all.firstIndex(where: item.replaces) { all[index] = item } else { all.append(item) }
        }
        return all
    }

    /// The item's language as an ISO 639-2/T code; nil if it has none.
    private var language: String? {
        guard let tag = extendedLanguageTag ?? storage.locale?.identifier,
            let first = tag.lowercased().split(whereSeparator: { $0 == "-" || $0 == "_" }).first
        else { return nil }
        if first.count == 3 { return LanguageCode.isValid(String(first)) ? String(first) : nil }
        return LanguageTags.long(String(first))
    }

    private static func content(_ value: any NSObjectProtocol) -> MetadataItem.Content? {
        switch value {
        case let number as NSNumber:
            return number.isFraction ? .float(number.doubleValue) : .integer(number.int64Value)
        case let data as NSData:
            let data = Data._unconditionallyBridgeFromObjectiveC(data)
            switch ImageKind(data) {
            case .jpeg: return .jpeg(Array(data))
            case .png: return .png(Array(data))
            case nil: return String(validating: data, as: UTF8.self).map { .text($0) }
            }
        default: return MetadataValueForm.string(value).map { .text($0) }
        }
    }

    /// Returns the key space and key in the file. Keys of other file types, such as ID3, are mapped through their
    /// common key.
    private static func place(
        _ identifier: AVMetadataIdentifier, _ fileType: FileType
    ) -> (MetadataItem.KeySpace, String)? {
        guard let space = keySpace(forIdentifier: identifier), let key = key(forIdentifier: identifier) as? NSString
        else { return nil }
        let text = String._unconditionallyBridgeFromObjectiveC(key)
        switch space {
        case .quickTimeMetadata: return (.quickTimeMetadata, text)
        case .quickTimeUserData: return (.quickTimeUserData, text)
        case .iTunes: return (.iTunes, text)
        default:
            let own: AVMetadataKeySpace = fileType.isQuickTime ? .quickTimeMetadata : .iTunes
            guard let common = CommonMetadata.key(of: identifier) else { return nil }
            for target in [own, .quickTimeMetadata] {
                guard let found = CommonMetadata.identifier(common, in: target) else { continue }
                return place(found, fileType)
            }
            return (.quickTimeMetadata, "com.apple.quicktime." + common.rawValue.lowercased())
        }
    }
}

extension LanguageTags {
    /// Returns the ISO 639-2/T code for a two-letter code; nil if the code is not in the table.
    static func long(_ code: String) -> String? { longCodes[code] }

    private static let longCodes = [
        "en": "eng", "de": "deu", "fr": "fra", "it": "ita", "es": "spa", "pt": "por", "nl": "nld", "sv": "swe",
        "da": "dan", "no": "nor", "nb": "nob", "fi": "fin", "pl": "pol", "cs": "ces", "ru": "rus", "uk": "ukr",
        "el": "ell", "tr": "tur", "ar": "ara", "he": "heb", "hi": "hin", "ja": "jpn", "ko": "kor", "zh": "zho",
        "hu": "hun", "ro": "ron", "bg": "bul", "hr": "hrv", "sr": "srp", "sk": "slk", "sl": "slv", "th": "tha",
        "vi": "vie", "id": "ind", "ca": "cat", "rm": "roh",
    ]
}
