import MediaCodecs
import MediaTypes

/// Lengthens or shortens audio slightly, by a ratio that may change at any time. If it is lazy, audio passes through
/// unchanged and without delay until the first ratio other than 1. The waveform continues there without a step.
///
/// One thread at a time.
final class GradualResampler {
    private let format: AudioFormat
    private let bytesPerFrame: Int
    private let isLazy: Bool
    private let greatestSurplus: Double
    private var resampler: VariableRateResampler?
    /// The latest audio that passed through, with which the resampler's filter begins.
    private var recent: [UInt8] = []
    /// The number of bytes of this audio that the resampler has not returned yet. They are not output again.
    private var repeated = 0
    /// The number of audio frames in `recent`: more than the filter is long.
    private static let recentFrames = 128

    /// The relative amount by which audio is lengthened, from the next audio frame on.
    var surplus = 0.0

    /// - Parameter format: linear PCM of any form.
    /// - Throws: `invalidSettings` for another format.
    init(_ format: AudioFormat, isLazy: Bool, greatestSurplus: Double = 0.002) throws(MediaError) {
        self.format = format
        bytesPerFrame = max(1, format.bytesPerFrame ?? 1)
        self.isLazy = isLazy
        self.greatestSurplus = greatestSurplus
        if !isLazy { resampler = try VariableRateResampler(format, greatestSurplus: greatestSurplus) }
    }

    /// The number of input frames for which no output was returned yet.
    var heldFrames: Double { (resampler?.heldFrames ?? 0) - Double(repeated / bytesPerFrame) }

    /// Resamples complete audio frames. `output` is called with complete frames, whose memory is valid only during the
    /// call.
    func convert(
        _ pcm: UnsafeRawBufferPointer, output: (UnsafeRawBufferPointer) throws(MediaError) -> Void
    ) throws(MediaError) {
        if resampler == nil, surplus == 0, isLazy {
            remember(pcm)
            return try output(pcm)
        }
        let resampler = if let resampler { resampler } else { try begin() }
        // At a ratio of 1, as many audio frames are returned as are added.
        let lead = min(pcm.count, repeated)
        if lead > 0 {
            resampler.surplus = 0
            try resampler.convert(UnsafeRawBufferPointer(rebasing: pcm[..<lead])) { made throws(MediaError) in
                try pass(made, output)
            }
        }
        resampler.surplus = surplus
        try resampler.convert(UnsafeRawBufferPointer(rebasing: pcm[lead...])) { made throws(MediaError) in
            try pass(made, output)
        }
    }

    /// Outputs the audio that was held back. Other audio may follow, after a gap.
    func finish(output: (UnsafeRawBufferPointer) throws(MediaError) -> Void) throws(MediaError) {
        try resampler?.finish { made throws(MediaError) in try pass(made, output) }
        (resampler, repeated) = (isLazy ? nil : try VariableRateResampler(format, greatestSurplus: greatestSurplus), 0)
        recent.removeAll(keepingCapacity: true)
    }

    private func begin() throws(MediaError) -> VariableRateResampler {
        let made = try VariableRateResampler(format, greatestSurplus: greatestSurplus)
        resampler = made
        repeated = recent.count
        let recent = recent
        var failure: MediaError?
        recent.withUnsafeBytes { bytes in
            do throws(MediaError) {
                try made.convert(bytes) { again throws(MediaError) in repeated -= min(repeated, again.count) }
            } catch { failure = error }
        }
        if let failure { throw failure }
        return made
    }

    private func pass(
        _ made: UnsafeRawBufferPointer, _ output: (UnsafeRawBufferPointer) throws(MediaError) -> Void
    ) throws(MediaError) {
        let again = min(repeated, made.count)
        repeated -= again
        if again < made.count { try output(UnsafeRawBufferPointer(rebasing: made[again...])) }
    }

    private func remember(_ pcm: UnsafeRawBufferPointer) {
        let most = Self.recentFrames * bytesPerFrame
        let excess = recent.count + pcm.count - most
        if excess > 0 { recent.removeFirst(min(excess, recent.count)) }
        recent.append(contentsOf: pcm.suffix(most))
    }
}
