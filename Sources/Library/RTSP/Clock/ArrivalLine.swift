import MediaTypes

/// The relation of one stream's RTP clock to the monotonic clock, from the arrival of its packets. A pure value.
///
/// A packet arrives later than its capture by at least the delay of the encoder and the network. The least delayed
/// packets determine the line, and the drift of the line is estimated (`DriftEstimator`). docs/design/decisions/rtsp.md
/// explains the numbers.
struct ArrivalLine: Sendable {
    /// The time after a start in which the line follows the least delayed packet at once, in nanoseconds.
    private static let startTime: Int64 = 3_000_000_000
    /// A packet that is earlier than the line by these seconds shows that the line is wrong: nothing arrives before its
    /// capture.
    private static let mostEarly = 0.25
    /// If a packet is later than the line by these seconds, it was delayed, or the RTP times jumped.
    private static let mostLate = 0.5
    /// The time in nanoseconds after which the RTP times have jumped, if all packets were late during that time.
    private static let lateTime: Int64 = 10_000_000_000
    /// If the RTP time and the arrival advance by amounts that differ by these seconds, the network is not the cause.
    private static let jump = 2.0

    private let clockRate: Double
    private var estimator = DriftEstimator(.network)
    private var originTicks: Int64 = 0
    private var originTime: Int64 = 0
    /// The arrival of the first packet; nil before it.
    private var startedAt: Int64?
    /// The least delay so far, relative to the first packet, in seconds.
    private var least = 0.0
    /// True while the line follows the least delayed packet at once.
    private(set) var isStarting = true
    private var last: (ticks: Int64, arrival: Int64)?
    private var lateSince: Int64?

    /// True if no conclusion may be drawn from the line: it has just begun, or packets are late, and the line may be
    /// wrong.
    var isUncertain: Bool { isStarting || lateSince != nil }

    init(clockRate: Int) { self.clockRate = Double(max(1, clockRate)) }

    /// The drift of the RTP clock against the monotonic clock, in ppm; positive if the RTP clock is fast. nil until the
    /// drift is known within 10 ppm.
    var driftPPM: Double? {
        estimator.rateDeviation <= 10e-6 ? (1 / (1 + estimator.rate) - 1) * 1e6 : nil
    }

    /// Returns the capture time for an RTP time; nil before the first packet. The result is too late by the least
    /// delay.
    func time(of ticks: Int64) -> Int64? {
        guard startedAt != nil else { return nil }
        let count = seconds(ticks &- originTicks)
        let offset = isStarting ? least : estimator.offset(at: count)
        return originTime &+ Int64(clamping: (count + offset) * 1e9)
    }

    /// Forgets the relation. The drift is a property of the camera, and is kept.
    mutating func restart() {
        startedAt = nil
        last = nil
    }

    /// Records the arrival of a packet.
    ///
    /// - Returns: The seconds by which the RTP times jumped; nil if they did not.
    mutating func record(_ ticks: Int64, at arrival: Int64) -> Double? {
        guard let startedAt, let last else {
            begin(ticks, at: arrival)
            return nil
        }
        self.last = (ticks, arrival)
        let count = seconds(ticks &- originTicks)
        let measured = Double(arrival - originTime) / 1e9 - count
        // Positive if the RTP time advanced more than the clock.
        let step = seconds(ticks &- last.ticks) - Double(arrival - last.arrival) / 1e9
        if isStarting {
            guard step.magnitude < Self.jump || isStall(step, ticks, last.ticks) else {
                begin(ticks, at: arrival)
                return step
            }
            least = min(least, measured)
            if arrival - startedAt >= Self.startTime { settle(ticks, count) }
            return nil
        }
        let error = measured - estimator.offset(at: count)
        if error < -Self.mostEarly {
            begin(ticks, at: arrival)
            // If the step is small, the RTP times did not jump: the earlier packets were delayed, and this one is not.
            return step > Self.mostEarly / 2 ? -error : nil
        }
        if error > Self.mostLate {
            let since = lateSince ?? arrival
            lateSince = since
            let isBack = seconds(ticks &- last.ticks) < -Self.jump
            guard isBack || arrival - since >= Self.lateTime else { return nil }
            begin(ticks, at: arrival)
            return -error
        }
        lateSince = nil
        estimator.record(measured, at: count)
        return nil
    }

    /// Returns true if the packets paused and their RTP times did not go back.
    private func isStall(_ step: Double, _ ticks: Int64, _ before: Int64) -> Bool { step < 0 && ticks >= before }

    private func seconds(_ ticks: Int64) -> Double { Double(ticks) / clockRate }

    private mutating func begin(_ ticks: Int64, at arrival: Int64) {
        (originTicks, originTime) = (ticks, arrival)
        (startedAt, last) = (arrival, (ticks, arrival))
        (least, isStarting, lateSince) = (0, true, nil)
    }

    /// Ends the start: from now on the estimator corrects the line.
    private mutating func settle(_ ticks: Int64, _ count: Double) {
        originTime = originTime &+ Int64(clamping: (count + least) * 1e9)
        originTicks = ticks
        isStarting = false
        estimator.beginRun()
    }
}
