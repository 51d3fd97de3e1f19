package import MediaTypes

/// The metadata of a movie or a track, which a file can store in several places. The code for each key space is in a
/// Swift file of its own.
///
/// In `.mov`, QuickTime's metadata is stored beside the user data. In MPEG-4 files it is stored inside the user data,
/// because mediainfo looks nowhere else, and FFmpeg's muxer does the same. QuickTime's metadata comes last, because
/// FFmpeg treats every list after a handler `mdta` as a list with keys, even that of iTunes.
package enum MovieMetadata {
    /// Writes `udta` and `meta` atoms into a `moov` or `trak`, if there are items for them.
    ///
    /// - Parameter items: if several items have the same key, the last one is written; items that `refusal(of:)`
    ///   refuses are left out.
    static func write(_ items: [MetadataItem], dialect: MovieDialect = .quickTime, into parent: inout AtomWriter) {
        write(merged(items, into: []), keeping: [], dialect: dialect, into: &parent)
    }

    /// Reads the items with QuickTime's keys in the payload of a `meta` atom.
    static func read(_ payload: [UInt8]) -> [MetadataItem] { KeyedMetadata.read(payload[...]) }

    /// Reads the items of a `moov` or `trak` from all places.
    static func read(from parent: Atom) -> [MetadataItem] {
        let userData = parent["udta"]?.payload ?? []
        var items = UserData.read(userData[...])
        var reader = ByteReader(userData)
        reader.forEachAtom { type, meta in
            if type == "meta" { items += ItemList.read(meta) + KeyedMetadata.read(meta) }
        }
        return items + (parent["meta"].map { read($0.payload) } ?? [])
    }

    /// Adds items to a movie header and replaces existing ones. Everything else in `udta` stays.
    ///
    /// - Parameters:
    ///   - moov: the header; its handlers determine the family of the file.
    static func merge(_ items: [MetadataItem], into moov: inout Atom) {
        guard !items.isEmpty else { return }
        store(merged(items, into: read(from: moov)), in: &moov, dialect: MovieDialect(of: moov))
    }

    /// Replaces all items of a movie header. Everything else in `udta` stays.
    static func replace(with items: [MetadataItem], in moov: inout Atom, dialect: MovieDialect) {
        store(merged(items, into: []), in: &moov, dialect: dialect)
    }

    private static func store(_ all: [MetadataItem], in moov: inout Atom, dialect: MovieDialect) {
        let others = moov["udta"].map { UserData.others($0.payload[...]) } ?? []
        var writer = AtomWriter()
        writer.atom("moov") { write(all, keeping: others, dialect: dialect, into: &$0) }
        moov["udta"] = nil
        moov["meta"] = nil
        moov.children += Atom(parsing: writer.bytes)?.children ?? []
    }

    /// Returns true if the items of a movie header can be read and written again without any loss. Values of unknown
    /// types, and values in unusual places, would be lost.
    static func isKept(in moov: Atom, dialect: MovieDialect) -> Bool {
        var copy = moov
        replace(with: read(from: moov), in: &copy, dialect: dialect)
        guard let before = contents(of: moov) else { return false }
        return contents(of: copy) == before
    }

    /// Returns the atoms that contain a movie's metadata, in a fixed order. A list is represented by the atoms in it.
    /// Returns nil if there are bytes that are not atoms.
    private static func contents(of moov: Atom) -> [[UInt8]]? {
        var all: [[UInt8]] = []
        var isComplete = true
        func forEachAtom(of payload: ArraySlice<UInt8>, _ body: (FourCharCode, ArraySlice<UInt8>) -> Void) {
            var count = 0
            var reader = ByteReader(payload)
            reader.forEachAtom { type, content in
                count += 8 + content.count
                if type != "free" { body(type, content) }
            }
            // QuickTime permits four zero bytes at the end of a list.
            let rest = payload.dropFirst(count)
            isComplete = isComplete && (rest.isEmpty || rest.elementsEqual([0, 0, 0, 0]))
        }
        func addList(_ payload: ArraySlice<UInt8>) {
            let list = KeyedMetadata.children(ofMeta: payload)
            isComplete = isComplete && !list.isEmpty
            forEachAtom(of: list) { type, body in
                // A handler's name does not affect the items, so only its type is compared.
                all.append(type.bytes + Array(type == "hdlr" ? body.dropFirst(8).prefix(4) : body))
            }
        }
        for userData in moov.all("udta") {
            forEachAtom(of: userData.payload[...]) { type, body in
                if type == "meta" { addList(body) } else { all.append(type.bytes + Array(body)) }
            }
        }
        for meta in moov.all("meta") { addList(meta.payload[...]) }
        return isComplete ? all.sorted { $0.lexicographicallyPrecedes($1) } : nil
    }

    /// Returns the reason why an item cannot be written, and how to fix it; nil if it can.
    package static func refusal(of item: MetadataItem) -> MediaError? {
        let action = "cannot write the metadata \"\(item.key)\""
        if let language = item.language, let error = LanguageCode.refusal(of: language) {
            return MediaError(.invalidSettings, action, reason: error.reason, wayOut: error.wayOut)
        }
        switch item.keySpace {
        case .quickTimeMetadata where item.key.isEmpty:
            return MediaError(
                .invalidSettings, action, reason: "it has no key", wayOut: "use a key such as com.example.fact")
        case .quickTimeUserData where UserData.code(of: item) == nil:
            return MediaError(
                .invalidSettings, action, reason: "a key of user data is © and three more characters",
                wayOut: "use a key like ©nam, or QuickTime metadata")
        case .iTunes where item.key.isEmpty:
            return MediaError(
                .invalidSettings, action, reason: "it has no key", wayOut: "use a key like ©nam or com.example:fact")
        default: return nil
        }
    }

    private static func merged(_ items: [MetadataItem], into old: [MetadataItem]) -> [MetadataItem] {
        var all = old
        for item in items where refusal(of: item) == nil {
            if let index = all.firstIndex(where: item.replaces) { all[index] = item } else { all.append(item) }
        }
        return all
    }

    private static func write(
        _ items: [MetadataItem], keeping others: [UInt8], dialect: MovieDialect, into parent: inout AtomWriter
    ) {
        func of(_ keySpace: MetadataItem.KeySpace) -> [MetadataItem] { items.filter { $0.keySpace == keySpace } }
        var userData = AtomWriter()
        userData.raw(others)
        UserData.write(of(.quickTimeUserData), into: &userData)
        ItemList.write(of(.iTunes), into: &userData)
        if dialect == .mpeg4 { KeyedMetadata.write(of(.quickTimeMetadata), dialect: dialect, into: &userData) }
        if userData.count > 0 { parent.atom("udta") { $0.raw(userData.bytes) } }
        if dialect == .quickTime { KeyedMetadata.write(of(.quickTimeMetadata), dialect: dialect, into: &parent) }
    }
}
