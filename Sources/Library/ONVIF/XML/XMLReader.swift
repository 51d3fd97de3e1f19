/// Reads a document of XML 1.0 in UTF-8 as a sequence of events. A pure value.
///
/// Refuses a document that is not well-formed, and one that exceeds a limit. Also refuses a document type definition,
/// because its entities could expand to any size (XML 1.0, 4.4). Names are returned without their prefix, because
/// cameras choose prefixes freely, and no message of ONVIF needs two namespaces to tell elements apart.
package struct XMLReader: Sendable {
    package enum Event: Sendable, Hashable {
        case start(name: String, attributes: [String: String])
        /// Text of the open element, with its references replaced. The text of an element may be split into several
        /// events.
        case text(String)
        case end(name: String)
    }

    package static let mostBytes = 256 << 10
    package static let mostDepth = 64
    /// The maximum number of attributes, including declarations of namespaces. Some cameras declare all namespaces that
    /// they know in each message.
    package static let mostAttributes = 256

    private let bytes: [UInt8]
    private var place = 0
    /// The names of the elements that are open, with their prefixes.
    private var open: [[UInt8]] = []
    /// True after an element whose start tag also ends it, such as `<a/>`.
    private var isEmptyElement = false
    private var hasRoot = false

    package init(_ bytes: [UInt8]) throws(XMLFailure) {
        guard bytes.count <= Self.mostBytes else { throw XMLFailure("it is longer than \(Self.mostBytes) bytes") }
        guard String(validating: bytes, as: UTF8.self) != nil else { throw XMLFailure("it is not UTF-8") }
        self.bytes = bytes
        // A byte order mark.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    }

    /// Returns the next event; nil at the end of the document.
    package mutating func next() throws(XMLFailure) -> Event? {
        if isEmptyElement {
            isEmptyElement = false
            return closed()
        }
        while place < bytes.count {
            if bytes[place] != 0x3C {
                if let text = try self.text() { return .text(text) }
            } else if follows("<!--") {
                place += 4
                _ = try upTo("-->", within: "a comment")
            } else if follows("<![CDATA[") {
                guard !open.isEmpty else { throw XMLFailure("it has text outside of its element") }
                place += 9
                let section = try upTo("]]>", within: "a CDATA section")
                return .text(String(decoding: section, as: UTF8.self))
            } else if follows("<!") {
                throw XMLFailure("it has a document type definition")
            } else if follows("<?") {
                place += 2
                try Self.checkEncoding(of: try upTo("?>", within: "a processing instruction"))
            } else if follows("</") {
                place += 2
                return try endTag()
            } else {
                place += 1
                return try startTag()
            }
        }
        guard open.isEmpty else { throw XMLFailure("it ends within an element") }
        guard hasRoot else { throw XMLFailure("it has no element") }
        return nil
    }

    // MARK: Tags

    private mutating func startTag() throws(XMLFailure) -> Event {
        guard !open.isEmpty || !hasRoot else { throw XMLFailure("it has a second outermost element") }
        guard open.count < Self.mostDepth else { throw XMLFailure("its elements are nested too deeply") }
        let name = try self.name()
        var attributes: [String: String] = [:]
        var names: Set<[UInt8]> = []
        while true {
            let hasBlank = skipBlanks()
            switch try byte(within: "a tag") {
            case 0x3E:
                place += 1
                return opened(name, attributes, isEmpty: false)
            case 0x2F:
                place += 1
                guard try byte(within: "a tag") == 0x3E else { throw XMLFailure("it has a slash within a tag") }
                place += 1
                return opened(name, attributes, isEmpty: true)
            default:
                guard hasBlank else { throw XMLFailure("it has attributes without a space between them") }
                let (key, value) = try attribute()
                guard names.insert(key).inserted else { throw XMLFailure("it has the same attribute twice") }
                guard names.count <= Self.mostAttributes else { throw XMLFailure("an element has too many attributes") }
                let local = Self.local(key)
                if !key.starts(with: Array("xmlns".utf8)), attributes[local] == nil { attributes[local] = value }
            }
        }
    }

    private mutating func opened(_ name: [UInt8], _ attributes: [String: String], isEmpty: Bool) -> Event {
        open.append(name)
        hasRoot = true
        isEmptyElement = isEmpty
        return .start(name: Self.local(name), attributes: attributes)
    }

    private mutating func closed() -> Event { .end(name: open.popLast().map { Self.local($0) } ?? "") }

    private mutating func endTag() throws(XMLFailure) -> Event {
        let name = try self.name()
        _ = skipBlanks()
        guard try byte(within: "a tag") == 0x3E else { throw XMLFailure("an end tag has more than a name") }
        place += 1
        guard open.last == name else { throw XMLFailure("its tags do not match") }
        return closed()
    }

    private mutating func attribute() throws(XMLFailure) -> (name: [UInt8], value: String) {
        let name = try self.name()
        _ = skipBlanks()
        guard try byte(within: "a tag") == 0x3D else { throw XMLFailure("an attribute has no value") }
        place += 1
        _ = skipBlanks()
        let quote = try byte(within: "a tag")
        guard quote == 0x22 || quote == 0x27 else { throw XMLFailure("the value of an attribute has no quotes") }
        place += 1
        let start = place
        while try byte(within: "the value of an attribute") != quote {
            guard bytes[place] != 0x3C else { throw XMLFailure("the value of an attribute contains <") }
            place += 1
        }
        let value = try XMLText.decoded(bytes[start..<place])
        place += 1
        return (name, value)
    }

    /// Reads a name with its prefix. Accepts every character beyond ASCII.
    private mutating func name() throws(XMLFailure) -> [UInt8] {
        let start = place
        while place < bytes.count, Self.isNameByte(bytes[place], isFirst: place == start) { place += 1 }
        guard place > start else { throw XMLFailure("a tag has no name") }
        return Array(bytes[start..<place])
    }

    private static func isNameByte(_ byte: UInt8, isFirst: Bool) -> Bool {
        switch byte {
        case 0x41...0x5A, 0x61...0x7A, 0x5F, 0x3A, 0x80...0xFF: true
        case 0x30...0x39, 0x2D, 0x2E: !isFirst
        default: false
        }
    }

    /// Returns a name without its prefix (Namespaces in XML 1.0, 4).
    private static func local(_ name: [UInt8]) -> String {
        let rest = name.firstIndex(of: 0x3A).map { name[($0 + 1)...] } ?? name[...]
        return String(decoding: rest, as: UTF8.self)
    }

    // MARK: Text

    /// Reads text up to the next tag; returns nil for blanks outside of the outermost element.
    private mutating func text() throws(XMLFailure) -> String? {
        let start = place
        while place < bytes.count, bytes[place] != 0x3C { place += 1 }
        guard open.isEmpty else { return try XMLText.decoded(bytes[start..<place]) }
        guard bytes[start..<place].allSatisfy(Self.isBlank) else {
            throw XMLFailure("it has text outside of its element")
        }
        return nil
    }

    /// Refuses a declaration of another encoding than UTF-8 (XML 1.0, 4.3.3).
    private static func checkEncoding(of instruction: ArraySlice<UInt8>) throws(XMLFailure) {
        let text = String(decoding: instruction, as: UTF8.self).lowercased()
        guard text.hasPrefix("xml "), text.contains("encoding") else { return }
        guard text.contains("utf-8") || text.contains("us-ascii") else { throw XMLFailure("it is not UTF-8") }
    }

    // MARK: Bytes

    private func follows(_ text: StaticString) -> Bool {
        bytes[place...].starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private func byte(within what: String) throws(XMLFailure) -> UInt8 {
        guard place < bytes.count else { throw XMLFailure("it ends within \(what)") }
        return bytes[place]
    }

    /// Returns the bytes before `end`, and continues after it.
    private mutating func upTo(_ end: StaticString, within what: String) throws(XMLFailure) -> ArraySlice<UInt8> {
        let start = place
        while place < bytes.count {
            if follows(end) {
                let found = bytes[start..<place]
                place += end.utf8CodeUnitCount
                return found
            }
            place += 1
        }
        throw XMLFailure("it ends within \(what)")
    }

    /// Returns true if there was a blank.
    private mutating func skipBlanks() -> Bool {
        let start = place
        while place < bytes.count, Self.isBlank(bytes[place]) { place += 1 }
        return place > start
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
