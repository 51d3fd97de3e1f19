/// Brings packets into the order of their sequence numbers. A pure value.
///
/// The buffer waits for a missing packet until `mostDelay` has passed or more than `mostPackets` are queued. Then the
/// packet counts as lost. With a delay of 0, as within a TCP connection, nothing waits.
struct ReorderBuffer: Sendable {
    struct Entry: Sendable {
        var sequence: Int64
        var packet: RTPPacket
        /// Nanoseconds of the monotonic clock.
        var arrival: Int64
    }

    enum Outcome: Sendable { case queued, reordered, duplicate, late }

    let mostPackets: Int
    /// Nanoseconds.
    let mostDelay: Int64
    /// The queued packets, in order.
    private var entries: [Entry] = []
    /// The sequence number of the next packet; nil before the first one.
    private var next: Int64?
    /// The latest gaps, to distinguish a late packet from a duplicate.
    private var gaps: [Range<Int64>] = []
    private static let mostGaps = 16

    init(mostPackets: Int, mostDelay: Int64) {
        self.mostPackets = max(1, mostPackets)
        self.mostDelay = max(0, mostDelay)
    }

    /// The time at which the first queued packet is passed on even if another one is missing; nil if none is queued.
    var deadline: Int64? { entries.first.map { $0.arrival &+ mostDelay } }

    mutating func insert(_ entry: Entry) -> Outcome {
        if let next, entry.sequence < next {
            guard let index = gaps.firstIndex(where: { $0.contains(entry.sequence) }) else { return .duplicate }
            // Another copy of this packet would be a duplicate.
            let gap = gaps.remove(at: index)
            for part in [gap.lowerBound..<entry.sequence, (entry.sequence + 1)..<gap.upperBound] where !part.isEmpty {
                gaps.append(part)
            }
            return .late
        }
        var place = entries.endIndex
        while place > 0, entries[place - 1].sequence > entry.sequence { place -= 1 }
        if place > 0, entries[place - 1].sequence == entry.sequence { return .duplicate }
        let isLast = place == entries.endIndex
        entries.insert(entry, at: place)
        return isLast ? .queued : .reordered
    }

    /// Returns the next packet, and the number of packets that count as lost before it; nil if the buffer still waits.
    mutating func pop(now: Int64) -> (entry: Entry, lost: Int64)? {
        guard let first = entries.first else { return nil }
        let missing = next.map { first.sequence - $0 } ?? 0
        guard missing == 0 || entries.count > mostPackets || now >= first.arrival &+ mostDelay else { return nil }
        if missing > 0 {
            gaps.append((first.sequence - missing)..<first.sequence)
            if gaps.count > Self.mostGaps { gaps.removeFirst() }
        }
        next = first.sequence + 1
        return (entries.removeFirst(), missing)
    }

    /// Forgets the order and all packets.
    mutating func restart() { (entries, next, gaps) = ([], nil, []) }
}
