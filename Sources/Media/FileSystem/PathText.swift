import Glibc

/// The reversible text form of a path.
///
/// A Linux file name is a sequence of bytes, but a `String` contains only Unicode. `String` replaces every byte that is
/// not UTF-8 by U+FFFD, which results in a different name. This type instead replaces such a byte by a private-use
/// character: U+10FE80 for 0x80 to U+10FEFF for 0xFF. The system calls of this module turn the character back into the
/// byte. If a name already contains such a character, each byte of that character is escaped. So every name has exactly
/// one text, and every text that `text(_:)` returns can be turned back into its name.
package enum PathText {
    private static let first: UInt32 = 0x10FE80
    /// The first byte, in UTF-8, of the characters that represent bytes. If a name does not contain this byte, its
    /// characters need no check.
    private static let lead: UInt8 = 0xF4

    /// Returns the byte that a character represents; nil for an ordinary character.
    package static func byte(of scalar: Unicode.Scalar) -> UInt8? {
        (first...(first + 0x7F)).contains(scalar.value) ? UInt8(scalar.value - first) + 0x80 : nil
    }

    /// Returns the text of a path from the system.
    package static func text(_ bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(lead) { return text }
        var scalars = String.UnicodeScalarView()
        func escape(_ part: some Collection<UInt8>) {
            for byte in part {
                scalars.append(Unicode.Scalar(byte < 0x80 ? UInt32(byte) : first + UInt32(byte - 0x80))!)
            }
        }
        var parser = Unicode.UTF8.ForwardParser()
        var input = bytes.makeIterator()
        var rest = bytes[...]
        while true {
            switch parser.parseScalar(from: &input) {
            case .valid(let code):
                let scalar = UTF8.decode(code)
                if byte(of: scalar) == nil { scalars.append(scalar) } else { escape(rest.prefix(code.count)) }
                rest = rest.dropFirst(code.count)
            case .error(let length):
                escape(rest.prefix(length))
                rest = rest.dropFirst(length)
            case .emptyInput: return String(scalars)
            }
        }
    }

    /// Returns the text of a path that ends with a zero byte.
    package static func text(_ path: UnsafePointer<CChar>) -> String {
        text(UnsafeRawBufferPointer(start: path, count: strlen(path)))
    }

    /// Returns the bytes of a path, as the system stores them.
    package static func bytes(_ text: String) -> [UInt8] {
        guard text.utf8.contains(lead) else { return Array(text.utf8) }
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            if let byte = byte(of: scalar) { bytes.append(byte) } else { bytes += UTF8.encode(scalar)! }
        }
        return bytes
    }

    /// Calls `body` with the path in the form that system calls and C libraries need.
    package static func withBytes<Result>(_ text: String, _ body: (UnsafePointer<CChar>) -> Result) -> Result {
        guard text.utf8.contains(lead) else { return text.withCString(body) }
        return (bytes(text) + [0]).withUnsafeBufferPointer { all in
            all.withMemoryRebound(to: CChar.self) { body($0.baseAddress!) }
        }
    }

    /// Returns the text with `mark` in place of each byte that is not UTF-8.
    package static func replacingBytes(in text: String, by mark: (UInt8) -> String) -> String {
        guard text.utf8.contains(lead) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            if let byte = byte(of: scalar) { result += mark(byte) } else { result.unicodeScalars.append(scalar) }
        }
    }
}
