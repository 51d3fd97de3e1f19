/// Reads and writes the text of elements and attributes, which contains references such as `&amp;`.
enum XMLText {
    /// The longest reference is `&#1114111;`.
    private static let mostReference = 10

    /// Replaces the references to characters and to the five entities of every document (XML 1.0, 4.1 and 4.6).
    static func decoded(_ bytes: ArraySlice<UInt8>) throws(XMLFailure) -> String {
        var (decoded, rest) = ([UInt8](), bytes)
        decoded.reserveCapacity(bytes.count)
        while let byte = rest.popFirst() {
            switch byte {
            case 0x26:
                guard let end = rest.prefix(mostReference).firstIndex(of: 0x3B),
                    let character = Self.character(String(decoding: rest[..<end], as: UTF8.self))
                else { throw XMLFailure("it has an unknown reference") }
                decoded += Array(String(character).utf8)
                rest = rest[(end + 1)...]
            case 0x09, 0x0A, 0x0D, 0x20...0xFF: decoded.append(byte)
            default: throw XMLFailure("it has a control character")
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    private static func character(_ name: String) -> Character? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard name.hasPrefix("#") else { return nil }
        let isHexadecimal = name.hasPrefix("#x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        // Swift's initializers for numbers accept a sign, too.
        guard digits.allSatisfy({ $0.isASCII && $0.isHexDigit }),
            let value = UInt32(digits, radix: isHexadecimal ? 16 : 10), isCharacter(value)
        else { return nil }
        return Unicode.Scalar(value).map { Character($0) }
    }

    /// True for a character that XML permits (XML 1.0, 2.2).
    private static func isCharacter(_ value: UInt32) -> Bool {
        switch value {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    /// Returns text as it is written within an element or an attribute. Control characters are left out.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: if isCharacter(scalar.value) { escaped.unicodeScalars.append(scalar) }
            }
        }
        return escaped
    }
}
