/// A packet in the order of its stream.
package struct ReceivedPacket: Sendable {
    package var packet: RTPPacket
    /// The sequence number, counted beyond 16 bits.
    package var sequence: Int64
    /// The RTP time, counted beyond 32 bits.
    package var time: Int64
    /// The time of arrival, in nanoseconds of the monotonic clock.
    package var arrival: Int64
    /// The number of packets that are missing directly before this one.
    package var lostBefore: Int64

    package init(_ packet: RTPPacket, sequence: Int64, time: Int64, arrival: Int64, lostBefore: Int64 = 0) {
        self.packet = packet
        self.sequence = sequence
        self.time = time
        self.arrival = arrival
        self.lostBefore = lostBefore
    }
}

package enum ReceiverEvent: Sendable {
    case packet(ReceivedPacket)
    /// The stream begins again: sequence numbers and RTP times are not related to the earlier ones. Also sent before
    /// the first packet.
    case began(source: UInt32)
}

/// Receives the RTP packets of one stream: checks, orders and counts them (RFC 3550, appendix A). A pure value.
///
/// A packet of another source, with a sequence number far from the expected one, or with the number of an earlier packet
/// of another time, is accepted only when a second packet directly follows it.
package struct RTPReceiver: Sendable {
    package private(set) var account = ReceptionAccount()
    /// The source of the stream; nil before the first packet.
    package private(set) var source: UInt32?

    private let payloadTypes: Set<UInt8>
    private let clockRate: Int64
    private var statistics: ReceptionStatistics
    private var buffer: ReorderBuffer
    private var history = PacketHistory()
    private var sequences = Unwrapper<UInt16>()
    private var times = Unwrapper<UInt32>()
    /// The packet with the highest sequence number.
    private var latest: (timestamp: UInt32, arrival: Int64)?
    /// The first packet of what may be another stream.
    private var candidate: (packet: RTPPacket, arrival: Int64)?

    /// The largest steps of the sequence number, forward and back, that a single packet may make. A larger one needs a
    /// second packet that confirms it (RFC 3550, A.1).
    package static let mostForward: Int64 = 3000
    private static let mostBack = PacketHistory.count
    /// The shortest outage, in nanoseconds, that can explain a number which is far ahead.
    private static let shortestOutage: Int64 = 500_000_000
    /// The longest time, in nanoseconds, for which a camera keeps packets in its buffer during an outage.
    private static let mostBuffered: Int64 = 20_000_000_000

    /// - Parameters:
    ///   - payloadTypes: The payload types of this stream; packets with other types are counted as invalid.
    ///   - mostDelay: The maximum wait for a missing packet in nanoseconds; 0 for packets in a TCP connection.
    package init(payloadTypes: Set<UInt8>, clockRate: Int, mostDelay: Int64, mostPackets: Int = 256) {
        self.payloadTypes = payloadTypes
        self.clockRate = Int64(max(1, clockRate))
        buffer = ReorderBuffer(mostPackets: mostPackets, mostDelay: mostDelay)
        statistics = ReceptionStatistics(clockRate: clockRate)
    }

    /// The time at which `poll` has something to do; nil if no packet is queued.
    package var deadline: Int64? { buffer.deadline }

    /// Accepts the bytes of a packet.
    ///
    /// - Returns: The packets that are now in order.
    package mutating func receive(_ bytes: [UInt8], at now: Int64) -> [ReceiverEvent] {
        guard let packet = try? RTPPacket(bytes), payloadTypes.contains(packet.payloadType) else {
            account.invalid += 1
            return []
        }
        var events: [ReceiverEvent] = []
        if source == nil {
            begin(packet, at: now, &events)
        } else if let first = candidate, first.packet.source == packet.source,
            packet.sequence == first.packet.sequence &+ 1
        {
            candidate = nil
            follow(first.packet, at: first.arrival, &events)
            insert(packet, at: now)
        } else if isExpected(packet) {
            if candidate != nil { account.strays += 1 }
            candidate = nil
            insert(packet, at: now)
        } else {
            if candidate != nil { account.strays += 1 }
            candidate = (packet, now)
        }
        drain(now, &events)
        return events
    }

    /// Returns the packets that have waited long enough for a missing one.
    package mutating func poll(now: Int64) -> [ReceiverEvent] {
        var events: [ReceiverEvent] = []
        drain(now, &events)
        return events
    }

    /// Notes the arrival of a sender report, for the next report block.
    package mutating func note(_ report: RTCPPacket.SenderReport, at arrival: Int64) {
        statistics.note(report.time, at: arrival)
    }

    /// Returns the block for a receiver report about the time since the last one; nil before the first packet.
    package mutating func reportBlock(now: Int64) -> ReceptionBlock? {
        guard let source else { return nil }
        return statistics.block(source: source, now: now)
    }

    private func isExpected(_ packet: RTPPacket) -> Bool {
        guard packet.source == source, let reference = sequences.reference else { return false }
        let sequence = sequences.count(for: packet.sequence)
        guard sequence - reference <= Self.mostForward, sequence - reference >= -Self.mostBack else { return false }
        return !history.hasOther(sequence, timestamp: packet.timestamp)
    }

    /// Accepts a packet whose number is far from the expected one, after the next packet has confirmed it.
    private mutating func follow(_ packet: RTPPacket, at arrival: Int64, _ events: inout [ReceiverEvent]) {
        let isAhead = packet.source == source && sequences.count(for: packet.sequence) > sequences.reference ?? .max
        guard isAhead, isAfterOutage(packet, at: arrival) else { return begin(packet, at: arrival, &events) }
        insert(packet, at: arrival)
    }

    /// Returns true if an outage of the network explains a number that is far ahead: the RTP time is ahead too, and not
    /// by more than the time that has passed. Then the packets between are lost.
    private func isAfterOutage(_ packet: RTPPacket, at arrival: Int64) -> Bool {
        guard let latest else { return false }
        let ticks = Int64(Int32(bitPattern: packet.timestamp &- latest.timestamp))
        let advance = ticks * 1_000_000_000 / clockRate
        return advance >= Self.shortestOutage && advance - Self.mostBuffered <= arrival &- latest.arrival
    }

    private mutating func begin(_ packet: RTPPacket, at arrival: Int64, _ events: inout [ReceiverEvent]) {
        if source != nil { account.restarts += 1 }
        drain(.max, &events)
        buffer.restart()
        history.restart()
        sequences.reset()
        times.reset()
        source = packet.source
        statistics.begin()
        events.append(.began(source: packet.source))
        insert(packet, at: arrival)
    }

    private mutating func insert(_ packet: RTPPacket, at arrival: Int64) {
        let sequence = sequences.count(for: packet.sequence)
        statistics.record(sequence, timestamp: packet.timestamp, at: arrival)
        switch buffer.insert(ReorderBuffer.Entry(sequence: sequence, packet: packet, arrival: arrival)) {
        case .queued: break
        case .reordered: account.reordered += 1
        case .duplicate: account.duplicates += 1
        case .late: account.late += 1
        }
        guard sequence > sequences.reference ?? .min else { return }
        _ = sequences.unwrap(packet.sequence)
        latest = (packet.timestamp, arrival)
    }

    private mutating func drain(_ now: Int64, _ events: inout [ReceiverEvent]) {
        while let (entry, lost) = buffer.pop(now: now) {
            account.delivered += 1
            account.lost += lost
            history.add(entry.sequence, timestamp: entry.packet.timestamp)
            events.append(
                .packet(
                    ReceivedPacket(
                        entry.packet, sequence: entry.sequence, time: times.unwrap(entry.packet.timestamp),
                        arrival: entry.arrival, lostBefore: lost)))
        }
    }
}
