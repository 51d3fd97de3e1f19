/// The delays of a camera's streams, computed from the RTP times with which they begin. The response to PLAY states
/// these times; they belong to the same instant in all streams (RFC 2326, 12.33). A pure value; times are seconds.
///
/// The delays are measured while the lines of arrival start, and are then kept, because a delay is a property of a
/// stream. They cannot be measured later: a camera may have a clock for each stream, and such clocks may drift apart.
struct StreamBeginnings: Sendable {
    /// The maximum credible difference between two delays. Real delays differ by the length of a packet of audio, at
    /// most 0.13 s, and by the time that an encoder needs.
    private static let mostLead = 0.25
    /// The maximum time between a beginning and the packets, in seconds. Some cameras send the first frame at the next
    /// keyframe.
    private static let mostDistance = 10.0

    private struct Stream: Sendable {
        let clockRate: Double
        /// The RTP time of the beginning, counted beyond 32 bits.
        var start: Int64?
        /// The time of arrival minus the time since the beginning.
        var delay: Double?
    }

    private var streams: [Stream]
    /// The seconds by which each stream has to be moved, at most 0, so that the delay of the fastest stream applies to
    /// all.
    private(set) var leads: [Double]
    /// True while the delays of several streams are being measured.
    private(set) var isMeasuring = false

    init(clockRates: [Int]) {
        streams = clockRates.map { Stream(clockRate: Double(max(1, $0))) }
        leads = clockRates.map { _ in 0 }
    }

    /// Records the beginning of a stream, unless it is far from the packets.
    ///
    /// - Parameter latest: The RTP time of the latest packet, counted beyond 32 bits.
    mutating func begin(at timestamp: UInt32, stream: Int, latest: Int64) {
        let distance = Int32(bitPattern: UInt32(truncatingIfNeeded: latest) &- timestamp)
        guard (Double(distance) / streams[stream].clockRate).magnitude <= Self.mostDistance else { return }
        streams[stream].start = latest &- Int64(distance)
        isMeasuring = streams.filter { $0.start != nil }.count > 1
    }

    /// Forgets the beginning of a stream, because the next RTP times are not related to it. The stream's lead is kept.
    mutating func forget(stream: Int) {
        (streams[stream].start, streams[stream].delay) = (nil, nil)
        isMeasuring = false
    }

    /// Records the time of arrival for an RTP time.
    mutating func measure(_ ticks: Int64, stream: Int, at time: Double) {
        guard let start = streams[stream].start else { return }
        streams[stream].delay = time - Double(ticks &- start) / streams[stream].clockRate
    }

    /// Computes the leads.
    ///
    /// - Parameter isFinal: True if the lines of arrival have started, so that the leads are kept.
    /// - Returns: The stream that would be moved furthest, and by how much, if the beginnings are finally not believed;
    ///   otherwise nil.
    mutating func update(isFinal: Bool) -> (stream: Int, seconds: Double)? {
        let delays = streams.compactMap(\.delay)
        guard isMeasuring, delays.count > 1, let least = delays.min(), let most = delays.max() else { return nil }
        let isBelieved = most - least <= Self.mostLead
        for index in streams.indices { leads[index] = isBelieved ? streams[index].delay.map { least - $0 } ?? 0 : 0 }
        guard isFinal else { return nil }
        isMeasuring = false
        let slowest = streams.firstIndex { $0.delay == most } ?? 0
        for index in streams.indices { (streams[index].start, streams[index].delay) = (nil, nil) }
        guard !isBelieved else { return nil }
        return (slowest, most - least)
    }
}
