/// The bytes of one message of the right size: reads and writes its fields.
///
/// Offsets are those of `MessageLayout`, so that no access can be outside the message.
struct MessageBytes {
    private(set) var bytes: [UInt8]

    /// Creates a message that contains only a header.
    init(kind: UInt16) {
        bytes = [UInt8](repeating: 0, count: MessageLayout.messageSize)
        putHeader(kind: kind)
    }

    /// Begins another message in the same memory: only a header, then zeros.
    mutating func begin(kind: UInt16) {
        bytes.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 0) }
        putHeader(kind: kind)
    }

    private mutating func putHeader(kind: UInt16) {
        put(MessageLayout.magic, at: MessageLayout.magicAt)
        put(MessageLayout.version, at: MessageLayout.versionAt)
        put(kind, at: MessageLayout.kindAt)
    }

    /// Accepts received bytes.
    ///
    /// - Throws: `size`, `magic`, `version` and `reserved` for the header; the kind is not checked.
    init(_ bytes: [UInt8]) throws(MessageFault) {
        guard bytes.count == MessageLayout.messageSize else { throw .size(bytes.count) }
        self.bytes = bytes
        let magic = number(UInt32.self, at: MessageLayout.magicAt)
        guard magic == MessageLayout.magic else { throw .magic(magic) }
        let version = number(UInt16.self, at: MessageLayout.versionAt)
        guard version == MessageLayout.version else { throw .version(version) }
        guard number(UInt32.self, at: MessageLayout.reservedAt) == 0 else { throw .reserved }
    }

    var kind: UInt16 { number(UInt16.self, at: MessageLayout.kindAt) }

    func number<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type, at offset: Int) -> Number {
        bytes.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
    }

    func float(at offset: Int) -> Double { Double(bitPattern: number(UInt64.self, at: offset)) }

    /// Returns a number as `Int`, if it is in a range.
    ///
    /// - Parameter field: The name of the field, for the fault.
    func number(at offset: Int, in range: ClosedRange<Int>, _ field: String) throws(MessageFault) -> Int {
        let value = Int(number(UInt32.self, at: offset))
        guard range.contains(value) else { throw .number(field: field) }
        return value
    }

    /// The longest duration that is accepted, in nanoseconds. It can be multiplied without an overflow.
    static let longestDuration: UInt64 = 10_000_000_000_000

    /// Returns a duration in nanoseconds.
    ///
    /// - Parameter field: The name of the field, for the fault.
    func nanoseconds(at offset: Int, _ field: String) throws(MessageFault) -> Int64 {
        let value = number(UInt64.self, at: offset)
        guard value <= Self.longestDuration else { throw .number(field: field) }
        return Int64(value)
    }

    /// Returns a text without its padding.
    func text(at offset: Int, size: Int) throws(MessageFault) -> String {
        let field = bytes[offset..<(offset + size)]
        let content = field.prefix { $0 != 0 }
        guard field.dropFirst(content.count).allSatisfy({ $0 == 0 }),
            let text = String(validating: content, as: UTF8.self),
            // The text ends up in logs and on terminals, so it must not contain control characters.
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
        else { throw .text }
        return text
    }

    mutating func put(_ value: some FixedWidthInteger, at offset: Int) {
        withUnsafeBytes(of: value.littleEndian) { bytes.replaceSubrange(offset..<(offset + $0.count), with: $0) }
    }

    mutating func put(_ value: Double, at offset: Int) { put(value.bitPattern, at: offset) }

    /// Writes a text.
    ///
    /// - Returns: False if the text is too long or contains a zero byte; nothing is written then.
    mutating func put(_ text: String, at offset: Int, size: Int) -> Bool {
        let content = Array(text.utf8)
        guard content.count <= size, !content.contains(0) else { return false }
        bytes.replaceSubrange(offset..<(offset + content.count), with: content)
        return true
    }
}
