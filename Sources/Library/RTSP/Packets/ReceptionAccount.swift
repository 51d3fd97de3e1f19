/// The ledger of one stream's packets, by their sequence numbers. A pure value.
///
/// From the first packet to the last one, `expected = delivered + lost`. All other packets are duplicates, arrived too
/// late, or do not belong to this stream.
package struct ReceptionAccount: Sendable, Hashable {
    /// Packets that were passed on, each once and in order.
    package internal(set) var delivered: Int64 = 0
    /// Packets that were missing when a later one was passed on.
    package internal(set) var lost: Int64 = 0
    package internal(set) var duplicates: Int64 = 0
    /// Packets that arrived after they had been counted as lost.
    package internal(set) var late: Int64 = 0
    /// Packets that arrived after a later one, but in time.
    package internal(set) var reordered: Int64 = 0
    /// Bytes that are not a packet, and packets with another payload type.
    package internal(set) var invalid: Int64 = 0
    /// Single packets of another source, or with a sequence number far from the expected one.
    package internal(set) var strays: Int64 = 0
    /// The number of times that the stream began again, with another source or other sequence numbers.
    package internal(set) var restarts: Int64 = 0

    package init() {}

    /// The number of packets that the camera sent, as far as the sequence numbers show.
    package var expected: Int64 { delivered + lost }
}
