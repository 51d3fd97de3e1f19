/// Removes the bytes that an encoder inserts into a unit so that it contains no start codes (ITU-T H.264, 7.4.1; H.265,
/// 7.4.2).
package enum EmulationPrevention {
    /// Returns the bytes of a unit without emulation prevention bytes.
    package static func removed(from unit: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var zeros = 0
        for byte in unit {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            bytes.append(byte)
        }
        return bytes
    }
}
