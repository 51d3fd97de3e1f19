import MediaTypes

/// Checks that the `udta` and `meta` of a movie or a track contain texts and numbers, and nothing that a player could
/// interpret differently.
///
/// No signature covers titles. The atoms around them are therefore accepted only if they are on a list, as in
/// `PlainHeader`. FFmpeg creates a video track from a cover, skips audio because of `iTunSMPB`, and applies an atom
/// `glbl` or `hdlr` among titles to the previous track.
enum PlainTexts {
    /// The codes of iTunes metadata that do not begin with ©.
    private static let codes: Set<FourCharCode> = [
        "trkn", "disk", "cprt", "desc", "ldes", "aART", "tvsh", "tven", "tvsn", "tves", "tvnn", "tmpo", "cpil", "pgap",
        "stik", "purd", "sonm", "soar", "soal", "soco", "sosn", "keyw", "catg", "----",
    ]
    private static let parts: Set<FourCharCode> = ["data", "mean", "name"]
    private static let artwork = "com.apple.quicktime.artwork"
    private static let gaps = Array("iTunSMPB".utf8)

    static func arePlain(in parent: Atom) -> Bool {
        (parent["udta"].map { isPlainUserData($0.payload[...]) } ?? true)
            && (parent["meta"].map { isPlainList($0.payload[...]) } ?? true)
    }

    private static func isPlainUserData(_ udta: ArraySlice<UInt8>) -> Bool {
        guard let atoms = atoms(udta) else { return false }
        return atoms.allSatisfy { $0.type.bytes[0] == 0xA9 || $0.type == "meta" && isPlainList($0.body) }
    }

    private static func isPlainList(_ meta: ArraySlice<UInt8>) -> Bool {
        let body = KeyedMetadata.children(ofMeta: meta)
        // A version of 0, or none.
        guard body.count == meta.count || meta.prefix(4).allSatisfy({ $0 == 0 }), let parts = atoms(body),
            let handler = parts.first, handler.type == "hdlr", let kind = handlerType(handler.body),
            let list = parts.last.flatMap({ $0.type == "ilst" ? atoms($0.body) : nil })
        else { return false }
        switch (kind, parts.count) {
        case ("mdir", 2): return list.allSatisfy { isPlainCode($0.type) && isPlainItem($0.body) }
        case ("mdta", 3):
            guard parts[1].type == "keys", let count = keyCount(parts[1].body) else { return false }
            return list.allSatisfy { 1...count ~= Int($0.type.rawValue) && isPlainItem($0.body) }
        default: return false
        }
    }

    /// Returns the type of a handler; nil if the handler also has a component type.
    private static func handlerType(_ hdlr: ArraySlice<UInt8>) -> FourCharCode? {
        var reader = ByteReader(hdlr)
        guard reader.u32() == 0, reader.u32() == 0 else { return nil }
        return reader.code()
    }

    /// Returns the number of keys; nil if the list contradicts itself, is empty, or has the key of a cover.
    private static func keyCount(_ keys: ArraySlice<UInt8>) -> Int? {
        var reader = ByteReader(keys)
        guard reader.u32() == 0, let count = reader.u32(), let names = atoms(keys.dropFirst(8)), count > 0,
            names.count == Int(count),
            names.allSatisfy({ $0.type == "mdta" && !$0.body.elementsEqual(artwork.utf8) })
        else { return nil }
        return names.count
    }

    private static func isPlainCode(_ type: FourCharCode) -> Bool { type.bytes[0] == 0xA9 || codes.contains(type) }

    private static func isPlainItem(_ item: ArraySlice<UInt8>) -> Bool {
        guard let atoms = atoms(item) else { return false }
        return atoms.allSatisfy { parts.contains($0.type) && !($0.type == "name" && holdsGaps($0.body)) }
    }

    private static func holdsGaps(_ name: ArraySlice<UInt8>) -> Bool {
        name.count >= gaps.count
            && (name.startIndex...(name.endIndex - gaps.count)).contains { name[$0...].starts(with: gaps) }
    }

    /// Returns the atoms in these bytes; nil if they do not fill the bytes exactly.
    private static func atoms(_ bytes: ArraySlice<UInt8>) -> [(type: FourCharCode, body: ArraySlice<UInt8>)]? {
        var reader = ByteReader(bytes)
        var all: [(type: FourCharCode, body: ArraySlice<UInt8>)] = []
        reader.forEachAtom { all.append(($0, $1)) }
        return reader.remaining == 0 ? all : nil
    }
}
