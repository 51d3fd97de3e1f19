/// Reads single bits and Exp-Golomb numbers (ITU-T H.264, 9.1; H.265, 9.2) from the start of a parameter set.
package struct BitReader {
    private let bytes: ArraySlice<UInt8>
    private var position = 0

    package init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    package mutating func bit() -> UInt32? {
        guard position < bytes.count * 8 else { return nil }
        defer { position += 1 }
        return UInt32(bytes[bytes.startIndex + position / 8] >> (7 - UInt8(position % 8)) & 1)
    }

    /// Returns a number of `count` bits, at most 32. The highest bit comes first.
    package mutating func number(_ count: Int) -> UInt32? {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let next = bit() else { return nil }
            value = value << 1 | next
        }
        return value
    }

    package mutating func golomb() -> UInt32? {
        var zeros = 0
        while let next = bit(), next == 0 {
            zeros += 1
            guard zeros < 31 else { return nil }
        }
        var value: UInt32 = 1
        for _ in 0..<zeros {
            guard let next = bit() else { return nil }
            value = value << 1 | next
        }
        return position > 0 && position <= bytes.count * 8 ? value - 1 : nil
    }
}
