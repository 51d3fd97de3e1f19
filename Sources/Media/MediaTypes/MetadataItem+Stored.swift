extension MetadataItem {
    /// Returns the metadata of an asset as items for a new movie, stored where other programs look for them. The items
    /// of the asset have libavformat's names (`title`, `location`, `com.apple.quicktime.make`). Reading the new movie
    /// returns the same names and values.
    ///
    /// `.mov` stores short names in user data. The `.mp4` family stores short names in iTunes' list, or in user data if
    /// that list does not know them. Names with dots, and all other names, stay unchanged in QuickTime's metadata.
    /// Metadata about the old file itself (brands, encoder, handlers, durations, statistics) is left out, because the
    /// new file has its own metadata of this kind. The ledger is left out too: code that copies an entire recording
    /// must copy the ledger itself. Items that already have another key space stay unchanged.
    public static func movieItems(
        fromStored stored: [MetadataItem], for fileType: FileType = .mov
    ) -> [MetadataItem] {
        var result: [MetadataItem] = []
        // The header's time has no time zone. If the file also has a date with a time zone, that date is used.
        let hasDate = stored.contains { $0.key.lowercased() == creationDateKey }
        for item in stored where !(hasDate && item.key.lowercased() == "creation_time") {
            guard let item = item.keySpace == .quickTimeMetadata ? placed(item, fileType) : item else { continue }
            // libavformat reports a text of one language twice: `title` and `title-deu`.
            let isRepeated = result.contains {
                $0.keySpace == item.keySpace && $0.key == item.key
                    && ($0.language == item.language || $0.content == item.content)
            }
            if !isRepeated { result.append(item) }
        }
        return result
    }

    private static func placed(_ item: MetadataItem, _ fileType: FileType) -> MetadataItem? {
        var item = item
        // Matroska writes names in capitals; names with dots are unchanged.
        let isDomain = item.key.contains(".")
        var name = isDomain ? item.key : item.key.lowercased()
        if isOwnAffair(name) || item.key.isEmpty { return nil }
        if isDomain { return item }
        if name == "creation_time" {
            item.key = creationDateKey
            return item
        }
        if let hyphen = name.lastIndex(of: "-"), LanguageCode.isValid(String(name[name.index(after: hyphen)...])) {
            let base = String(name[..<hyphen])
            if userDataCodes[base] != nil || iTunesCodes[base] != nil {
                item.language = String(name[name.index(after: hyphen)...])
                name = base
            }
        }
        if !fileType.isQuickTime, let code = iTunesCodes[name] {
            if numbered.contains(name) {
                // "3/12": the number, and the total.
                guard let number = item.value.split(separator: "/").first.flatMap({ Int64($0) }) else { return nil }
                return MetadataItem(keySpace: .iTunes, key: code, content: .integer(number))
            }
            return MetadataItem(keySpace: .iTunes, key: code, content: item.content)
        }
        if let code = userDataCodes[name] {
            return MetadataItem(
                keySpace: .quickTimeUserData, key: code, content: item.content, language: item.language)
        }
        item.key = name
        return item
    }

    /// Returns true for metadata about the old file itself. Such metadata does not apply to a new file.
    private static func isOwnAffair(_ name: String) -> Bool {
        ownAffairs.contains(name) || name.hasPrefix("_statistics") || name.hasPrefix("itun") || name == ledgerKey
            || name == clockKey || name == missingKey || name == signedEndKey
            // mkvmerge writes these names once for each language.
            || ["bps-", "duration-", "number_of_", "source_id"].contains { name.hasPrefix($0) }
    }

    private static let ownAffairs: Set<String> = [
        "major_brand", "minor_version", "compatible_brands", "encoder", "encoded_by_tool", "handler_name", "vendor_id",
        "language", "rotate", "timecode", "duration", "bps", "variant_bitrate", "gapless_playback", "reel_name",
        "service_name", "service_provider", "filename", "mimetype", "tlen", "tsse", "encoding_tool",
        "com.apple.quicktime.pixeldensity", "creation_time-eng",
    ]

    private static let numbered: Set<String> = ["track", "disc"]

    /// FFmpeg's names, with the codes of user data (QTFF, "User Data List Entry Types").
    private static let userDataCodes = [
        "title": "©nam", "artist": "©ART", "album": "©alb", "comment": "©cmt", "date": "©day",
        "genre": "©gen", "copyright": "©cpy", "composer": "©wrt", "director": "©dir",
        "producer": "©prd", "performers": "©prf", "make": "©mak", "model": "©mod", "location": "©xyz",
        "grouping": "©grp", "lyrics": "©lyr", "host_computer": "©hst", "disclaimer": "©dis", "warning": "©wrn",
        "original_source": "©src", "original_format": "©fmt",
    ]

    private static let iTunesCodes = [
        "title": "©nam", "artist": "©ART", "album": "©alb", "album_artist": "aART", "comment": "©cmt", "date": "©day",
        "genre": "©gen", "copyright": "cprt", "description": "desc", "composer": "©wrt", "grouping": "©grp",
        "lyrics": "©lyr", "synopsis": "ldes", "show": "tvsh", "network": "tvnn", "episode_id": "tven", "track": "trkn",
        "disc": "disk",
    ]

    static func name(ofUserData code: String) -> String? { userDataCodes.first { $0.value == code }?.key }
    static func name(ofITunes code: String) -> String? { iTunesCodes.first { $0.value == code }?.key }
}
