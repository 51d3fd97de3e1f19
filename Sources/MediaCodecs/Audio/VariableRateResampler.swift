import CFFmpeg
package import MediaTypes

/// Makes a little more or less sound of what goes in, by a ratio that may change at any time without a step.
///
/// libswresample's polyphase filter at a rate of nearly 1: 64 taps, a cut-off at half the rate, a Kaiser window, in
/// floating point of 64 bits. A change of the ratio changes how fast the filter's phase advances, never the phase itself,
/// so the wave goes on without a jump. While the ratio has been 1 from the start, every sample comes out as it went in, bit
/// for bit: then the phase is 0, and there the sinc is 1 in the middle and 0 at all other taps.
///
/// Measured with a ratio that wanders by 600 ppm: what differs from the ideal tone is 117 dB or more below it from 100 Hz to
/// 20 kHz; sixteen bits of the output's own format are coarser than that. It takes 1.5 ms for a second of one channel.
///
/// One thread at a time. Holds back some 32 frames until more comes or `finish`.
package final class VariableRateResampler {
    /// The ratio's unit, in parts of 1: libswresample's own, a little less than 1 ppm.
    private static let unitsPerWhole = 1 << 20
    /// Frames that go in at once: what memory it takes has an end, and a ratio lasts for 2²⁰ frames that come out.
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
    /// Of `unitsPerWhole`: how much shorter the way from one output frame to the next is than an input frame.
    private var units = 0

    /// Frames that went in and for which nothing has come out yet, to the part of a frame.
    package private(set) var heldFrames = 0.0

    private let greatestSurplus: Double

    /// - Parameters:
    ///   - format: linear PCM of any form; what comes out is of the same.
    ///   - greatestSurplus: how far `surplus` may go in both directions.
    package init(_ format: AudioFormat, greatestSurplus: Double = 0.002) throws(MediaError) {
        self.greatestSurplus = min(max(0, greatestSurplus), 31)
        guard let pcm = format.pcm, format.channelCount > 0 else {
            throw MediaError(.invalidSettings, "cannot resample \(format.codec) sound", reason: "it is not linear PCM")
        }
        packing = PackedPCM(pcm, isBigEndian: format.isBigEndian)
        channelCount = format.channelCount
        bytesPerFrame = pcm.byteCount * format.channelCount
        // Nobody mixes channels here: their names do not matter.
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
            throw MediaError(averror: result, .invalidSettings, "cannot resample sound")
        }
        context = made
    }

    deinit {
        var freed: OpaquePointer? = context
        swr_free(&freed)
    }

    /// Source: FFmpeg's documentation, ffmpeg-resampler(1).
    private static func setUp(_ context: UnsafeMutableRawPointer) -> Int32 {
        let numbers: [(String, Int64)] = [
            // Otherwise equal rates are copied.
            ("flags", Int64(SWR_FLAG_RESAMPLE)), ("filter_size", tapCount), ("phase_shift", 10),
            // Between the 1,024 phases of the filter's table.
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

    /// How many more frames come out than go in, as a part of these, from the next frame on that comes out: 0.0002 makes
    /// sound 200 ppm longer. Within `greatestSurplus`, and never so that less than a 32nd is left.
    package var surplus = 0.0 {
        didSet {
            let least = max(-greatestSurplus, -0.96875)
            let surplus = min(max(surplus.isFinite ? surplus : 0, least), greatestSurplus)
            units = Int(clamping: (surplus / (1 + surplus) * Double(Self.unitsPerWhole)).rounded())
        }
    }

    /// Takes whole frames. `output` is called with whole frames, valid during the call, any number of times.
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

    /// Gives out what is held back, to the nearest frame. Nothing goes in afterwards.
    ///
    /// libswresample's own way of ending gives nothing where less went in than its filter is long. So silence goes in
    /// behind the end, as much as the filter wants to see, and of what comes out only the sound is given on.
    package func finish(output: (UnsafeRawBufferPointer) throws(MediaError) -> Void) throws(MediaError) {
        let held = Int(clamping: (heldFrames * (1 + surplus)).rounded()) * bytesPerFrame
        let frames = 2 * Int(Self.tapCount)
        let silence = self.silence.bytes(frames * bytesPerFrame)
        // All our PCM formats are signed.
        silence.initializeMemory(as: UInt8.self, repeating: 0)
        let made = try render(UnsafeRawBufferPointer(silence), frames: frames)
        heldFrames = 0
        if held > 0 { try output(UnsafeRawBufferPointer(rebasing: made[..<min(held, made.count)])) }
    }

    /// What comes out when a piece goes in; valid until the next call.
    private func render(_ piece: UnsafeRawBufferPointer, frames: Int) throws(MediaError) -> UnsafeRawBufferPointer {
        // Also for a ratio of 1: once there was another, that one would go on.
        var result = swr_set_compensation(context, Int32(units), Int32(Self.unitsPerWhole))
        guard result >= 0 else { throw MediaError(averror: result, .codecFailure, "cannot resample sound") }
        var source = piece
        if !packing.isUnpacked {
            let target = unpacked.bytes(frames * channelCount * packing.unpackedByteCount)
            packing.unpack(piece, into: target)
            source = UnsafeRawBufferPointer(target)
        }
        // Also what the filter holds, and the longest that the ratio makes of it.
        let growth = 1 + max(0, min(surplus, greatestSurplus))
        let room = Int(clamping: Double(frames + 2 * Int(Self.tapCount)) * growth) + frames / 256
        let target = converted.bytes(room * channelCount * packing.unpackedByteCount)
        var input = source.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var plane = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
        result = swr_convert(context, &plane, Int32(room), &input, Int32(frames))
        guard result >= 0 else { throw MediaError(averror: result, .codecFailure, "cannot resample sound") }
        let count = Int(result)
        heldFrames += Double(frames) - Double(count) * (1 - Double(units) / Double(Self.unitsPerWhole))
        let made = UnsafeRawBufferPointer(rebasing: target[..<(count * channelCount * packing.unpackedByteCount)])
        guard !packing.isUnpacked else { return made }
        let stored = packed.bytes(count * bytesPerFrame)
        packing.pack(made, into: stored)
        return UnsafeRawBufferPointer(stored)
    }
}
