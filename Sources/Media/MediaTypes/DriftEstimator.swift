/// Estimates the offset between a device's own time and the monotonic clock, and the rate at which the offset changes,
/// from arrival times with jitter. A pure value; the unit is seconds.
///
/// The estimator works in two steps. First, it represents all arrivals of a window by one value, which removes the
/// jitter of single arrivals. For a microphone this value is the median, which tolerates some very late blocks. For a
/// network it is the least delayed arrival. Second, a Kalman filter with two states, offset and rate, weighs these
/// values. At first each value has a large weight; later the filter averages over minutes.
/// docs/design/decisions/drift.md explains the numbers for a microphone, docs/design/decisions/rtsp.md the numbers for
/// a network.
package struct DriftEstimator: Sendable {
    /// The properties of the arrival times.
    package struct Tuning: Sendable {
        /// The value that represents a window.
        package enum Choice: Sendable { case median, minimum }

        /// The time over which arrivals are collected.
        package var window: Double
        package var choice: Choice
        /// The usual error of the chosen value.
        package var deviation: Double
        /// The maximum errors of an early and of a late value, in standard deviations. A larger error is reduced to the
        /// maximum, because the value is probably wrong.
        package var earlyClip: Double
        package var lateClip: Double
        /// The number of consecutive values beyond the maximum error, all early or all late, after which a step of the
        /// offset is assumed.
        package var earlySteps: Int
        package var lateSteps: Int

        /// For blocks of audio, which are early or late by about a millisecond. Lost or doubled audio is a step.
        package static let soundCard = Tuning(
            window: 1, choice: .median, deviation: 0.001, earlyClip: 5, lateClip: 5, earlySteps: 5, lateSteps: 5)
        /// For packets of a network, which may be late by any time but are never early. Congestion for minutes is not a
        /// step.
        package static let network = Tuning(
            window: 2, choice: .minimum, deviation: 0.005, earlyClip: 5, lateClip: 1, earlySteps: 3, lateSteps: 150)
    }

    /// The expected rate error before the first measurement: 300 ppm. Crystals usually keep within 100 ppm.
    private static let unknownRate = 300e-6
    /// The expected error of the first block after a start.
    private static let unknownOffset = 0.02
    /// The random change of the rate in one second.
    private static let wander = 0.05e-6

    private let tuning: Tuning
    /// The measured time minus the counted time, at `moment`.
    private var offset = 0.0
    /// The rate in seconds per second: positive for a slow device.
    package private(set) var rate = 0.0
    /// The time by the frame count, in seconds since counting began.
    private var moment = 0.0
    private var offsetVariance = Self.unknownOffset * Self.unknownOffset
    private var covariance = 0.0
    private var rateVariance = Self.unknownRate * Self.unknownRate

    private var gathered: [Double] = []
    private var gatheredMoments = 0.0
    private var windowStart: Double?
    /// The number of consecutive values whose error exceeded the limit; negative if the values were early.
    private var clippedInARow = 0

    package init(_ tuning: Tuning) { self.tuning = tuning }

    /// Returns the measured minus the counted time at a counted time.
    package func offset(at count: Double) -> Double { offset + rate * (count - moment) }

    /// The standard deviation of `offset`, provided that the values deviate by no more than the tuning says.
    package var offsetDeviation: Double { offsetVariance.squareRoot() }
    package var rateDeviation: Double { rateVariance.squareRoot() }

    /// Adds an arrival: the difference between its measured and its counted time, and the counted time.
    package mutating func record(_ offset: Double, at count: Double) {
        if let start = windowStart, count - start >= tuning.window { closeWindow() }
        if windowStart == nil { windowStart = count }
        switch tuning.choice {
        case .median:
            gathered.append(offset)
            gatheredMoments += count
        case .minimum:
            // The rate is subtracted. With a fast clock, the end of each window would otherwise seem the least delayed.
            let isLeast = gathered.first.map { offset - rate * count < $0 - rate * gatheredMoments } ?? true
            guard isLeast else { return }
            gathered.removeAll(keepingCapacity: true)
            gathered.append(offset)
            gatheredMoments = count
        }
    }

    /// Starts a new count at 0 with an unknown offset. The rate is a property of the device and is kept.
    package mutating func beginRun() {
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
        let value = (gathered[(gathered.count - 1) / 2] + gathered[gathered.count / 2]) / 2
        let count = gatheredMoments / Double(gathered.count)
        forgetWindow()
        predict(to: count)
        correct(by: value - offset)
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
        let total = offsetVariance + tuning.deviation * tuning.deviation
        let limit = (innovation < 0 ? tuning.earlyClip : tuning.lateClip) * total.squareRoot()
        guard innovation.magnitude <= limit else { return clip(innovation, at: limit) }
        clippedInARow = 0
        apply(innovation, total)
    }

    private mutating func clip(_ innovation: Double, at limit: Double) {
        let side = innovation < 0 ? -1 : 1
        clippedInARow = clippedInARow.signum() == side ? clippedInARow + side : side
        guard clippedInARow.magnitude >= (side < 0 ? tuning.earlySteps : tuning.lateSteps) else {
            return apply(limit * Double(side), offsetVariance + tuning.deviation * tuning.deviation)
        }
        clippedInARow = 0
        // Accepts the step, however large it is. A step beyond the tolerance for gaps is never recorded here.
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
