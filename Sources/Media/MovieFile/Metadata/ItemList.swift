import MediaTypes

/// The metadata list of iTunes: `udta` / `meta` with handler `mdir` / `ilst`, in which `.mp4` and `.m4a` files store
/// titles and covers. No standard describes it; this is the form that FFmpeg, mediainfo and GStreamer read.
enum ItemList {
    /// The owner of a key that states none.
    private static let commonMean = "com.apple.iTunes"

    /// Writes the items. Writes nothing if there are none.
    static func write(_ items: [MetadataItem], into udta: inout AtomWriter) {
        guard !items.isEmpty else { return }
        udta.fullAtom("meta") { meta in
            meta.fullAtom("hdlr") { hdlr in
                hdlr.u32(0)
                hdlr.code("mdir")
                hdlr.code("appl")
                hdlr.zeros(9)
            }
            meta.atom("ilst") { list in
                for item in items { write(item, into: &list) }
            }
        }
    }

    private static func write(_ item: MetadataItem, into list: inout AtomWriter) {
        var item = item
        item.language = nil
        guard let code = FourCharCode(latin1: item.key) else {
            // A custom key: `----` with its owner and its name.
            let parts = item.key.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return list.atom("----") { entry in
                entry.fullAtom("mean") { $0.raw((parts.count == 2 ? String(parts[0]) : commonMean).utf8) }
                entry.fullAtom("name") { $0.raw(parts[parts.count - 1].utf8) }
                MetadataValue.write(item, into: &entry)
            }
        }
        list.atom(code) { entry in
            guard let count = Self.pairSize(code), case .integer(let number) = item.content else {
                return MetadataValue.write(item, into: &entry)
            }
            entry.atom("data") { data in
                data.zeros(8)  // no type, any locale
                data.u16(0)
                data.u16(UInt16(clamping: number))
                data.zeros(count - 4)
            }
        }
    }

    /// Returns the size of a value that has a number and a total: the track and the disc.
    private static func pairSize(_ code: FourCharCode) -> Int? { code == "trkn" ? 8 : code == "disk" ? 6 : nil }

    /// Reads the payload of a `meta` atom. Leaves out values of unknown types. Returns no items if the `meta` has
    /// another handler.
    static func read(_ payload: ArraySlice<UInt8>) -> [MetadataItem] {
        var items: [MetadataItem] = []
        var handler: FourCharCode?
        var meta = ByteReader(KeyedMetadata.children(ofMeta: payload))
        meta.forEachAtom { type, body in
            if type == "hdlr" {
                var reader = ByteReader(body.dropFirst(8))
                handler = reader.code()
            } else if type == "ilst", handler == "mdir" {
                var list = ByteReader(body)
                list.forEachAtom { code, entry in items += read(code, entry) }
            }
        }
        return items
    }

    private static func read(_ code: FourCharCode, _ entry: ArraySlice<UInt8>) -> [MetadataItem] {
        var key = code.latin1
        var values = MetadataValue.read(entry).map(\.content)
        if code == "----" {
            var parts: [FourCharCode: String] = [:]
            var reader = ByteReader(entry)
            reader.forEachAtom { parts[$0] = String(decoding: $1.dropFirst(4), as: UTF8.self) }
            key = (parts["mean"] ?? commonMean) + ":" + (parts["name"] ?? "")
        } else if let count = pairSize(code), entry.count == 16 + count {
            var reader = ByteReader(entry)
            if reader.skip(18), let number = reader.u16() { values = [.integer(Int64(number))] }
        }
        return values.map { MetadataItem(keySpace: .iTunes, key: key, content: $0) }
    }
}
