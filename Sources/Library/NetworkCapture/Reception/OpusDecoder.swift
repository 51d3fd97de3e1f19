import MediaCodecs
import MediaTypes

/// Decodes Opus to 16-bit PCM with libavcodec. For one thread.
final class OpusDecoder: @unchecked Sendable {
    // Unchecked: the values that contain it (`CameraReception`) belong to the camera's thread.
    private let decoder: AudioDecoder
    private let source: AudioFormat
    /// The number of audio frames before the next packet, for the decoder only. Samples have times of the camera's
    /// clock.
    private var position: Int64 = 0

    /// - Throws: `unsupported` if this libavcodec has no Opus decoder.
    init(_ source: AudioFormat) throws(MediaError) {
        self.source = source
        decoder = try AudioDecoder(
            format: source, hints: DecoderHints(codecName: source.codec.rawValue),
            timeScale: Int32(clamping: source.sampleRate), output: PCMOutput(pcm: .s16))
    }

    /// The format of decoded audio.
    var format: AudioFormat { decoder.format }

    /// Decodes a packet. The first packets may yield less audio than they state.
    ///
    /// - Returns: interleaved PCM; nil if the packet is damaged.
    func decode(_ data: MediaData, frameCount: Int) -> MediaData? {
        let time = MediaTime(value: position, timescale: Int32(clamping: source.sampleRate))
        position &+= Int64(frameCount)
        let packet = SampleBuffer(
            format: .audio(source), content: .data(data), presentationTime: time, sampleCount: frameCount)
        var parts: [MediaData] = []
        do throws(MediaError) {
            try decoder.decode(CodedSample(packet)) { decoded in
                if case .data(let audio) = decoded.content { parts.append(audio) }
            }
        } catch {
            return nil
        }
        if parts.count == 1 { return parts[0] }
        return MediaData(parts.flatMap { Array($0.bytes) })
    }
}
