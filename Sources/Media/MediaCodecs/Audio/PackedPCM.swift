import CFFmpeg
import MediaTypes

/// A form of linear PCM in memory, and the conversion to and from the nearest form that libswresample supports.
///
/// libswresample supports only the machine's byte order. It supports unsigned but not signed 8-bit samples, and no
/// packed 24-bit samples, which are converted to 32 bits.
struct PackedPCM {
    let format: PCMSampleFormat
    let isBigEndian: Bool

    init(_ format: PCMSampleFormat, isBigEndian: Bool = false) {
        self.format = format
        // A single byte has no byte order.
        self.isBigEndian = isBigEndian && format != .s8
    }

    /// libswresample's format of the samples that `unpack` returns and `pack` accepts.
    var libavFormat: AVSampleFormat {
        switch format {
        case .s8: AV_SAMPLE_FMT_U8
        case .s16: AV_SAMPLE_FMT_S16
        case .s24, .s32: AV_SAMPLE_FMT_S32
        case .float32: AV_SAMPLE_FMT_FLT
        case .float64: AV_SAMPLE_FMT_DBL
        }
    }

    /// Bytes of one sample in `libavFormat`.
    var unpackedByteCount: Int { format == .s24 ? 4 : format.byteCount }

    /// True if libswresample supports this form, so that no conversion is needed.
    var isUnpacked: Bool { !isBigEndian && format != .s8 && format != .s24 }

    /// Converts samples of this form to libswresample's form. `target` has at least `unpackedByteCount` bytes per
    /// sample.
    func unpack(_ packed: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) {
        guard format == .s24 else { return exchange(packed, into: target) }
        for index in 0..<(packed.count / 3) {
            // Three bytes become four, the lowest zero.
            target[index * 4] = 0
            for byte in 0..<3 {
                target[index * 4 + 1 + byte] = packed[index * 3 + (isBigEndian ? 2 - byte : byte)]
            }
        }
    }

    /// Converts samples of libswresample's form to this form. `target` has at least `format.byteCount` bytes per
    /// sample.
    func pack(_ unpacked: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) {
        guard format == .s24 else { return exchange(unpacked, into: target) }
        for index in 0..<(unpacked.count / 4) {
            // Four bytes become three; the lowest is dropped.
            for byte in 0..<3 {
                target[index * 3 + (isBigEndian ? 2 - byte : byte)] = unpacked[index * 4 + 1 + byte]
            }
        }
    }

    /// Converts the byte order or the sign; used for packing and for unpacking.
    private func exchange(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) {
        if format == .s8 {
            for index in source.indices { target[index] = source[index] ^ 0x80 }
        } else if !isBigEndian {
            target.copyMemory(from: source)
        } else {
            switch format.byteCount {
            case 2: swap(source, into: target, UInt16.self)
            case 4: swap(source, into: target, UInt32.self)
            default: swap(source, into: target, UInt64.self)
            }
        }
    }

    private func swap<Word: FixedWidthInteger & BitwiseCopyable>(
        _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer, _: Word.Type
    ) {
        let size = MemoryLayout<Word>.size
        for offset in stride(from: 0, through: source.count - size, by: size) {
            let word = source.loadUnaligned(fromByteOffset: offset, as: Word.self)
            target.storeBytes(of: word.byteSwapped, toByteOffset: offset, as: Word.self)
        }
    }
}
