import MediaTypes

/// Key-value metadata: a `meta` atom with handler `mdta` (QTFF, "Metadata Structure").
enum MovieMetadata {
    static func write(_ items: [MetadataItem], into parent: inout AtomWriter) {
        // QuickTime's `meta` is a plain atom, without the version of the ISO one.
        parent.atom("meta") { meta in
            meta.fullAtom("hdlr") { hdlr in
                hdlr.u32(0)
                hdlr.code("mdta")
                hdlr.zeros(12)
                hdlr.u16(0)
            }
            meta.fullAtom("keys") { keys in
                keys.u32(UInt32(items.count))
                for item in items { keys.atom("mdta") { $0.raw(item.key.utf8) } }
            }
            meta.atom("ilst") { list in
                for (index, item) in items.enumerated() {
                    list.atom(FourCharCode(rawValue: UInt32(index + 1))) { entry in
                        entry.atom("data") { data in
                            data.u32(1)  // UTF-8
                            data.u32(0)  // any locale
                            data.raw(item.value.utf8)
                        }
                    }
                }
            }
        }
    }

    /// Reads the payload of a `meta` atom; what is not text is left out.
    static func read(_ payload: [UInt8]) -> [MetadataItem] {
        var keys: [String] = []
        var values: [Int: String] = [:]
        forEachAtom(payload[...]) { type, body in
            if type == "keys", body.count >= 8 {
                forEachAtom(body.dropFirst(8)) { _, name in keys.append(String(decoding: name, as: UTF8.self)) }
            } else if type == "ilst" {
                forEachAtom(body) { index, entry in
                    forEachAtom(entry) { type, data in
                        guard type == "data", data.count >= 8, data[data.startIndex + 3] == 1 else { return }
                        values[Int(index.rawValue)] = String(decoding: data.dropFirst(8), as: UTF8.self)
                    }
                }
            }
        }
        return keys.enumerated().compactMap { index, key in
            values[index + 1].map { MetadataItem(key: key, value: $0) }
        }
    }

    private static func forEachAtom(_ bytes: ArraySlice<UInt8>, _ body: (FourCharCode, ArraySlice<UInt8>) -> Void) {
        var reader = ByteReader(bytes)
        while let size = reader.u32(), let type = reader.code(), size >= 8, let content = reader.slice(Int(size) - 8) {
            body(type, content)
        }
    }
}
