import Foundation

/// Lists which keys of different key spaces are equivalent. A pure table.
enum CommonMetadata {
    /// Returns the common key of an identifier; nil if there is none.
    static func key(of identifier: AVMetadataIdentifier) -> AVMetadataKey? {
        let raw = identifier.rawValue
        if raw.hasPrefix("comn/") { return AVMetadataKey(rawValue: String(raw.dropFirst(5))) }
        return keys[raw]
    }

    /// Returns a key space's identifier for a common key; nil if there is none.
    static func identifier(_ key: AVMetadataKey, in keySpace: AVMetadataKeySpace) -> AVMetadataIdentifier? {
        guard let row = table.first(where: { $0.0 == key }) else { return nil }
        let prefix = (keySpace == .id3 ? "id3" : keySpace.rawValue) + "/"
        return row.1.first { $0.rawValue.hasPrefix(prefix) }
    }

    private static let keys: [String: AVMetadataKey] = {
        var keys: [String: AVMetadataKey] = [:]
        for (key, identifiers) in table {
            for identifier in identifiers where keys[identifier.rawValue] == nil { keys[identifier.rawValue] = key }
        }
        return keys
    }()

    /// The identifiers for each common key; if several are in the same key space, the first is written to files.
    private static let table: [(AVMetadataKey, [AVMetadataIdentifier])] = [
        (
            .commonKeyTitle,
            [
                .quickTimeMetadataTitle, .quickTimeMetadataDisplayName, .quickTimeUserDataFullName,
                .iTunesMetadataSongName, .id3MetadataTitleDescription,
            ]
        ),
        (
            .commonKeyArtist,
            [
                .quickTimeMetadataArtist, .quickTimeUserDataArtist, .iTunesMetadataArtist, .id3MetadataLeadPerformer,
            ]
        ),
        (
            .commonKeyAuthor,
            [.quickTimeMetadataAuthor, .quickTimeUserDataAuthor, .iTunesMetadataAuthor]
        ),
        (
            .commonKeyCreator,
            [
                .quickTimeMetadataComposer, .quickTimeUserDataComposer, .iTunesMetadataComposer, .id3MetadataComposer,
            ]
        ),
        (
            .commonKeyAlbumName,
            [.quickTimeMetadataAlbum, .quickTimeUserDataAlbum, .iTunesMetadataAlbum, .id3MetadataAlbumTitle]
        ),
        (
            .commonKeyDescription,
            [
                .quickTimeMetadataDescription, .quickTimeUserDataDescription,
                AVMetadataIdentifier(rawValue: "itsk/desc"), .iTunesMetadataDescription,
                .quickTimeMetadataComment, .quickTimeUserDataComment, .iTunesMetadataUserComment, .id3MetadataComments,
            ]
        ),
        (
            .commonKeyCreationDate,
            [
                .quickTimeMetadataCreationDate, .quickTimeUserDataCreationDate, .iTunesMetadataReleaseDate,
                .isoUserDataDate, .id3MetadataDate,
            ]
        ),
        (
            .commonKeyCopyrights,
            [
                .quickTimeMetadataCopyright, .quickTimeUserDataCopyright, .isoUserDataCopyright,
                .iTunesMetadataCopyright, .id3MetadataCopyright,
            ]
        ),
        (
            .commonKeyPublisher,
            [
                .quickTimeMetadataPublisher, .quickTimeUserDataPublisher, .iTunesMetadataPublisher,
                .id3MetadataPublisher,
            ]
        ),
        (
            .commonKeySoftware,
            [
                .quickTimeMetadataSoftware, .quickTimeUserDataSoftware, .iTunesMetadataEncodingTool,
                .id3MetadataEncodedWith,
            ]
        ),
        (
            .commonKeyType,
            [.quickTimeMetadataGenre, .quickTimeUserDataGenre, .iTunesMetadataUserGenre, .id3MetadataContentType]
        ),
        (
            .commonKeySubject,
            [.quickTimeMetadataKeywords, .quickTimeUserDataKeywords, .id3MetadataContentGroupDescription]
        ),
        (.commonKeyLocation, [.quickTimeMetadataLocationISO6709, .quickTimeUserDataLocationISO6709]),
        (.commonKeyMake, [.quickTimeMetadataMake, .quickTimeUserDataMake]),
        (.commonKeyModel, [.quickTimeMetadataModel, .quickTimeUserDataModel]),
        (.commonKeyArtwork, [.quickTimeMetadataArtwork, .iTunesMetadataCoverArt, .id3MetadataAttachedPicture]),
        (.commonKeySource, [.quickTimeUserDataOriginalSource]),
        (.commonKeyFormat, [.quickTimeUserDataOriginalFormat]),
        (.commonKeyIdentifier, [.quickTimeMetadataContentIdentifier]),
        (
            .commonKeyContributor,
            [
                .quickTimeMetadataPerformer, .quickTimeUserDataPerformers, .iTunesMetadataPerformer, .id3MetadataBand,
            ]
        ),
        (
            .commonKeyAccessibilityDescription,
            [
                .quickTimeMetadataAccessibilityDescription, .quickTimeUserDataAccessibilityDescription,
                .isoUserDataAccessibilityDescription,
            ]
        ),
    ]
}
