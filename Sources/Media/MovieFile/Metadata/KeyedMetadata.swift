import MediaTypes

/// QuickTime's metadata: a `meta` atom with handler `mdta`, a list of keys and a list of values (QTFF, "Metadata").
enum KeyedMetadata {
    /// Writes the items. Writes nothing if there are none. QuickTime's `meta` is a plain atom; MPEG-4's has a version
    /// (ISO/IEC 14496-12, 8.11.1).
    static func write(_ items: [MetadataItem], dialect: MovieDialect, into parent: inout AtomWriter) {
        guard !items.isEmpty else { return }
        var keys: [String] = []
        for item in items where !keys.contains(item.key) { keys.append(item.key) }
        parent.atom("meta") { meta in
            if dialect == .mpeg4 { meta.u32(0) }
            meta.fullAtom("hdlr") { hdlr in
                hdlr.u32(0)
                hdlr.code("mdta")
                hdlr.zeros(12)
                hdlr.u16(0)
            }
            meta.fullAtom("keys") { list in
                list.u32(UInt32(keys.count))
                for key in keys { list.atom("mdta") { $0.raw(key.utf8) } }
            }
            meta.atom("ilst") { list in
                for (index, key) in keys.enumerated() {
                    list.atom(FourCharCode(rawValue: UInt32(index + 1))) { entry in
                        // One value for each language.
                        for item in items where item.key == key { MetadataValue.write(item, into: &entry) }
                    }
                }
            }
        }
    }

    /// Reads the payload of a `meta` atom of either family. Leaves out values of unknown types.
    static func read(_ payload: ArraySlice<UInt8>) -> [MetadataItem] {
        var keys: [String] = []
        var values: [Int: [(content: MetadataItem.Content, language: String?)]] = [:]
        var reader = ByteReader(children(ofMeta: payload))
        reader.forEachAtom { type, body in
            if type == "keys" {
                var list = ByteReader(body.dropFirst(8))
                list.forEachAtom { _, name in keys.append(String(decoding: name, as: UTF8.self)) }
            } else if type == "ilst" {
                var list = ByteReader(body)
                list.forEachAtom { index, entry in values[Int(index.rawValue), default: []] += MetadataValue.read(entry)
                }
            }
        }
        return keys.enumerated().flatMap { index, key in
            (values[index + 1] ?? []).map {
                MetadataItem(keySpace: .quickTimeMetadata, key: key, content: $0.content, language: $0.language)
            }
        }
    }

    /// Returns the atoms inside a `meta`, after the version if it has one. A plain `meta` begins with a handler atom.
    static func children(ofMeta payload: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var reader = ByteReader(payload)
        guard reader.skip(4), let type = reader.code() else { return [] }
        return type == "hdlr" ? payload : payload.dropFirst(4)
    }
}
