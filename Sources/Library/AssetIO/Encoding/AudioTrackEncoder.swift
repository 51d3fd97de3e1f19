import MediaCodecs
import MediaTypes

/// Encodes PCM to AAC, ALAC or PCM, with gaps filled. After a gap longer than `AudioTimeline.longestSilence` it starts
/// a new encoder.
///
/// A live device's audio passes through a resampler that compensates for the drift of the device's clock. Other audio
/// reaches the encoder unchanged, unless its times drift away from the count of its audio frames.
final class AudioTrackEncoder: TrackEncoder {
    private let settings: AudioSettings
    private var encoder: (any AudioEncoder)?
    private var input: AudioFormat?
    private var timeline: AudioTimeline?
    /// The number of captured frames that went into the encoder and are not yet counted by a packet.
    private(set) var unaccountedSamples: Int64 = 0
    private(set) var cutSamples: Int64 = 0

    private let isLive: Bool
    private var check: StampCheck?
    private var resampler: GradualResampler?
    /// The number of frames sent to the encoder since the anchor, at the input's rate.
    private var fedFrames: Int64 = 0

    /// - Parameters:
    ///   - hint: the format of the samples that will be appended; nil if only the first sample states it.
    ///   - isLive: true if the samples' times are a device's measurements.
    init(_ settings: AudioSettings, hint: AudioFormat?, isLive: Bool = true) throws(MediaError) {
        self.settings = settings
        self.isLive = isLive
        if let hint, hint.codec == .linearPCM { try open(hint) }
    }

    var format: FormatDescription? { encoder.map { .audio($0.format) } }
    var timeScale: Int32 { Int32(clamping: encoder?.format.sampleRate ?? settings.sampleRate ?? 48_000) }
    var primingFrames: Int { encoder?.primingFrames ?? 0 }
    var facts: EncoderFacts {
        EncoderFacts(
            gaps: gaps, silencedValues: earlierSilencedValues + (encoder?.silencedValues ?? 0),
            clock: timeline?.clock ?? AudioClock())
    }
    private var gaps: (count: Int, frames: Int64) {
        (earlier.gaps.count + (timeline?.gapCount ?? 0), earlier.gaps.frames + (timeline?.gapFrames ?? 0))
    }
    /// The gaps and the end of the earlier sessions.
    private var earlier: (gaps: (count: Int, frames: Int64), end: MediaTime?) = ((0, 0), nil)
    /// The count of the earlier encoders.
    private var earlierSilencedValues: Int64 = 0

    var end: MediaTime? {
        guard let encoder, let start = timeline?.start else { return earlier.end }
        return MediaTime(value: start.ticks(in: timeScale) + encoder.framesEncoded, timescale: timeScale)
    }

    func encode(_ sample: SampleBuffer, output: Output) throws(MediaError) {
        guard case .audio(let format) = sample.format, case .data(let data) = sample.content,
            let bytesPerFrame = format.bytesPerFrame
        else { throw MediaError(.invalidSample, "cannot encode a sample", reason: "it is not linear PCM") }
        if input == nil { try open(format) }
        guard format == input else {
            throw MediaError(.invalidSample, "cannot encode a sample", reason: "its format differs from the track's")
        }
        guard sample.sampleCount > 0, data.count / bytesPerFrame >= sample.sampleCount else {
            throw MediaError(
                .invalidSample, "cannot encode a sample", reason: "its frame count does not match its data")
        }
        guard check?.isInOrder(sample, expected: timeline?.expected) == false else {
            return try place(.init(sample: sample, time: sample.presentationTime), output: output)
        }
        for block in check?.admit(sample, expected: timeline?.expected) ?? [] { try place(block, output: output) }
    }

    func finish(output: Output) throws(MediaError) {
        for block in check?.finish(expected: timeline?.expected) ?? [] { try place(block, output: output) }
        guard let encoder, timeline?.start != nil else { return }
        try drainResampler(output)
        try encoder.finish { emit($0, output) }
    }

    func endSession(output: Output) throws(MediaError) {
        guard let input else { return }
        try finish(output: output)
        // Nothing came in this session.
        guard timeline?.start != nil else { return }
        earlier = (gaps, end)
        try open(input)
        fedFrames = 0
    }

    /// Encodes a block whose format and size `encode` has checked.
    private func place(_ block: StampCheck.Block, output: Output) throws(MediaError) {
        let sample = block.sample
        guard case .data(let data) = sample.content, let bytesPerFrame = input?.bytesPerFrame else { return }
        let isFirst = timeline?.start == nil
        let correction = timeline?.admit(block.time, frames: sample.sampleCount) ?? .init()
        if correction.isRestart { try restart(output: output) }
        if isFirst || correction.isRestart { encoder?.setAnchor(timeline?.start ?? .zero) }
        if correction.silence > 0 {
            try encodeSilence(correction.silence, bytesPerFrame: bytesPerFrame, output: output)
        }
        cutSamples += Int64(correction.cut)
        unaccountedSamples += Int64(sample.sampleCount - correction.cut)
        let kept = (correction.cut * bytesPerFrame)..<(sample.sampleCount * bytesPerFrame)
        let rest = UnsafeRawBufferPointer(rebasing: data.bytes[kept])
        guard let resampler else { return try feed(rest, output) }
        resampler.surplus = correction.surplus
        try resampler.convert(rest) { made throws(MediaError) in try feed(made, output) }
        timeline?.settle(at: Double(fedFrames) + resampler.heldFrames)
    }

    /// Sends audio of its final length to the encoder.
    private func feed(_ pcm: UnsafeRawBufferPointer, _ output: Output) throws(MediaError) {
        guard let encoder, let bytesPerFrame = input?.bytesPerFrame else { return }
        fedFrames += Int64(pcm.count / bytesPerFrame)
        try encoder.encode(pcm) { emit($0, output) }
    }

    /// Encodes the audio that the resampler holds, before the end or before silence.
    private func drainResampler(_ output: Output) throws(MediaError) {
        try resampler?.finish { made throws(MediaError) in try feed(made, output) }
    }

    private func emit(_ packet: SampleBuffer, _ output: Output) {
        output(packet, unaccountedSamples)
        unaccountedSamples = 0
    }

    private func encodeSilence(_ frames: Int, bytesPerFrame: Int, output: Output) throws(MediaError) {
        try drainResampler(output)
        // All PCM formats used here are signed, so zero bytes are silence. Silence is encoded in small pieces, so that
        // even a long gap needs little memory.
        var left = frames
        let piece = MediaData([UInt8](repeating: 0, count: min(left, 4096) * bytesPerFrame))
        while left > 0 {
            let count = min(left, 4096)
            try feed(UnsafeRawBufferPointer(rebasing: piece.bytes[0..<(count * bytesPerFrame)]), output)
            left -= count
        }
    }

    /// Ends the audio before a jump in time, and opens a new encoder for the audio after it. The new packets have their
    /// own times, and begin with priming again.
    private func restart(output: Output) throws(MediaError) {
        guard let encoder, let input else {
            throw MediaError(.invalidState, "cannot continue after a gap", reason: "no audio came before it")
        }
        try drainResampler(output)
        try encoder.finish { emit($0, output) }
        try openEncoder(input)
        fedFrames = 0
    }

    private func openEncoder(_ format: AudioFormat) throws(MediaError) {
        let next = try AudioEncoders.open(settings, input: format)
        earlierSilencedValues += encoder?.silencedValues ?? 0
        encoder = next
    }

    private func open(_ format: AudioFormat) throws(MediaError) {
        try openEncoder(format)
        input = format
        timeline = AudioTimeline(sampleRate: format.sampleRate, isLive: isLive)
        resampler =
            isLive
            ? try GradualResampler(format, isLazy: false)
            : try GradualResampler(format, isLazy: true, greatestSurplus: TimeDrift.greatestSurplus)
        if isLive { check = StampCheck(sampleRate: format.sampleRate) }
    }
}
