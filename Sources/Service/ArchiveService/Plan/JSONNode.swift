import Foundation

/// A JSON value with its position in the line. The position makes it possible to report an error in an edited file with
/// its column.
struct JSONNode {
    enum Value {
        case object([(key: String, value: JSONNode)])
        case array([JSONNode])
        case text(String)
        /// The number as written in the file, because a Double cannot represent all unsigned 64-bit integers.
        case number(String)
        case flag(Bool)
        case null
    }

    struct Fault: Error {
        /// The offset in the line, in bytes.
        let place: Int
        let reason: String

        /// Returns the column in characters, counted from 1, as an editor shows it. Called only for an error, because
        /// counting a long line takes time.
        func column(in line: some Collection<UInt8>) -> Int {
            String(decoding: line.prefix(place), as: UTF8.self).count + 1
        }
    }

    let value: Value
    /// The offset in the line, in bytes.
    let place: Int

    var kind: String {
        switch value {
        case .object: "an object"
        case .array: "a list"
        case .text: "a string"
        case .number: "a number"
        case .flag: "true or false"
        case .null: "null"
        }
    }

    func fault(_ reason: String) -> Fault { Fault(place: place, reason: reason) }

    init(value: Value, place: Int) { (self.value, self.place) = (value, place) }

    /// Parses a line.
    ///
    /// - Parameter line: The line, which must contain exactly one value.
    init(_ line: some Sequence<UInt8>) throws(Fault) {
        var parser = JSONLineParser(bytes: Array(line))
        self = try parser.whole()
    }
}

/// A parser for one line of JSON (RFC 8259).
///
/// `JSONDecoder` is not sufficient. On Linux its errors have no position, and if a key is repeated, it silently ignores
/// a value.
private struct JSONLineParser {
    let bytes: [UInt8]
    private var place = 0
    private static let deepest = 16

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func whole() throws(JSONNode.Fault) -> JSONNode {
        let node = try value(0)
        skipSpace()
        guard place == bytes.count else { throw fault("unexpected text after the end") }
        return node
    }

    private func fault(_ reason: String) -> JSONNode.Fault { JSONNode.Fault(place: place, reason: reason) }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0D { place += 1 }
    }

    private mutating func expect(_ byte: UInt8) throws(JSONNode.Fault) {
        skipSpace()
        guard next == byte else { throw fault("“\(String(UnicodeScalar(byte)))” is missing") }
        place += 1
    }

    private mutating func value(_ depth: Int) throws(JSONNode.Fault) -> JSONNode {
        skipSpace()
        guard depth < Self.deepest else { throw fault("values are nested more than \(Self.deepest) levels deep") }
        let start = place
        switch next {
        case UInt8(ascii: "{"): return JSONNode(value: .object(try object(depth)), place: start)
        case UInt8(ascii: "["): return JSONNode(value: .array(try array(depth)), place: start)
        case UInt8(ascii: "\""): return JSONNode(value: .text(try text()), place: start)
        case let byte? where byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte):
            return JSONNode(value: .number(try number()), place: start)
        default:
            for (word, value) in [("true", JSONNode.Value.flag(true)), ("false", .flag(false)), ("null", .null)]
            where bytes[place...].starts(with: word.utf8) {
                place += word.utf8.count
                return JSONNode(value: value, place: start)
            }
            throw fault(next == nil ? "the line ends too early" : "invalid JSON")
        }
    }

    private mutating func object(_ depth: Int) throws(JSONNode.Fault) -> [(key: String, value: JSONNode)] {
        place += 1
        var members: [(key: String, value: JSONNode)] = []
        skipSpace()
        if next == UInt8(ascii: "}") {
            place += 1
            return members
        }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw fault("a key in quotes is missing") }
            let before = place
            let key = try text()
            guard !members.contains(where: { $0.key == key }) else {
                throw JSONNode.Fault(place: before, reason: "duplicate key “\(key.prefix(40))”")
            }
            try expect(UInt8(ascii: ":"))
            members.append((key, try value(depth + 1)))
            skipSpace()
            if next == UInt8(ascii: ",") { place += 1 } else { break }
        }
        try expect(UInt8(ascii: "}"))
        return members
    }

    private mutating func array(_ depth: Int) throws(JSONNode.Fault) -> [JSONNode] {
        place += 1
        var elements: [JSONNode] = []
        skipSpace()
        if next == UInt8(ascii: "]") {
            place += 1
            return elements
        }
        while true {
            elements.append(try value(depth + 1))
            skipSpace()
            if next == UInt8(ascii: ",") { place += 1 } else { break }
        }
        try expect(UInt8(ascii: "]"))
        return elements
    }

    private mutating func number() throws(JSONNode.Fault) -> String {
        let start = place
        while let byte = next, "0123456789+-.eE".utf8.contains(byte) { place += 1 }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        guard Double(text)?.isFinite == true else {
            place = start
            throw fault("“\(text.prefix(40))” is not a number")
        }
        return text
    }

    /// Parses a string. Foundation decodes its escapes.
    private mutating func text() throws(JSONNode.Fault) -> String {
        let start = place
        var hasEscapes = false
        place += 1
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw fault("a string contains a control character; write it as \\uXXXX") }
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                // The escaped byte is skipped too, because it may be a quote.
                place += 1
            }
            place += 1
        }
        guard next != nil else { throw fault("a quote is missing at the end") }
        place += 1
        guard let plain = String(validating: bytes[(start + 1)..<(place - 1)], as: UTF8.self) else {
            throw fault("this string is not UTF-8; write each invalid byte of a name as %XX")
        }
        guard hasEscapes else { return plain }
        guard let text = try? JSONDecoder().decode(String.self, from: Data(bytes[start..<place])) else {
            throw JSONNode.Fault(
                place: start,
                reason: "this string has an invalid escape; write a backslash as \\\\ and a character as \\uXXXX")
        }
        return text
    }
}
