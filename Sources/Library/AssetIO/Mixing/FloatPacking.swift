import MediaTypes

/// Converts floating-point samples to a form of linear PCM. Integers are limited to full scale.
struct FloatPacking: Sendable {
    let format: PCMSampleFormat
    let isBigEndian: Bool

    /// - Parameter target: a buffer with room for `format.byteCount` bytes per sample.
    func pack(_ samples: UnsafeBufferPointer<Float>, into target: UnsafeMutableRawBufferPointer) {
        switch format {
        case .float32: store(samples, target) { $0.bitPattern }
        case .float64: store(samples, target) { Double($0).bitPattern }
        case .s8: store(samples, target) { UInt8(bitPattern: Int8(truncatingIfNeeded: Self.integer($0, bits: 8))) }
        case .s16: store(samples, target) { UInt16(truncatingIfNeeded: Self.integer($0, bits: 16)) }
        case .s24: store24(samples, target)
        case .s32: store(samples, target) { UInt32(truncatingIfNeeded: Self.integer($0, bits: 32)) }
        }
    }

    /// Converts a sample to an integer. Full scale is 2^(bits − 1), as in libswresample, so that integers pass through
    /// floating point unchanged.
    static func integer(_ sample: Float, bits: Int) -> Int {
        guard !sample.isNaN else { return 0 }
        let scale = Double(1 << (bits - 1))
        // in range: bounded by the scale, and a loop over samples
        return Int(min(max((Double(sample) * scale).rounded(.toNearestOrEven), -scale), scale - 1))
    }

    private func store<Word: FixedWidthInteger & BitwiseCopyable>(
        _ samples: UnsafeBufferPointer<Float>, _ target: UnsafeMutableRawBufferPointer, _ word: (Float) -> Word
    ) {
        let size = MemoryLayout<Word>.size
        for index in samples.indices {
            let value = word(samples[index])
            target.storeBytes(
                of: isBigEndian ? value.bigEndian : value.littleEndian, toByteOffset: index * size, as: Word.self)
        }
    }

    private func store24(_ samples: UnsafeBufferPointer<Float>, _ target: UnsafeMutableRawBufferPointer) {
        for index in samples.indices {
            let value = Self.integer(samples[index], bits: 24)
            for byte in 0..<3 {
                target[index * 3 + (isBigEndian ? 2 - byte : byte)] = UInt8(truncatingIfNeeded: value >> (8 * byte))
            }
        }
    }
}
