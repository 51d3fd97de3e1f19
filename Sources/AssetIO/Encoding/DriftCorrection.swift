/// Says how much longer or shorter sound is made, so that it stays where it was heard. A pure value; seconds, and parts of 1.
///
/// The estimated rate is followed as it is; what sound is off by meanwhile is made up for slowly. Nothing is done before
/// sound is off by more than a millisecond and the estimate's own uncertainty: a recording whose clocks agree stays as it
/// came, bit for bit. docs/decisions/drift.md argues the numbers.
struct DriftCorrection {
    /// Devices are this far off at most.
    static let greatestRate = 1000e-6
    /// So much on top, to make up for what sound is off by.
    static let greatestCatchUp = 500e-6
    /// What sound is off by is made up for in so many seconds, but for a rest of 1/e.
    static let catchUpTime = 10.0
    /// The greatest change in a second.
    static let greatestSlope = 200e-6
    /// Sound may be off by so much without a correction.
    static let leastError = 0.001
    /// How certain an estimate is before it is told.
    private static let tellableRate = 10e-6
    private static let tellableOffset = 0.001

    private let sampleRate: Double
    private var estimator = DriftEstimator()
    /// Where the stretch's count begins, after the anchor.
    private var stretchStart = 0.0
    /// Frames captured since then.
    private var captured: Int64 = 0
    private var isCorrecting = false
    /// By how much sound is made longer, as a part of it.
    private(set) var surplus = 0.0
    private var error = 0.0

    init(sampleRate: Int) { self.sampleRate = Double(sampleRate) }

    var clock: SoundClock {
        SoundClock(
            driftPPM: estimator.rateDeviation <= Self.tellableRate ? (1 / (1 + estimator.rate) - 1) * 1e6 : nil,
            syncOffset: estimator.offsetDeviation <= Self.tellableOffset ? -error : nil)
    }

    /// The sound jumps to a measured time, seconds after the anchor. How fast the clocks part is known from before.
    mutating func beginStretch(at time: Double) {
        estimator.beginStretch()
        stretchStart = time
        captured = 0
    }

    /// Takes a block and says what `surplus` it is to be written with.
    ///
    /// - Parameters:
    ///   - time: measured, of its first frame, seconds after the anchor; nil: unknown.
    ///   - position: where that frame comes to lie as things are, frames after the anchor.
    mutating func admit(_ time: Double?, frames: Int, position: Double) {
        let count = Double(captured) / sampleRate
        if let time { estimator.note(time - stretchStart - count, at: count) }
        error = stretchStart + count + estimator.offset(at: count) - position / sampleRate
        captured += Int64(frames)
        if error.magnitude > Self.leastError + 2 * estimator.offsetDeviation { isCorrecting = true }
        guard isCorrecting else { return }
        let catchUp = limited(error / Self.catchUpTime, to: Self.greatestCatchUp)
        let wanted = limited(estimator.rate, to: Self.greatestRate) + catchUp
        surplus += limited(wanted - surplus, to: Self.greatestSlope * Double(frames) / sampleRate)
    }

    private func limited(_ value: Double, to limit: Double) -> Double { min(max(value, -limit), limit) }
}
