/// Measures peak and mean square of the channels of interleaved audio, over any number of blocks.
///
/// NaN and absurdly large numbers count as silence, because a floating-point file may contain anything.
struct LevelMeasure {
    private let channelCount: Int
    private var peaks: [Float]
    private var squares: [Double]
    private(set) var frameCount = 0

    /// A limit above any level of audio; its square is far from infinite.
    private static let limit: Float = 1e9
    /// The number of frames whose squares are added in single precision: few enough for the sum to keep its digits.
    private static let block = 4096

    init(channelCount: Int) {
        self.channelCount = channelCount
        peaks = Array(repeating: 0, count: channelCount)
        squares = Array(repeating: 0, count: channelCount)
    }

    func peak(_ channel: Int) -> Float { peaks[channel] }

    func rms(_ channel: Int) -> Float {
        frameCount == 0 ? 0 : Float((squares[channel] / Double(frameCount)).squareRoot())
    }

    /// Adds frames of silence.
    mutating func addSilence(_ frames: Int) { frameCount += frames }

    /// - Parameter samples: complete frames.
    mutating func add(_ samples: UnsafeBufferPointer<Float>) {
        guard channelCount > 0 else { return }
        let frames = samples.count / channelCount
        var done = 0
        while done < frames {
            let count = min(Self.block, frames - done)
            let piece = UnsafeBufferPointer(
                rebasing: samples[(done * channelCount)..<((done + count) * channelCount)])
            // A vector of eight contains complete frames of one, two, four or eight channels.
            if 8 % channelCount == 0 { addVectors(piece) } else { addScalars(piece, from: 0) }
            done += count
        }
        frameCount += frames
    }

    private mutating func addVectors(_ samples: UnsafeBufferPointer<Float>) {
        let raw = UnsafeRawBufferPointer(samples)
        var peak = SIMD8<Float>(repeating: 0)
        var sum = SIMD8<Float>(repeating: 0)
        let whole = samples.count / 8 * 8
        for index in stride(from: 0, to: whole, by: 8) {
            var value = raw.loadUnaligned(
                fromByteOffset: index * MemoryLayout<Float>.size, as: SIMD8<Float>.self)
            value.replace(with: -value, where: value .< 0)
            value.replace(with: 0, where: .!(value .<= Self.limit))
            peak.replace(with: value, where: value .> peak)
            sum += value * value
        }
        for lane in 0..<8 {
            let channel = lane % channelCount
            peaks[channel] = max(peaks[channel], peak[lane])
            squares[channel] += Double(sum[lane])
        }
        addScalars(samples, from: whole)
    }

    private mutating func addScalars(_ samples: UnsafeBufferPointer<Float>, from first: Int) {
        for index in first..<samples.count {
            let value = abs(samples[index])
            guard value <= Self.limit else { continue }
            let channel = index % channelCount
            if value > peaks[channel] { peaks[channel] = value }
            squares[channel] += Double(value) * Double(value)
        }
    }
}
