import CommandInterface
import FileSystem

/// A path as the system stores it: a sequence of bytes other than 0.
///
/// A String is not sufficient, because the name of a movie may not be UTF-8. Swift would replace the invalid bytes, and
/// the result would be a different name.
package struct RawPath: Sendable, Hashable, Comparable {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }
    /// Creates a path from text.
    ///
    /// - Parameter text: A text as returned by `PathText`.
    package init(_ text: String) { bytes = PathText.bytes(text) }

    /// Compares bytes, as `LC_ALL=C sort` does, so that the order is the same on every machine.
    package static func < (one: RawPath, other: RawPath) -> Bool { one.bytes.lexicographicallyPrecedes(other.bytes) }

    package var isAbsolute: Bool { bytes.first == UInt8(ascii: "/") }

    /// The path as text; nil if the bytes are not UTF-8.
    package var text: String? { String(validating: bytes, as: UTF8.self) }

    /// The path for display: one line, without control characters.
    package var display: String { PlainText.line(PathText.text(bytes)) }

    /// The part after the last slash.
    package var name: [UInt8] { Array(bytes[(bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...]) }

    /// The part before the last slash; `/` for names in the root.
    package var directory: RawPath {
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return RawPath(".") }
        return slash == 0 ? RawPath("/") : RawPath(bytes: Array(bytes[..<slash]))
    }

    package func appending(_ name: some Sequence<UInt8>) -> RawPath {
        RawPath(bytes: bytes.last == UInt8(ascii: "/") ? bytes + name : bytes + [UInt8(ascii: "/")] + name)
    }

    package func appending(_ name: String) -> RawPath { appending(name.utf8) }

    /// Calls `body` with a C string for a system call.
    package func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        (bytes + [0]).withUnsafeBufferPointer { all in
            all.withMemoryRebound(to: CChar.self) { body($0.baseAddress!) }
        }
    }
}

// MARK: Plan format

extension RawPath {
    /// The path as a plan stores it. Each byte that is not UTF-8 becomes `%` and two hexadecimal digits, and a `%`
    /// becomes `%25`. Everything else is unchanged. JSON escaping comes afterwards.
    package var planText: String {
        // In the usual case nothing is escaped.
        if !bytes.contains(UInt8(ascii: "%")), let text { return text }
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        var parser = Unicode.UTF8.ForwardParser()
        var rest = bytes.makeIterator()
        var place = 0
        while true {
            switch parser.parseScalar(from: &rest) {
            case .valid(let scalar):
                for byte in bytes[place..<(place + scalar.count)] {
                    if byte == UInt8(ascii: "%") { Self.escape(byte, to: &out) } else { out.append(byte) }
                }
                place += scalar.count
            case .error(let length):
                for byte in bytes[place..<(place + length)] { Self.escape(byte, to: &out) }
                place += length
            case .emptyInput: return String(decoding: out, as: UTF8.self)
            }
        }
    }

    /// Parses a path of a plan. Returns nil if a `%` is not followed by two hexadecimal digits, or if the path is empty
    /// or contains a zero byte.
    package init?(planText text: String) {
        let plain = Array(text.utf8)
        if !plain.isEmpty, !plain.contains(UInt8(ascii: "%")), !plain.contains(0) {
            bytes = plain
            return
        }
        var out: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                out.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(Self.digit), let low = rest.popFirst().flatMap(Self.digit) else {
                return nil
            }
            out.append(high << 4 | low)
        }
        guard !out.isEmpty, !out.contains(0) else { return nil }
        bytes = out
    }

    private static func escape(_ byte: UInt8, to out: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
