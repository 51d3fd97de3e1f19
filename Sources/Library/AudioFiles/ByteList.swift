/// Bytes of a file's header, appended number by number.
struct ByteList {
    private(set) var bytes: [UInt8] = []

    mutating func text(_ text: StaticString) { bytes += text.withUTF8Buffer { Array($0) } }
    mutating func raw(_ more: some Sequence<UInt8>) { bytes += more }
    mutating func zeros(_ count: Int) { bytes += repeatElement(0, count: max(0, count)) }

    mutating func big<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
    }
    mutating func little<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }
}
