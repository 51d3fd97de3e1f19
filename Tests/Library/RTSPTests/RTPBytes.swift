import RTSP

/// Packets of RTP as bytes (RFC 3550, 5.1).
enum RTPBytes {
    static func packet(
        _ payload: [UInt8], sequence: UInt16 = 1, timestamp: UInt32 = 0, marker: Bool = false, type: UInt8 = 96,
        source: UInt32 = 0xAABB_CCDD
    ) -> [UInt8] {
        [0x80, (marker ? 0x80 : 0) | type, UInt8(sequence >> 8), UInt8(sequence & 0xFF)] + bigEndian(timestamp)
            + bigEndian(source) + payload
    }

    static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }

    /// Returns packets in order, as a receiver passes them on.
    static func received(
        _ payload: [UInt8], sequence: Int64 = 1, time: Int64 = 0, marker: Bool = false, lostBefore: Int64 = 0,
        type: UInt8 = 96
    ) throws -> ReceivedPacket {
        let bytes = packet(
            payload, sequence: UInt16(truncatingIfNeeded: sequence), timestamp: UInt32(truncatingIfNeeded: time),
            marker: marker, type: type)
        return ReceivedPacket(
            try RTPPacket(bytes), sequence: sequence, time: time, arrival: time * 11_111, lostBefore: lostBefore)
    }
}
