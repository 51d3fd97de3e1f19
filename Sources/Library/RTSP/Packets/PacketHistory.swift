/// The RTP times of the latest packets of a stream. They distinguish a repeated packet from a packet of a stream that
/// begins again with the same numbers. A pure value.
struct PacketHistory: Sendable {
    /// The number of packets; a power of 2.
    static let count: Int64 = 512

    /// Each packet is at the remainder of its number.
    private var packets = Self.empty
    private static let empty = [(sequence: Int64, timestamp: UInt32)](repeating: (.min, 0), count: Int(count))

    mutating func add(_ sequence: Int64, timestamp: UInt32) { packets[place(sequence)] = (sequence, timestamp) }

    /// Returns true if another packet had this number.
    func hasOther(_ sequence: Int64, timestamp: UInt32) -> Bool {
        let known = packets[place(sequence)]
        return known.sequence == sequence && known.timestamp != timestamp
    }

    /// Forgets all packets.
    mutating func restart() { packets = Self.empty }

    private func place(_ sequence: Int64) -> Int { Int(sequence & (Self.count - 1)) }
}
