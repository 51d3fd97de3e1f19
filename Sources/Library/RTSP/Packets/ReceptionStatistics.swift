import MediaTypes

/// The numbers of a receiver report about one stream (RFC 3550, 6.4.1 and appendix A). A pure value.
struct ReceptionStatistics: Sendable {
    private let clockRate: Int
    private var first: Int64?
    private var highest: Int64 = 0
    private var received: Int64 = 0
    private var expectedBefore: Int64 = 0
    private var receivedBefore: Int64 = 0
    /// The mean deviation of arrivals, in ticks of the RTP clock.
    private var jitter = 0.0
    private var lastPacket: (arrival: Int64, timestamp: UInt32)?
    /// The middle bits of the latest sender report's time, and its arrival.
    private var lastReport: (middle: UInt32, arrival: Int64)?

    init(clockRate: Int) { self.clockRate = max(1, clockRate) }

    mutating func begin() { self = ReceptionStatistics(clockRate: clockRate) }

    mutating func record(_ sequence: Int64, timestamp: UInt32, at arrival: Int64) {
        received += 1
        highest = first == nil ? sequence : max(highest, sequence)
        first = min(first ?? sequence, sequence)
        if let last = lastPacket {
            let ticks = Double(Int32(bitPattern: timestamp &- last.timestamp))
            let difference = Double(arrival - last.arrival) / 1e9 * Double(clockRate) - ticks
            // Estimator of RFC 3550, A.8.
            jitter += (difference.magnitude - jitter) / 16
        }
        lastPacket = (arrival, timestamp)
    }

    /// Notes the arrival of a sender report.
    mutating func note(_ time: NTPTime, at arrival: Int64) { lastReport = (time.middle, arrival) }

    /// Returns the report block about the time since the last block.
    mutating func block(source: UInt32, now: Int64) -> ReceptionBlock {
        let expected = first.map { highest - $0 + 1 } ?? 0
        let expectedNow = expected - expectedBefore
        let lostNow = expectedNow - (received - receivedBefore)
        (expectedBefore, receivedBefore) = (expected, received)
        var block = ReceptionBlock(source: source)
        if expectedNow > 0, lostNow > 0 { block.fractionLost = UInt8(clamping: lostNow * 256 / expectedNow) }
        block.lost = Int32(max(-0x80_0000, min(0x7F_FFFF, expected - received)))
        block.highestSequence = UInt32(truncatingIfNeeded: highest)
        block.jitter = UInt32(clamping: jitter)
        if let lastReport {
            block.lastReport = lastReport.middle
            block.delay = UInt32(clamping: (Int128(now) - Int128(lastReport.arrival)) * 65_536 / 1_000_000_000)
        }
        return block
    }
}

/// A report block (RFC 3550, 6.4.1).
package struct ReceptionBlock: Sendable, Hashable {
    package var source: UInt32
    /// The fraction of lost packets since the last report, in 1/256.
    package var fractionLost: UInt8 = 0
    /// The number of lost packets in all, in 24 bits; negative with duplicates.
    package var lost: Int32 = 0
    package var highestSequence: UInt32 = 0
    package var jitter: UInt32 = 0
    /// The middle bits of the last sender report's time; 0 if there was none.
    package var lastReport: UInt32 = 0
    /// The time since that report, in 1/65536 s.
    package var delay: UInt32 = 0

    package init(source: UInt32) { self.source = source }
}
