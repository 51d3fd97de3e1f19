/// Decides when probes are sent, and how long answers are collected. A pure value; times are in nanoseconds.
package struct ProbeSchedule: Sendable, Hashable {
    /// The time between the two sendings of a probe. The probe is sent twice, because a datagram may be lost
    /// (SOAP-over-UDP 1.1, 4.1).
    package static let repetition: Int64 = 300_000_000

    private let start: Int64
    private let end: Int64
    private var sent = 0

    package init(start: Int64, duration: Int64) { (self.start, self.end) = (start, start + max(0, duration)) }

    /// The time of the next sending, or the end.
    package var deadline: Int64 { sent == 0 ? start : sent == 1 ? min(start + Self.repetition, end) : end }

    package func isOver(at now: Int64) -> Bool { now >= end }

    /// Returns true if a probe must be sent now, and counts it as sent.
    package mutating func isDue(at now: Int64) -> Bool {
        guard sent < 2, now >= deadline, !isOver(at: now) else { return false }
        sent += 1
        return true
    }
}
