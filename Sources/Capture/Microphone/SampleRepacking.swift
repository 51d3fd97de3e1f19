/// Turns 24-bit samples in 32-bit containers (SND_PCM_FORMAT_S24_LE: the low three bytes, the fourth undefined) into
/// something with a name, in place.
enum SampleRepacking {
    case none
    /// To 32 bits, by shifting: the same loudness, the low byte zero.
    case shiftedTo32
    /// To three bytes a sample.
    case packedTo24

    /// - Returns: the bytes that hold samples afterwards.
    func apply(to bytes: UnsafeMutableRawBufferPointer) -> Int {
        switch self {
        case .none: return bytes.count
        case .shiftedTo32:
            let samples = bytes.bindMemory(to: UInt32.self)
            for index in samples.indices { samples[index] = UInt32(littleEndian: samples[index]) << 8 }
            return bytes.count
        case .packedTo24:
            let count = bytes.count / 4
            for index in 0..<count {
                bytes[index * 3] = bytes[index * 4]
                bytes[index * 3 + 1] = bytes[index * 4 + 1]
                bytes[index * 3 + 2] = bytes[index * 4 + 2]
            }
            return count * 3
        }
    }
}
