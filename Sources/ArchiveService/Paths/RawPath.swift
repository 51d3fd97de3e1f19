import CommandInterface
import FileSystem

/// A path as the system has it: bytes, of which only 0 is none.
///
/// A String would not do: names of films need not be UTF-8, and what Swift made of such a name would be another one.
package struct RawPath: Sendable, Hashable, Comparable {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }
    /// - Parameter text: as of `PathText`.
    package init(_ text: String) { bytes = PathText.bytes(text) }

    /// By their bytes, as `LC_ALL=C sort` does: the same on every machine.
    package static func < (one: RawPath, other: RawPath) -> Bool { one.bytes.lexicographicallyPrecedes(other.bytes) }

    package var isAbsolute: Bool { bytes.first == UInt8(ascii: "/") }

    /// nil where the bytes are no UTF-8.
    package var text: String? { String(validating: bytes, as: UTF8.self) }

    /// For people: one line, without what a terminal obeys.
    package var display: String { PlainText.line(PathText.text(bytes)) }

    /// What is behind the last slash.
    package var name: [UInt8] { Array(bytes[(bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...]) }

    /// What is in front of the last slash; `/` for what is in the root.
    package var directory: RawPath {
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return RawPath(".") }
        return slash == 0 ? RawPath("/") : RawPath(bytes: Array(bytes[..<slash]))
    }

    package func appending(_ name: some Sequence<UInt8>) -> RawPath {
        RawPath(bytes: bytes.last == UInt8(ascii: "/") ? bytes + name : bytes + [UInt8(ascii: "/")] + name)
    }

    package func appending(_ name: String) -> RawPath { appending(name.utf8) }

    /// For a system call.
    package func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        (bytes + [0]).withUnsafeBufferPointer { all in
            all.withMemoryRebound(to: CChar.self) { body($0.baseAddress!) }
        }
    }
}

// MARK: In a plan

extension RawPath {
    /// As it stands in a plan: a byte that is no UTF-8 is `%` and two hexadecimal digits, and so a `%` is `%25`. Everything else
    /// is itself; what JSON escapes is JSON's.
    package var planText: String {
        // Nearly always.
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

    /// nil for a `%` without two hexadecimal digits, and for a path with a 0 in it.
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
