import MediaTypes

/// The values of a track's header that can be changed without its media.
package struct EditedTrack: Sendable, Equatable {
    package var isEnabled = true
    /// The alternate group. Players choose one of the tracks of a group; 0 means no group.
    package var alternateGroup = 0
    /// ISO 639-2/T; nil if undetermined.
    package var language: String?
    /// BCP 47.
    package var extendedLanguage: String?
    /// The display matrix: a b u c d v x y w.
    package var matrix = MovieTrack.identityMatrix

    /// The offsets of values in `tkhd` and `mdhd`. They depend on the version of the atom (QTFF, "Track Header Atoms",
    /// "Media Header Atoms").
    private struct Places {
        let group: Int
        var matrix: Int { group + 6 }
        let language: Int

        init(isLong: Bool) { (group, language) = isLong ? (46, 32) : (34, 20) }
    }

    /// Reads the values from a track's header. Returns nil if the header is damaged.
    init?(_ trak: Atom) {
        guard let header = trak["tkhd"]?.payload, let media = trak.find("mdia", "mdhd")?.payload,
            let version = header.first, let mediaVersion = media.first
        else { return nil }
        let places = Places(isLong: version == 1)
        guard header.count >= places.matrix + 36 else { return nil }
        isEnabled = header[3] & 1 != 0
        var reader = ByteReader(header[places.group...])
        alternateGroup = Int(reader.u16() ?? 0)
        reader = ByteReader(header[places.matrix...])
        matrix = (0..<9).map { index in
            Double(reader.s32() ?? 0) / (index % 3 == 2 ? 1_073_741_824 : 65_536)
        }
        let place = Places(isLong: mediaVersion == 1).language
        guard media.count >= place + 2 else { return nil }
        reader = ByteReader(media[place...])
        language = PackedLanguage.code(reader.u16() ?? 0)
        if let tag = trak.find("mdia", "elng")?.payload, tag.count > 4 {
            extendedLanguage = String(decoding: tag.dropFirst(4).prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// Writes the changed values into a header. All other bytes stay.
    func apply(to trak: inout Atom) {
        guard let old = EditedTrack(trak), self != old, var header = trak["tkhd"]?.payload, var media = trak["mdia"]
        else { return }
        let places = Places(isLong: header[0] == 1)
        if isEnabled != old.isEnabled { header[3] ^= 1 }
        if alternateGroup != old.alternateGroup {
            Self.put(at: places.group, in: &header) { $0.u16(UInt16(clamping: alternateGroup)) }
        }
        if matrix != old.matrix { Self.put(at: places.matrix, in: &header) { $0.matrix(matrix) } }
        trak["tkhd"] = Atom("tkhd", bytes: header)
        if language != old.language, var bytes = media["mdhd"]?.payload {
            Self.put(at: Places(isLong: bytes[0] == 1).language, in: &bytes) {
                $0.u16(PackedLanguage.pack(language ?? "und"))
            }
            media["mdhd"] = Atom("mdhd", bytes: bytes)
        }
        if extendedLanguage != old.extendedLanguage {
            media["elng"] = extendedLanguage.map { Atom("elng", bytes: [0, 0, 0, 0] + Array($0.utf8) + [0]) }
        }
        trak["mdia"] = media
    }

    private static func put(at place: Int, in bytes: inout [UInt8], _ fill: (inout AtomWriter) -> Void) {
        var writer = AtomWriter()
        fill(&writer)
        bytes.replaceSubrange(place..<(place + writer.count), with: writer.bytes)
    }

    /// Returns why the changed values cannot be written; nil if they can. Unchanged values are not checked, because the
    /// file keeps them.
    func fault(replacing old: EditedTrack) -> MediaError? {
        if language != old.language, let language, let refusal = LanguageCode.refusal(of: language) { return refusal }
        if extendedLanguage != old.extendedLanguage, let extendedLanguage,
            !LanguageCode.isValidExtendedTag(extendedLanguage)
        {
            return MediaError(
                .invalidSettings, "cannot use the language tag \"\(extendedLanguage)\"",
                reason: "it does not have the form of BCP 47", wayOut: "write a tag like \"de-CH\"")
        }
        guard (0...Int(UInt16.max)).contains(alternateGroup) else {
            return MediaError(
                .invalidSettings, "cannot use the alternate group \(alternateGroup)",
                reason: "a group has a number from 0 to 65,535", wayOut: "use 0 for a track without alternatives")
        }
        guard matrix == old.matrix || Self.isStorable(matrix) else {
            return MediaError(
                .invalidSettings, "cannot use the transform \(matrix)",
                reason: "its numbers must be between -32,768 and 32,768", wayOut: "use a smaller translation or scale")
        }
        return nil
    }

    /// Returns true if a matrix has nine numbers that fit in their fixed-point fields: 2.30 bits in the last column,
    /// 16.16 bits in the others.
    private static func isStorable(_ matrix: [Double]) -> Bool {
        matrix.count == 9
            && matrix.enumerated().allSatisfy { abs($0.element) < ($0.offset % 3 == 2 ? 2.0 : 32_768.0) }
    }
}
