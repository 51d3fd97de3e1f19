/// The units of an AV1 stream, in order, up to the first invalid unit. Each unit must state its length (AV1
/// specification, 5.3).
package struct AV1Units: Sequence, IteratorProtocol {
    package struct Unit {
        /// obu_type: 1 is a sequence header, 5 metadata.
        package let type: UInt8
        /// The range of the unit's payload in the stream. `whole` includes the unit's header.
        package let payload: Range<Int>
        package let whole: Range<Int>
    }

    private let bytes: UnsafeRawBufferPointer
    private var start = 0

    /// - Parameter bytes: the stream; it must live as long as this value.
    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    package mutating func next() -> Unit? {
        guard start < bytes.count else { return nil }
        let head = bytes[start]
        // obu_forbidden_bit, obu_has_size_field; an extension has one byte.
        guard head & 0x80 == 0, head & 2 != 0 else { return nil }
        var at = start + (head & 4 != 0 ? 2 : 1)
        guard let length = Self.leb128(bytes, &at), length <= bytes.count - at else { return nil }
        let whole = start..<(at + length)
        start = whole.upperBound
        return Unit(type: head >> 3 & 15, payload: at..<whole.upperBound, whole: whole)
    }

    /// Reads a number of at most 35 bits (4.10.5); nil if the number does not end within five bytes.
    package static func leb128(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> Int? {
        var value = 0
        for place in 0..<5 {
            guard position < bytes.count else { return nil }
            let byte = bytes[position]
            position += 1
            value |= Int(byte & 0x7F) << (place * 7)
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }
}
