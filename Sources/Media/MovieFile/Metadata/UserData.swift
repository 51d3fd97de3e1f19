import MediaTypes

/// Classic user data: `udta` with an atom for each key, which contains a text for each language (QTFF, "User Data
/// Atoms", "User Data Text Strings and Language Codes").
enum UserData {
    /// Returns the key as the atom's type, © and three more characters; nil for a key or a value that cannot be stored
    /// here.
    static func code(of item: MetadataItem) -> FourCharCode? {
        switch item.content {
        case .jpeg, .png: return nil
        case .text, .integer, .float: break
        }
        guard let code = FourCharCode(latin1: item.key), code.bytes[0] == 0xA9 else { return nil }
        return code
    }

    static func write(_ items: [MetadataItem], into udta: inout AtomWriter) {
        var codes: [FourCharCode] = []
        for item in items {
            if let code = code(of: item), !codes.contains(code) { codes.append(code) }
        }
        for code in codes {
            udta.atom(code) { entry in
                for item in items where self.code(of: item) == code {
                    entry.internationalText(item.value, language: item.language)
                }
            }
        }
    }

    static func read(_ payload: ArraySlice<UInt8>) -> [MetadataItem] {
        var items: [MetadataItem] = []
        var reader = ByteReader(payload)
        reader.forEachAtom { type, body in
            guard type.bytes[0] == 0xA9 else { return }
            var texts = ByteReader(body)
            while let count = texts.u16(), let language = texts.u16(), let text = texts.slice(Int(count)) {
                items.append(
                    MetadataItem(
                        keySpace: .quickTimeUserData, key: type.latin1,
                        content: .text(String(decoding: text, as: UTF8.self)), language: PackedLanguage.code(language)))
            }
        }
        return items
    }

    /// Returns the atoms of a `udta` unchanged, but without texts and the iTunes list.
    static func others(_ payload: ArraySlice<UInt8>) -> [UInt8] {
        var writer = AtomWriter()
        var reader = ByteReader(payload)
        reader.forEachAtom { type, body in
            guard type.bytes[0] != 0xA9, type != "meta" else { return }
            writer.atom(type) { $0.raw(body) }
        }
        return writer.bytes
    }
}

extension AtomWriter {
    /// Writes a text of user data: length, language, UTF-8. A text of more than 65,535 bytes is shortened to complete
    /// characters.
    mutating func internationalText(_ text: String, language: String?) {
        var shown = text
        while shown.utf8.count > Int(UInt16.max) { shown.removeLast() }
        u16(UInt16(shown.utf8.count))
        u16(PackedLanguage.pack(language ?? "und"))
        raw(shown.utf8)
    }
}

extension FourCharCode {
    /// Accepts exactly four characters of Latin-1, in which © is one byte.
    init?(latin1 text: String) {
        let scalars = text.unicodeScalars
        guard scalars.count == 4, scalars.allSatisfy({ $0.value <= 0xFF }) else { return nil }
        self.init(rawValue: scalars.reduce(0) { $0 << 8 | $1.value })
    }

    var latin1: String { String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })) }
}
