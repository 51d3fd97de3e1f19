import MediaTypes

/// Decides how much longer or shorter audio is made, so that it stays at its measured time. A pure value. Times are in
/// seconds, rates are fractions of 1.
///
/// The correction is the estimated rate, plus a small rate that slowly removes the position error. Correction begins
/// only once the error exceeds a millisecond plus the estimate's own uncertainty. A recording whose clocks agree stays
/// unchanged, bit for bit. docs/design/decisions/drift.md gives the reasons for the numbers.
struct DriftCorrection {
    /// The maximum rate error of devices.
    static let greatestRate = 1000e-6
    /// The maximum additional rate that removes the position error.
    static let greatestCatchUp = 500e-6
    /// The time in seconds after which the position error has shrunk to 1/e.
    static let catchUpTime = 10.0
    /// The greatest change of the rate in a second.
    static let greatestSlope = 200e-6
    /// The position error that is accepted without a correction.
    static let leastError = 0.001
    /// The uncertainty below which an estimate is reported.
    private static let tellableRate = 10e-6
    private static let tellableOffset = 0.001

    private let sampleRate: Double
    private var estimator = DriftEstimator(.soundCard)
    /// The start of the current frame count, in seconds after the anchor.
    private var runStart = 0.0
    /// The number of audio frames captured since `runStart`.
    private var captured: Int64 = 0
    private var isCorrecting = false
    /// The relative amount by which audio is lengthened.
    private(set) var surplus = 0.0
    private var error = 0.0

    init(sampleRate: Int) { self.sampleRate = Double(sampleRate) }

    var clock: AudioClock {
        AudioClock(
            driftPPM: estimator.rateDeviation <= Self.tellableRate ? (1 / (1 + estimator.rate) - 1) * 1e6 : nil,
            syncOffset: estimator.offsetDeviation <= Self.tellableOffset ? -error : nil)
    }

    /// Starts a new frame count after a jump, at a measured time, in seconds after the anchor. The rate estimate is
    /// kept.
    mutating func beginRun(at time: Double) {
        estimator.beginRun()
        runStart = time
        captured = 0
    }

    /// Adds a block, and updates the `surplus` by which it is lengthened.
    ///
    /// - Parameters:
    ///   - time: the measured time of the block's first frame, in seconds after the anchor; nil if unknown.
    ///   - position: the current position of that frame, in frames after the anchor.
    mutating func admit(_ time: Double?, frames: Int, position: Double) {
        let count = Double(captured) / sampleRate
        if let time { estimator.record(time - runStart - count, at: count) }
        error = runStart + count + estimator.offset(at: count) - position / sampleRate
        captured += Int64(frames)
        if error.magnitude > Self.leastError + 2 * estimator.offsetDeviation { isCorrecting = true }
        guard isCorrecting else { return }
        let catchUp = limited(error / Self.catchUpTime, to: Self.greatestCatchUp)
        let wanted = limited(estimator.rate, to: Self.greatestRate) + catchUp
        surplus += limited(wanted - surplus, to: Self.greatestSlope * Double(frames) / sampleRate)
    }

    private func limited(_ value: Double, to limit: Double) -> Double { min(max(value, -limit), limit) }
}
