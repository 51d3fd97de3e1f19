import Glibc
import MediaTypes

/// Measures the audio level: peak and RMS over intervals of 300 ms, in decibels below full scale.
///
/// `measure` reads the audio of a block once, on the microphone's thread. The other methods only compute with its
/// result.
struct LevelMeter {
    struct Level: Equatable {
        /// The peak in dBFS, at most 0; digital silence is −120.
        let peak: Double
        let rms: Double
    }

    /// The measurements of one block.
    struct Measure: Equatable {
        var peak: Float = 0
        var sumOfSquares: Double = 0
        var samples = 0
    }

    /// The level of the newest complete interval; nil before the first.
    private(set) var level: Level?
    private var current = Measure()
    private let window: Int

    init(format: AudioFormat) { window = max(1, format.sampleRate * format.channelCount * 3 / 10) }

    mutating func add(_ measure: Measure) {
        current.peak = max(current.peak, measure.peak)
        current.sumOfSquares += measure.sumOfSquares
        current.samples += measure.samples
        guard current.samples >= window else { return }
        let mean = (current.sumOfSquares / Double(current.samples)).squareRoot()
        level = Level(peak: Self.decibels(Double(current.peak)), rms: Self.decibels(mean))
        current = Measure()
    }

    /// Measures one block. Returns nil for compressed audio, and for big-endian PCM, which no microphone delivers.
    static func measure(_ block: SampleBuffer) -> Measure? {
        guard case .data(let data) = block.content, let format = block.format.audio, let pcm = format.pcm,
            !format.isBigEndian
        else { return nil }
        switch pcm {
        case .s8:
            return measure(data.bytes, of: Int8.self) { Float($0) / 128 }
        case .s16:
            return measure(data.bytes)
        case .s32:
            return measure(data.bytes, of: Int32.self) { Float($0) / 2_147_483_648 }
        case .float32:
            return measure(data.bytes, of: Float.self) { $0 }
        case .float64:
            return measure(data.bytes, of: Double.self) { Float($0) }
        case .s24:
            var result = Measure()
            for offset in stride(from: 0, to: data.count / 3 * 3, by: 3) {
                let low = UInt32(data.bytes[offset]) << 8 | UInt32(data.bytes[offset + 1]) << 16
                let value = Int32(bitPattern: low | UInt32(data.bytes[offset + 2]) << 24)
                result.add(Float(value) / 2_147_483_648)
            }
            return result
        }
    }

    /// Measures 16-bit audio, the most common format, with integer arithmetic, which the compiler can vectorize.
    private static func measure(_ bytes: UnsafeRawBufferPointer) -> Measure {
        var (loudest, sum): (Int32, Int64) = (0, 0)
        for offset in stride(from: 0, to: bytes.count / 2 * 2, by: 2) {
            let value = Int32(bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self))
            loudest = max(loudest, abs(value))
            sum &+= Int64(value &* value)
        }
        return Measure(
            peak: Float(loudest) / 32_768, sumOfSquares: Double(sum) / (32_768 * 32_768), samples: bytes.count / 2)
    }

    @inline(__always)
    private static func measure<Sample: BitwiseCopyable>(
        _ bytes: UnsafeRawBufferPointer, of type: Sample.Type, _ value: (Sample) -> Float
    ) -> Measure {
        var result = Measure()
        let size = MemoryLayout<Sample>.size
        for offset in stride(from: 0, to: bytes.count / size * size, by: size) {
            result.add(value(bytes.loadUnaligned(fromByteOffset: offset, as: Sample.self)))
        }
        return result
    }

    private static func decibels(_ value: Double) -> Double {
        value > 0.000_001 ? min(0, (20 * log10(value) * 10).rounded() / 10) : -120
    }
}

extension LevelMeter.Measure {
    @inline(__always)
    fileprivate mutating func add(_ value: Float) {
        let magnitude = abs(value)
        if magnitude > peak { peak = magnitude }
        sumOfSquares += Double(value * value)
        samples += 1
    }
}
