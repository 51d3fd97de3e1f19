import MediaTypes

/// Reads big-endian numbers from bytes that may be anything: every read is checked, past the end gives nil.
struct ByteReader {
    let bytes: ArraySlice<UInt8>
    private(set) var position: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    var remaining: Int { bytes.endIndex - position }

    mutating func skip(_ count: Int) -> Bool {
        guard count >= 0, count <= remaining else { return false }
        position += count
        return true
    }

    mutating func u8() -> UInt8? { integer() }
    mutating func u16() -> UInt16? { integer() }
    mutating func u32() -> UInt32? { integer() }
    mutating func u64() -> UInt64? { integer() }
    mutating func s32() -> Int32? { u32().map(Int32.init(bitPattern:)) }
    mutating func code() -> FourCharCode? { u32().map(FourCharCode.init(rawValue:)) }

    mutating func slice(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= remaining else { return nil }
        defer { position += count }
        return bytes[position..<(position + count)]
    }

    private mutating func integer<Value: FixedWidthInteger & UnsignedInteger>() -> Value? {
        let size = MemoryLayout<Value>.size
        guard remaining >= size else { return nil }
        var value: Value = 0
        for index in 0..<size { value = value << 8 | Value(bytes[position + index]) }
        position += size
        return value
    }
}
