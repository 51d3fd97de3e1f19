import MediaTypes

/// G.711 and linear PCM (RFC 3551, 4.5.14, 4.5.11; RFC 3190): the payload is interleaved audio.
struct PCMDepacketizer: Depacketizer {
    private let format: AudioFormat
    private let bytesPerFrame: Int
    /// The number of bytes of a sample: 1 for G.711. If a sample has several bytes, their order is reversed.
    private let width: Int
    private var hasReportedFormat = false
    private var pendingLost: Int64 = 0
    private let packets = MediaDataPool(byteCount: 4096, capacity: 64)

    /// Creates a depacketizer. Linear PCM becomes little-endian, as microphones deliver it.
    ///
    /// - Returns: nil for other encodings, and for a rate or a channel count that no camera has.
    init?(_ payload: PayloadFormat) {
        let (rate, channels) = (payload.clockRate, payload.channels)
        switch payload.encoding {
        case "PCMU", "PCMA":
            let codec = AudioCodec(rawValue: payload.encoding == "PCMU" ? "pcm_mulaw" : "pcm_alaw")
            format = AudioFormat(codec: codec, sampleRate: rate, channelCount: channels, framesPerPacket: 1)
            width = 1
        case "L16":
            format = AudioFormat(pcm: .s16, sampleRate: rate, channelCount: channels)
            width = 2
        case "L24":
            format = AudioFormat(pcm: .s24, sampleRate: rate, channelCount: channels)
            width = 3
        default: return nil
        }
        guard SampleLimits.rates.contains(rate), (1...SampleLimits.mostChannels).contains(channels) else { return nil }
        bytesPerFrame = width * channels
    }

    var describedFormat: FormatDescription? { .audio(format) }

    mutating func add(_ packet: ReceivedPacket, to output: inout [DepacketizedItem]) {
        pendingLost += packet.lostBefore
        let payload = packet.packet.payload
        let frames = payload.count / bytesPerFrame
        guard frames > 0 else { return }
        if !hasReportedFormat { output.append(.format(.audio(format))) }
        hasReportedFormat = true
        var bytes = Array(payload.prefix(frames * bytesPerFrame))
        if width > 1 {
            for start in stride(from: 0, to: bytes.count, by: width) { bytes.swapAt(start, start + width - 1) }
        }
        output.append(
            .sample(
                NetworkSample(
                    bytes.withUnsafeBytes { packets.copy($0) }, time: packet.time, arrival: packet.arrival,
                    lostPackets: pendingLost, frameCount: frames)))
        pendingLost = 0
    }

    mutating func flush(to output: inout [DepacketizedItem]) {}
}
