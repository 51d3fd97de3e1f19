import MediaTypes

/// Opus (RFC 7587): the payload is one packet, and the RTP clock always has 48 kHz.
struct OpusDepacketizer: Depacketizer {
    /// True if the description announces stereo. A packet may be stereo anyway.
    private let isStereo: Bool
    /// The rate of the source, which decoders do not need.
    private let rate: UInt32
    private var hasReportedFormat = false
    private var pendingLost: Int64 = 0
    private let packets = MediaDataPool(byteCount: 2048, capacity: 64)

    init(_ payload: PayloadFormat) {
        // The description always says two channels; this parameter says how many are sent.
        isStereo = payload.parameters["sprop-stereo"] == "1"
        rate = payload.parameters.number("sprop-maxcapturerate").flatMap { UInt32(exactly: $0) } ?? 48_000
    }

    /// Returns the format of a stream that begins with a packet.
    private func format(first: UInt8, frames: Int) -> AudioFormat {
        // The flag of RFC 6716, 3.1.
        let channels: UInt8 = isStereo || first & 4 != 0 ? 2 : 1
        // OpusHead (RFC 7845, 5.1): no pre-skip, as the stream began before it was received.
        let head =
            Array("OpusHead".utf8) + [1, channels, 0, 0] + Swift.withUnsafeBytes(of: rate.littleEndian, Array.init)
        return AudioFormat(
            codec: .opus, sampleRate: 48_000, channelCount: Int(channels), decoderConfiguration: head + [0, 0, 0],
            framesPerPacket: frames)
    }

    mutating func add(_ packet: ReceivedPacket, to output: inout [DepacketizedItem]) {
        pendingLost += packet.lostBefore
        let payload = packet.packet.payload
        guard let first = payload.first else { return }
        guard let frames = Self.frameCount(of: payload) else {
            return output.append(.dropped(count: 960, .damaged, time: packet.time))
        }
        if !hasReportedFormat { output.append(.format(.audio(format(first: first, frames: frames)))) }
        hasReportedFormat = true
        output.append(
            .sample(
                NetworkSample(
                    payload.withUnsafeBytes { packets.copy($0) }, time: packet.time, arrival: packet.arrival,
                    lostPackets: pendingLost, frameCount: frames)))
        pendingLost = 0
    }

    mutating func flush(to output: inout [DepacketizedItem]) {}

    /// Returns the number of audio frames in a packet at 48 kHz; nil for an invalid packet (RFC 6716, 3.1 and 3.2).
    private static func frameCount(of packet: ArraySlice<UInt8>) -> Int? {
        guard let first = packet.first else { return nil }
        let mode = Int(first >> 3)
        let length =
            mode < 12
            ? [480, 960, 1920, 2880][mode % 4] : mode < 16 ? [480, 960][mode % 2] : [120, 240, 480, 960][mode % 4]
        let count: Int
        switch first & 3 {
        case 0: count = 1
        case 1, 2: count = 2
        default:
            guard packet.count > 1 else { return nil }
            count = Int(packet[packet.startIndex + 1] & 0x3F)
        }
        // At most 120 ms.
        return count > 0 && count * length <= 5760 ? count * length : nil
    }
}
