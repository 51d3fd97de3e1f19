/// The packets of RTCP that a receiver needs (RFC 3550, 6).
package enum RTCPPacket: Sendable, Hashable {
    case senderReport(SenderReport)
    case receiverReport(source: UInt32)
    /// The canonical name of each source that has one.
    case sourceDescription([UInt32: String])
    /// Sources that ended, with a reason if there is one.
    case goodbye([UInt32], reason: String?)
    case other(type: UInt8)

    package struct SenderReport: Sendable, Hashable {
        package var source: UInt32
        package var time: NTPTime
        /// The RTP time that corresponds to `time`.
        package var timestamp: UInt32
        package var packetCount: UInt32
        package var byteCount: UInt32

        package init(source: UInt32, time: NTPTime, timestamp: UInt32, packetCount: UInt32, byteCount: UInt32) {
            self.source = source
            self.time = time
            self.timestamp = timestamp
            self.packetCount = packetCount
            self.byteCount = byteCount
        }
    }

    /// Parses a compound packet. The parsing ends at a damaged part, and the parts before it are returned.
    package static func parse(_ bytes: [UInt8]) -> [RTCPPacket] {
        var packets: [RTCPPacket] = []
        var position = 0
        while position + 4 <= bytes.count, bytes[position] >> 6 == 2 {
            let end = position + 4 + Int(bytes.bigEndian16(at: position + 2)) * 4
            guard end <= bytes.count else { break }
            let body = Array(bytes[(position + 4)..<end])
            guard let packet = packet(bytes[position + 1], Int(bytes[position] & 31), body) else { break }
            packets.append(packet)
            position = end
        }
        return packets
    }

    private static func packet(_ type: UInt8, _ count: Int, _ body: [UInt8]) -> RTCPPacket? {
        switch type {
        case 200:
            guard body.count >= 24 else { return nil }
            return .senderReport(
                SenderReport(
                    source: body.bigEndian32(at: 0),
                    time: NTPTime(seconds: body.bigEndian32(at: 4), fraction: body.bigEndian32(at: 8)),
                    timestamp: body.bigEndian32(at: 12), packetCount: body.bigEndian32(at: 16),
                    byteCount: body.bigEndian32(at: 20)))
        case 201:
            guard body.count >= 4 else { return nil }
            return .receiverReport(source: body.bigEndian32(at: 0))
        case 202: return .sourceDescription(names(body, count))
        case 203:
            guard body.count >= count * 4 else { return nil }
            let sources = (0..<count).map { body.bigEndian32(at: $0 * 4) }
            var reason: String?
            if body.count > count * 4 {
                let length = Int(body[count * 4])
                reason = String(decoding: body[(count * 4 + 1)...].prefix(length), as: UTF8.self)
            }
            return .goodbye(sources, reason: reason)
        default: return .other(type: type)
        }
    }

    /// Returns the canonical names (RFC 3550, 6.5.1) in a source description, as far as it can be read.
    private static func names(_ body: [UInt8], _ count: Int) -> [UInt32: String] {
        var names: [UInt32: String] = [:]
        var position = 0
        for _ in 0..<count {
            guard position + 4 <= body.count else { break }
            let source = body.bigEndian32(at: position)
            position += 4
            while position + 1 < body.count, body[position] != 0 {
                let length = Int(body[position + 1])
                guard position + 2 + length <= body.count else { return names }
                if body[position] == 1 {
                    names[source] = String(decoding: body[(position + 2)..<(position + 2 + length)], as: UTF8.self)
                }
                position += 2 + length
            }
            // A zero byte ends the items. More zero bytes pad them to a multiple of four.
            position = (position / 4 + 1) * 4
        }
        return names
    }
}
