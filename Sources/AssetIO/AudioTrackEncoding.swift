import MediaCodecs
import MediaTypes

/// PCM to AAC, ALAC or PCM, with gaps filled.
final class AudioTrackEncoding: TrackEncoding {
    private let settings: AudioSettings
    private var encoder: (any AudioEncoder)?
    private var input: AudioFormat?
    private var timeline: AudioTimeline?
    /// Captured frames that went into the encoder and are not yet accounted for by a packet.
    private(set) var unaccountedSamples: Int64 = 0
    private(set) var cutSamples: Int64 = 0

    /// - Parameter hint: the format of what will be appended; without it the first sample tells.
    init(_ settings: AudioSettings, hint: AudioFormat?) throws(MediaError) {
        self.settings = settings
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
        guard let encoder, format == input else {
            throw MediaError(.invalidSample, "cannot encode a sample", reason: "its format is not that of the track")
        }
        let isFirst = timeline?.start == nil
        let correction = timeline?.admit(sample.presentationTime, frames: sample.sampleCount) ?? .init()
        if isFirst { encoder.setAnchor(sample.presentationTime) }
        if correction.silence > 0 {
            try encodeSilence(correction.silence, bytesPerFrame: bytesPerFrame, encoder, output: output)
        }
        cutSamples += Int64(correction.cut)
        unaccountedSamples += Int64(sample.sampleCount - correction.cut)
        let rest = UnsafeRawBufferPointer(rebasing: data.bytes[(correction.cut * bytesPerFrame)...])
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

    private func open(_ format: AudioFormat) throws(MediaError) {
        encoder = try AudioEncoders.open(settings, input: format)
        input = format
        timeline = AudioTimeline(sampleRate: format.sampleRate)
    }
}
