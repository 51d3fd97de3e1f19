/// Packed 24-bit samples: libswresample does not know them, so they pass through 32 bits.
enum PackedPCM {
    /// Three bytes become four, the lowest zero.
    static func widen(_ packed: UnsafeRawBufferPointer) -> [UInt8] {
        let count = packed.count / 3
        return [UInt8](unsafeUninitializedCapacity: count * 4) { target, initialized in
            for index in 0..<count {
                target[index * 4] = 0
                target[index * 4 + 1] = packed[index * 3]
                target[index * 4 + 2] = packed[index * 3 + 1]
                target[index * 4 + 3] = packed[index * 3 + 2]
            }
            initialized = count * 4
        }
    }

    /// Four bytes become three; the lowest is cut off.
    static func narrow(_ wide: UnsafeRawBufferPointer) -> [UInt8] {
        let count = wide.count / 4
        return [UInt8](unsafeUninitializedCapacity: count * 3) { target, initialized in
            for index in 0..<count {
                for byte in 0..<3 { target[index * 3 + byte] = wide[index * 4 + byte + 1] }
            }
            initialized = count * 3
        }
    }
}
