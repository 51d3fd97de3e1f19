/// Estimates the offset between an audio device's frame count and the monotonic clock, and the rate of its change, from
/// block times with jitter. A pure value; the unit is seconds.
///
/// It works in two steps. The median of each second of block times removes the jitter of single blocks, even if some
/// are very late. Then a Kalman filter of two states, offset and rate, weighs the medians. At first each one counts for
/// much; later the filter looks back over some 140 s. docs/design/decisions/drift.md argues the numbers.
struct DriftEstimator {
    /// The time over which block times are collected.
    static let window = 1.0
    /// The usual error of a median.
    static let deviation = 0.001
    /// The expected rate error before anything is known: crystals keep within 100 ppm, sound cards nearly always.
    static let unknownRate = 300e-6
    /// The expected error of the first block after a start.
    static let unknownOffset = 0.02
    /// The random change of the rate in one second.
    static let wander = 0.05e-6
    /// The maximum error of a median, in standard deviations. A larger error is limited to this one, because the median
    /// is probably wrong.
    private static let clip = 5.0
    /// The number of consecutive limited medians with errors of one sign that proves a step: audio was lost or doubled.
    private static let stepCount = 5

    /// The measured time minus the counted time, at `moment`.
    private var offset = 0.0
    /// The rate in seconds per second: positive for a slow device.
    private(set) var rate = 0.0
    /// The time by the frame count, in seconds since counting began.
    private var moment = 0.0
    private var offsetVariance = Self.unknownOffset * Self.unknownOffset
    private var covariance = 0.0
    private var rateVariance = Self.unknownRate * Self.unknownRate

    private var gathered: [Double] = []
    private var gatheredMoments = 0.0
    private var windowStart: Double?
    /// The number of consecutive medians whose error was limited; negative if they were too small.
    private var clippedInARow = 0

    /// Returns the measured minus the counted time at a counted time.
    func offset(at count: Double) -> Double { offset + rate * (count - moment) }

    /// The standard deviation of `offset`, provided that medians deviate by no more than `deviation`.
    var offsetDeviation: Double { offsetVariance.squareRoot() }
    var rateDeviation: Double { rateVariance.squareRoot() }

    /// Adds a block: its measured minus its counted time, and the counted time.
    mutating func record(_ offset: Double, at count: Double) {
        if let start = windowStart, count - start >= Self.window { closeWindow() }
        if windowStart == nil { windowStart = count }
        gathered.append(offset)
        gatheredMoments += count
    }

    /// Starts a new count at 0 with an unknown offset. The rate is the device's, and is kept.
    mutating func beginRun() {
        offset = 0
        moment = 0
        clippedInARow = 0
        forgetWindow()
        forgetOffset()
    }

    private mutating func forgetOffset() {
        offsetVariance = Self.unknownOffset * Self.unknownOffset
        covariance = 0
    }

    private mutating func forgetWindow() {
        gathered.removeAll(keepingCapacity: true)
        gatheredMoments = 0
        windowStart = nil
    }

    private mutating func closeWindow() {
        guard !gathered.isEmpty else { return }
        gathered.sort()
        let median = (gathered[(gathered.count - 1) / 2] + gathered[gathered.count / 2]) / 2
        let count = gatheredMoments / Double(gathered.count)
        forgetWindow()
        predict(to: count)
        correct(by: median - offset)
    }

    /// Predicts the state at a later time. A rate that changes at random makes both states less certain.
    private mutating func predict(to count: Double) {
        let span = max(0, count - moment)
        let noise = Self.wander * Self.wander
        offset += rate * span
        moment = count
        offsetVariance += span * (2 * covariance + span * (rateVariance + noise * span / 3))
        covariance += span * (rateVariance + noise * span / 2)
        rateVariance += noise * span
    }

    private mutating func correct(by innovation: Double) {
        let total = offsetVariance + Self.deviation * Self.deviation
        let limit = Self.clip * total.squareRoot()
        guard innovation.magnitude <= limit else { return clip(innovation, at: limit) }
        clippedInARow = 0
        apply(innovation, total)
    }

    private mutating func clip(_ innovation: Double, at limit: Double) {
        let side = innovation < 0 ? -1 : 1
        clippedInARow = clippedInARow.signum() == side ? clippedInARow + side : side
        guard clippedInARow.magnitude >= Self.stepCount else {
            return apply(limit * Double(side), offsetVariance + Self.deviation * Self.deviation)
        }
        clippedInARow = 0
        // The step is believed, however large it is: a step beyond the tolerance for gaps never gets here.
        forgetOffset()
        offset += innovation
    }

    private mutating func apply(_ innovation: Double, _ total: Double) {
        let offsetGain = offsetVariance / total
        let rateGain = covariance / total
        offset += offsetGain * innovation
        rate += rateGain * innovation
        rateVariance -= rateGain * covariance
        covariance *= 1 - offsetGain
        offsetVariance *= 1 - offsetGain
    }
}
