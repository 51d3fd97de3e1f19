/// How far a sound device's count of frames is from the monotonic clock, and how fast the two part, from block times that
/// jitter. A pure value; seconds.
///
/// In two steps. The median of each second of block times takes out the jitter of single blocks, also where some are late
/// by far. Then a Kalman filter of two states, offset and rate, weighs the medians: at first each counts for much, later
/// the filter looks back over some 140 s. docs/decisions/drift.md argues the numbers.
struct DriftEstimator {
    /// Block times are gathered for so long.
    static let window = 1.0
    /// How far a median is off, usually.
    static let deviation = 0.001
    /// How far a rate may be from zero, before anything is known: crystals keep within 100 ppm, sound cards nearly always.
    static let unknownRate = 300e-6
    /// How far the first block of a stretch may be off.
    static let unknownOffset = 0.02
    /// How fast a rate wanders: in a second by so much, in a random direction.
    static let wander = 0.05e-6
    /// So many of its own deviations, and a median is taken to be wrong and counts for no more.
    private static let clip = 5.0
    /// So many such medians in a row on the same side, and they are right: sound was lost or doubled.
    private static let stepCount = 5

    /// Measured minus counted time at `moment`.
    private var offset = 0.0
    /// Seconds per second: positive for a device that is slow.
    private(set) var rate = 0.0
    /// Of the count: seconds since the stretch began.
    private var moment = 0.0
    private var offsetVariance = Self.unknownOffset * Self.unknownOffset
    private var covariance = 0.0
    private var rateVariance = Self.unknownRate * Self.unknownRate

    private var gathered: [Double] = []
    private var gatheredMoments = 0.0
    private var windowStart: Double?
    /// How many medians in a row were clipped, negative when they lay below.
    private var clippedInARow = 0

    /// Measured minus counted time at a moment of the count.
    func offset(at count: Double) -> Double { offset + rate * (count - moment) }

    /// One standard deviation, where medians are off by no more than `deviation`.
    var offsetDeviation: Double { offsetVariance.squareRoot() }
    var rateDeviation: Double { rateVariance.squareRoot() }

    /// Takes a block: its measured time less the counted one, and that.
    mutating func note(_ offset: Double, at count: Double) {
        if let start = windowStart, count - start >= Self.window { closeWindow() }
        if windowStart == nil { windowStart = count }
        gathered.append(offset)
        gatheredMoments += count
    }

    /// A new stretch of sound: its count begins at 0 and nothing is known of its offset. The rate is the device's.
    mutating func beginStretch() {
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

    /// The state of a later moment: a rate that wanders at random makes both less certain.
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
        // However large the step is, it is believed: beyond the tolerance for gaps it would not have come here.
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
