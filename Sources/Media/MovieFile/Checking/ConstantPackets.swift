import MediaTypes

/// The packets of constant size in classic QuickTime audio, such as IMA4 and MACE. The tables of such a track count
/// audio frames, each with a size of one byte, whatever a packet's real size is (QTFF, "Sample Description Atoms").
struct ConstantPackets {
    private let frames: UInt64
    /// 0 if unknown.
    private let bytes: UInt64

    /// The audio frames and the bytes of a packet of one channel. QuickTime knows these codecs without a description of
    /// version 1.
    private static let known: [FourCharCode: (frames: UInt64, bytes: UInt64)] = [
        "ima4": (64, 34), "MAC3": (6, 2), "MAC6": (6, 1),
    ]

    /// Reads the first sample description. Returns nil if each audio frame is a packet.
    init?(_ stsd: TableWindow?) throws(MediaError) {
        guard var stsd, let code = try stsd.number(3), let version = try stsd.number(6),
            let channels = try stsd.number(8)
        else { return nil }
        if let packet = Self.known[FourCharCode(rawValue: code)] {
            (frames, bytes) = (packet.frames, packet.bytes * UInt64(max(1, channels >> 16)))
            return
        }
        guard version >> 16 == 1, let perPacket = try stsd.number(11), perPacket > 1,
            let size = try stsd.number(13)
        else { return nil }
        (frames, bytes) = (UInt64(perPacket), UInt64(size))
    }

    /// Returns the number of bytes of a chunk; 0 if unknown.
    func byteCount(of frameCount: UInt64) -> UInt64 {
        let packets = frameCount / frames + (frameCount % frames > 0 ? 1 : 0)
        return packets.multipliedReportingOverflow(by: bytes).partialValue
    }
}
