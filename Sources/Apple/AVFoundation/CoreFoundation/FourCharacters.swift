/// The text of a four-character code, for messages.
struct FourCharacters: CustomStringConvertible {
    let code: UInt32
    init(_ code: UInt32) { self.code = code }

    var description: String {
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> $0) }
        return bytes.allSatisfy { (0x20..<0x7F).contains($0) }
            ? String(decoding: bytes, as: UTF8.self) : "\(code)"
    }
}

/// Four ASCII characters, the first one in the highest byte. Shadows the library's type with the same name.
public typealias FourCharCode = UInt32

/// Returns the code of four ASCII characters.
///
/// - Precondition: the text has four ASCII characters. All callers are in this module and pass literals.
func fourCC(_ text: StaticString) -> FourCharCode {
    precondition(text.utf8CodeUnitCount == 4, "a four-character code must have four characters")
    return text.withUTF8Buffer { $0.reduce(0) { $0 << 8 | FourCharCode($1) } }
}
