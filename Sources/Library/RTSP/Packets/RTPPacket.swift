/// A packet of RTP (RFC 3550, 5.1).
package struct RTPPacket: Sendable, Hashable {
    /// The reason why bytes are not a packet.
    package enum Fault: Error, Sendable, Hashable {
        /// Shorter than its header.
        case short
        /// Not version 2.
        case version
        /// The padding is longer than the payload.
        case padding
    }

    package let marker: Bool
    package let payloadType: UInt8
    package let sequence: UInt16
    package let timestamp: UInt32
    /// The source of the stream: SSRC.
    package let source: UInt32
    /// The sources that a mixer combined: CSRC.
    package let contributors: [UInt32]
    /// The profile of the header extension; nil if there is none.
    package let extensionProfile: UInt16?
    private let extensionRange: Range<Int>
    private let payloadRange: Range<Int>
    private let bytes: [UInt8]

    /// The payload without padding.
    package var payload: ArraySlice<UInt8> { bytes[payloadRange] }
    /// The data of the header extension.
    package var extensionData: ArraySlice<UInt8> { bytes[extensionRange] }

    package init(_ bytes: [UInt8]) throws(Fault) {
        guard bytes.count >= 12 else { throw .short }
        guard bytes[0] >> 6 == 2 else { throw .version }
        marker = bytes[1] & 0x80 != 0
        payloadType = bytes[1] & 0x7F
        sequence = bytes.bigEndian16(at: 2)
        timestamp = bytes.bigEndian32(at: 4)
        source = bytes.bigEndian32(at: 8)
        let count = Int(bytes[0] & 15)
        var start = 12 + count * 4
        guard bytes.count >= start else { throw .short }
        var contributors: [UInt32] = []
        for index in 0..<count { contributors.append(bytes.bigEndian32(at: 12 + index * 4)) }
        self.contributors = contributors
        if bytes[0] & 0x10 != 0 {
            guard bytes.count >= start + 4 else { throw .short }
            let end = start + 4 + Int(bytes.bigEndian16(at: start + 2)) * 4
            guard bytes.count >= end else { throw .short }
            extensionProfile = bytes.bigEndian16(at: start)
            extensionRange = (start + 4)..<end
            start = end
        } else {
            extensionProfile = nil
            extensionRange = start..<start
        }
        var end = bytes.count
        if bytes[0] & 0x20 != 0 {
            let padding = Int(bytes[end - 1])
            guard padding > 0, end - padding >= start else { throw .padding }
            end -= padding
        }
        payloadRange = start..<end
        self.bytes = bytes
    }
}

extension [UInt8] {
    /// Returns the big-endian number at a position that the caller has checked.
    func bigEndian16(at position: Int) -> UInt16 { UInt16(self[position]) << 8 | UInt16(self[position + 1]) }

    /// Returns the big-endian number at a position that the caller has checked.
    func bigEndian32(at position: Int) -> UInt32 {
        UInt32(bigEndian16(at: position)) << 16 | UInt32(bigEndian16(at: position + 2))
    }

    mutating func appendBigEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
