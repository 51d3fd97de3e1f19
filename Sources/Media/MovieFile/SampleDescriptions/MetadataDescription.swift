import MediaTypes

/// The sample description of timed metadata, `mebx` (QTFF, "Timed metadata sample description"; ISO/IEC 14496-12,
/// 12.9.4).
enum MetadataDescription {
    static let code: FourCharCode = "mebx"
    /// The handler of tracks of timed metadata.
    static let handler: FourCharCode = "meta"
    /// The maximum size of a description. The descriptions of cameras have a few kilobytes.
    private static let largest: UInt32 = 1 << 20

    static func write(_ format: MetadataFormat, into stsd: inout AtomWriter) {
        if let stored = format.stored {
            return stsd.storedEntry(StoredEntry(code: code, body: stored, isQuickTime: true))
        }
        stsd.atom(code) { entry in
            entry.sampleEntryHead()
            entry.atom("keys") { table in
                for key in format.keys { write(key, into: &table) }
            }
        }
    }

    /// Writes a key: an atom whose type is the key's number, with the name, the data type and the language.
    private static func write(_ key: MetadataFormat.Key, into table: inout AtomWriter) {
        table.atom(FourCharCode(rawValue: key.id)) { entry in
            entry.atom("keyd") { name in
                name.code(key.keySpace)
                name.raw(key.name)
            }
            entry.atom("dtyp") { type in
                switch key.dataType {
                case .wellKnown(let number):
                    type.u32(0)
                    type.u32(number)
                case .named(let name):
                    type.u32(1)
                    type.raw(name.utf8)
                }
            }
            guard let language = key.language else { return }
            entry.atom("loca") { locale in
                locale.raw(language.utf8)
                locale.u8(0)
            }
        }
    }

    /// Reads the sample description table of a track. Returns nil if the table does not have exactly one entry of this
    /// kind.
    ///
    /// - Parameter table: the payload of `stsd`.
    static func read(_ table: [UInt8], handler: FourCharCode?) -> MetadataFormat? {
        var reader = ByteReader(table)
        guard handler == Self.handler, reader.skip(4), reader.u32() == 1, let size = reader.u32(),
            reader.code() == code, (16...largest).contains(size), let body = reader.slice(Int(size) - 8)
        else { return nil }
        var keys: [MetadataFormat.Key] = []
        // Six reserved bytes and the index of the data reference.
        var atoms = ByteReader(body.dropFirst(8))
        atoms.forEachAtom { type, content in
            guard type == "keys" else { return }
            var list = ByteReader(content)
            list.forEachAtom { id, entry in
                if let key = Self.key(id.rawValue, entry) { keys.append(key) }
            }
        }
        return MetadataFormat(keys: keys, stored: Array(body))
    }

    /// Parses a key. Returns nil for a key without a name, and for a reserved number.
    private static func key(_ id: UInt32, _ entry: ArraySlice<UInt8>) -> MetadataFormat.Key? {
        guard id != 0, id != .max else { return nil }
        var name: (space: FourCharCode, bytes: [UInt8])?
        // Values of a key without a type are bytes.
        var dataType = MetadataFormat.DataType.wellKnown(0)
        var language: String?
        var reader = ByteReader(entry)
        reader.forEachAtom { type, content in
            var fields = ByteReader(content)
            switch type {
            case "keyd":
                if let space = fields.code(), let bytes = fields.slice(fields.remaining), !bytes.isEmpty {
                    name = (space, Array(bytes))
                }
            case "dtyp":
                guard let space = fields.u32(), let bytes = fields.slice(fields.remaining) else { return }
                var number = ByteReader(bytes)
                if space == 0, let value = number.u32() { dataType = .wellKnown(value) }
                if space == 1 { dataType = .named(String(decoding: bytes, as: UTF8.self)) }
            case "loca": language = String(decoding: content.prefix { $0 != 0 }, as: UTF8.self)
            default: break
            }
        }
        return name.map { name in
            MetadataFormat.Key(
                id: id, keySpace: name.space, name: name.bytes, dataType: dataType, language: language)
        }
    }
}
