import MediaTypes

/// Whether a finished movie's header says once what it says, where every player looks for it.
///
/// What a signature says nothing of, as texts and references, is skipped by who verifies. Players are not that careful: FFmpeg
/// takes an atom for what its type says wherever it stands, and of two the last.
enum PlainHeader {
    /// What belongs into a movie's header, or a track's, and nowhere else.
    private static let own: Set<FourCharCode> = [
        "moov", "mvhd", "trak", "tkhd", "edts", "elst", "mdia", "mdhd", "minf", "vmhd", "smhd", "stbl", "stsd", "stts",
        "ctts",
        "stss", "stps", "stsc", "stsz", "stz2", "stco", "co64", "sbgp", "sgpd", "cslg", "mvex", "trex", "mehd", "moof",
        "mfhd", "traf", "tfhd", "tfdt", "trun", "sidx", "mdat", "rmra", "cmov",
    ]
    private static let containers: Set<FourCharCode> = ["trak", "mdia", "minf", "stbl"]
    /// Deeper than any list of texts.
    private static let deepest = 10
    /// More atoms than any list of texts has: what a file says must not take for ever.
    private static let most = 1 << 16

    static func isPlain(_ moov: Atom) -> Bool {
        var left = most
        let ids = moov.all("trak").map(FinalHeader.trackID)
        guard moov.all("mvhd").count == 1, moov.all("udta").count < 2, moov.all("meta").count < 2,
            Set(ids).count == ids.count
        else { return false }
        return moov.children.allSatisfy {
            $0.type == "mvhd" || ($0.type == "trak" ? isPlainTrack($0, &left) : isHarmless($0, &left))
        }
    }

    /// The rest of a track is hashed, or is its tables and edits.
    private static func isPlainTrack(_ atom: Atom, _ left: inout Int) -> Bool {
        atom.children.allSatisfy { child in
            if containers.contains(child.type) { return isPlainTrack(child, &left) }
            return !["udta", "meta", "tref"].contains(child.type) || isHarmless(child, &left)
        }
    }

    private static func isHarmless(_ atom: Atom, _ left: inout Int) -> Bool {
        !own.contains(atom.type) && !holdsOwn(atom.payload[...], depth: 0, &left)
    }

    /// Whether bytes, taken for atoms as far as they can be, hold one of a header.
    private static func holdsOwn(_ bytes: ArraySlice<UInt8>, depth: Int, _ left: inout Int) -> Bool {
        guard depth < deepest, left > 0 else { return true }
        // `meta` and some others have a version in front.
        return [0, 4].contains { start in
            var found = false
            var reader = ByteReader(bytes.dropFirst(start))
            reader.forEachAtom { type, body in
                left -= 1
                found = found || own.contains(type) || body.count >= 8 && holdsOwn(body, depth: depth + 1, &left)
            }
            return found
        }
    }
}
