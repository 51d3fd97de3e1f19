import MediaCodecs
import MediaTypes

/// PCM to AAC, ALAC or PCM, with gaps filled; a gap past `AudioTimeline.longestSilence` starts a fresh encoder instead.
final class AudioTrackEncoding: TrackEncoding {
    private let settings: AudioSettings
    private var encoder: (any AudioEncoder)?
    private var input: AudioFormat?
    private var timeline: AudioTimeline?
    /// Captured frames that went into the encoder and are not yet accounted for by a packet.
    private(set) var unaccountedSamples: Int64 = 0
    private(set) var cutSamples: Int64 = 0

    private let isLive: Bool

    /// - Parameters:
    ///   - hint: the format of what will be appended; without it the first sample tells.
    ///   - isLive: the samples' times are a device's measurements.
    init(_ settings: AudioSettings, hint: AudioFormat?, isLive: Bool = true) throws(MediaError) {
        self.settings = settings
        self.isLive = isLive
        if let hint, hint.codec == .linearPCM { try open(hint) }
    }

    var format: FormatDescription? { encoder.map { .audio($0.format) } }
    var timeScale: Int32 { Int32(encoder?.format.sampleRate ?? settings.sampleRate ?? 48_000) }
    var primingFrames: Int { encoder?.primingFrames ?? 0 }
    var gaps: (count: Int, frames: Int64) { (timeline?.gapCount ?? 0, timeline?.gapFrames ?? 0) }

    var end: MediaTime? {
        guard let encoder, let start = timeline?.start else { return nil }
        return MediaTime(value: start.ticks(in: timeScale) + encoder.framesEncoded, timescale: timeScale)
    }

    func encode(_ sample: SampleBuffer, output: Output) throws(MediaError) {
        guard case .audio(let format) = sample.format, case .data(let data) = sample.content,
            let bytesPerFrame = format.bytesPerFrame
        else { throw MediaError(.invalidSample, "cannot encode a sample", reason: "it is not linear PCM") }
        if input == nil { try open(format) }
        guard var encoder, format == input else {
            throw MediaError(.invalidSample, "cannot encode a sample", reason: "its format is not that of the track")
        }
        guard sample.sampleCount > 0, data.count / bytesPerFrame >= sample.sampleCount else {
            throw MediaError(
                .invalidSample, "cannot encode a sample", reason: "it does not hold the frames that it says it does")
        }
        let isFirst = timeline?.start == nil
        let correction = timeline?.admit(sample.presentationTime, frames: sample.sampleCount) ?? .init()
        if correction.isRestart { encoder = try restarted(output: output) }
        if isFirst || correction.isRestart { encoder.setAnchor(sample.presentationTime) }
        if correction.silence > 0 {
            try encodeSilence(correction.silence, bytesPerFrame: bytesPerFrame, encoder, output: output)
        }
        cutSamples += Int64(correction.cut)
        unaccountedSamples += Int64(sample.sampleCount - correction.cut)
        let kept = (correction.cut * bytesPerFrame)..<(sample.sampleCount * bytesPerFrame)
        let rest = UnsafeRawBufferPointer(rebasing: data.bytes[kept])
        try encoder.encode(rest) { emit($0, output) }
    }

    func finish(output: Output) throws(MediaError) {
        guard let encoder, timeline?.start != nil else { return }
        try encoder.finish { emit($0, output) }
    }

    private func emit(_ packet: SampleBuffer, _ output: Output) {
        output(packet, unaccountedSamples)
        unaccountedSamples = 0
    }

    private func encodeSilence(
        _ frames: Int, bytesPerFrame: Int, _ encoder: any AudioEncoder, output: Output
    ) throws(MediaError) {
        // All our PCM formats are signed: zero bytes are silence. In pieces, so that an hour's gap takes no memory.
        var left = frames
        let piece = MediaData([UInt8](repeating: 0, count: min(left, 4096) * bytesPerFrame))
        while left > 0 {
            let count = min(left, 4096)
            try encoder.encode(UnsafeRawBufferPointer(rebasing: piece.bytes[0..<(count * bytesPerFrame)])) {
                emit($0, output)
            }
            left -= count
        }
    }

    /// Ends the stretch of sound before a jump in time and opens a fresh encoder for the one behind it: packets then carry
    /// their own times, and the next one begins with priming again.
    private func restarted(output: Output) throws(MediaError) -> any AudioEncoder {
        guard let encoder, let input else {
            throw MediaError(.invalidState, "cannot go on after a gap in the sound", reason: "nothing came before it")
        }
        try encoder.finish { emit($0, output) }
        let fresh = try AudioEncoders.open(settings, input: input)
        self.encoder = fresh
        return fresh
    }

    private func open(_ format: AudioFormat) throws(MediaError) {
        encoder = try AudioEncoders.open(settings, input: format)
        input = format
        timeline = AudioTimeline(sampleRate: format.sampleRate, isLive: isLive)
    }
}
