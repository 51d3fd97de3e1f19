import MediaTypes

/// A value with its type and language: the `data` atom of QuickTime's metadata and of the iTunes list (QTFF, "Value
/// Atom" and "Well-Known Types").
enum MetadataValue {
    static func write(_ item: MetadataItem, into entry: inout AtomWriter) {
        entry.atom("data") { data in
            let (type, bytes) = encode(item.content)
            data.u32(type)
            data.u16(0)  // any country
            data.u16(item.language.map(PackedLanguage.pack) ?? 0)
            data.raw(bytes)
        }
    }

    /// Returns the values of an entry, except those of unknown types.
    static func read(_ entry: ArraySlice<UInt8>) -> [(content: MetadataItem.Content, language: String?)] {
        var values: [(MetadataItem.Content, String?)] = []
        var reader = ByteReader(entry)
        reader.forEachAtom { type, body in
            var data = ByteReader(body)
            guard type == "data", let kind = data.u32(), data.skip(2), let language = data.u16(),
                let bytes = data.slice(data.remaining), let content = decode(kind, bytes)
            else { return }
            values.append((content, PackedLanguage.code(language)))
        }
        return values
    }

    private static func encode(_ content: MetadataItem.Content) -> (type: UInt32, bytes: [UInt8]) {
        var writer = AtomWriter()
        switch content {
        case .text(let text): return (1, Array(text.utf8))
        case .jpeg(let bytes): return (13, bytes)
        case .png(let bytes): return (14, bytes)
        case .integer(let number):
            // Type 21 has one to four bytes, type 74 has eight.
            guard let short = Int32(exactly: number) else {
                writer.s64(number)
                return (74, writer.bytes)
            }
            writer.s32(short)
            return (21, writer.bytes)
        case .float(let number):
            // FFmpeg reads only 32-bit numbers, so the value is written with 32 bits if that does not change it.
            guard Double(Float(number)) == number else {
                writer.u64(number.bitPattern)
                return (24, writer.bytes)
            }
            writer.u32(Float(number).bitPattern)
            return (23, writer.bytes)
        }
    }

    private static func decode(_ type: UInt32, _ bytes: ArraySlice<UInt8>) -> MetadataItem.Content? {
        switch type {
        case 1: return .text(String(decoding: bytes, as: UTF8.self))
        case 13: return .jpeg(Array(bytes))
        case 14: return .png(Array(bytes))
        case 21, 65, 66, 67, 74: return integer(bytes).map { .integer($0) }
        case 23 where bytes.count == 4:
            return .float(Double(Float(bitPattern: UInt32(truncatingIfNeeded: integer(bytes) ?? 0))))
        case 24 where bytes.count == 8: return .float(Double(bitPattern: UInt64(bitPattern: integer(bytes) ?? 0)))
        default: return nil
        }
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> Int64? {
        guard let first = bytes.first, bytes.count <= 8 else { return nil }
        return bytes.reduce(first >= 0x80 ? -1 : 0) { $0 << 8 | Int64($1) }
    }
}
