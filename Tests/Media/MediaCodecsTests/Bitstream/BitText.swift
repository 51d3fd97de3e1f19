/// Bits as the tests write them.
enum BitText {
    /// Returns the bytes of a text of ones and zeros. The last byte is filled with zeros.
    static func bytes(_ bits: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, bit) in bits.enumerated() {
            if index % 8 == 0 { bytes.append(0) }
            if bit == "1" { bytes[index / 8] |= 0x80 >> UInt8(index % 8) }
        }
        return bytes
    }
}
