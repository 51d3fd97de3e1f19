package import MediaTypes

/// Reads big-endian numbers from untrusted bytes. Every read is checked, and returns nil past the end.
package struct ByteReader {
    let bytes: ArraySlice<UInt8>
    private(set) var position: Int

    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    package init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    package var remaining: Int { bytes.endIndex - position }

    package mutating func skip(_ count: Int) -> Bool {
        guard count >= 0, count <= remaining else { return false }
        position += count
        return true
    }

    package mutating func u8() -> UInt8? { integer() }
    package mutating func u16() -> UInt16? { integer() }
    package mutating func u32() -> UInt32? { integer() }
    package mutating func u64() -> UInt64? { integer() }
    package mutating func s32() -> Int32? { u32().map(Int32.init(bitPattern:)) }
    package mutating func code() -> FourCharCode? { u32().map(FourCharCode.init(rawValue:)) }

    package mutating func slice(_ count: Int) -> ArraySlice<UInt8>? {
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

extension ByteReader {
    /// Calls `body` with the type and the payload of each complete atom from the current position on.
    mutating func forEachAtom(_ body: (FourCharCode, ArraySlice<UInt8>) -> Void) {
        while let size = u32(), let type = code(), size >= 8, let content = slice(Int(size) - 8) { body(type, content) }
    }
}
