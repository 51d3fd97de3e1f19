/// The text of headers and descriptions: ASCII, with names that are compared without regard to case.
extension StringProtocol {
    /// The text without spaces and tabs at both ends.
    var withoutSpaces: SubSequence {
        guard let first = firstIndex(where: { !$0.isBlank }), let last = lastIndex(where: { !$0.isBlank }) else {
            return self[endIndex...]
        }
        return self[first...last]
    }

    /// Returns true if both texts are equal except for the case of ASCII letters.
    func isSame(as other: some StringProtocol) -> Bool {
        utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
    }

    /// Returns the texts before and after the first occurrence of a character; nil if there is none.
    func parted(by separator: Character) -> (before: SubSequence, after: SubSequence)? {
        guard let place = firstIndex(of: separator) else { return nil }
        return (self[..<place], self[index(after: place)...])
    }

    /// The text without the double quotes around it, if there are any.
    var withoutQuotes: SubSequence {
        guard count >= 2, first == "\"", last == "\"" else { return self[...] }
        return self[index(after: startIndex)..<index(before: endIndex)]
    }

    /// The text with sequences such as `%20` replaced by their characters (RFC 3986, 2.1). Any other `%` stays.
    package var percentDecoded: String {
        var (bytes, rest) = ([UInt8](), Array(utf8)[...])
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            // `UInt8` accepts a sign too.
            if byte == 0x25, digits.count == 2, digits.allSatisfy(\.isLetterOrDigit),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Character {
    var isBlank: Bool { self == " " || self == "\t" }
}

extension UInt8 {
    var lowercasedASCII: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
    /// True for the letters and digits of ASCII.
    var isLetterOrDigit: Bool {
        (0x30...0x39).contains(self) || (0x61...0x7A).contains(lowercasedASCII)
    }
}
