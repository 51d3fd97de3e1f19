import MediaTypes

/// Places the samples of one stream on the monotonic clock, in the order of their RTP times. A pure value.
///
/// Two samples are as far apart as their RTP times. A small error is removed slowly, so that neither frames nor audio
/// jitter. A sample that would be far too early is placed at its time at once. A frame that is shown before frames that
/// arrived earlier is placed between them, whatever error was removed there.
struct SampleTimeline: Sendable {
    /// The maximum change of the distance between two samples, as a fraction of that distance.
    private static let slew = 0.005
    /// The maximum change while the clock starts, when the first packets may have been delayed by seconds.
    private static let startSlew = 0.95
    /// The maximum change while the samples' times are later than the clock's by more than `mostError`.
    private static let largeSlew = 0.5
    /// The smallest error that is not removed slowly, in nanoseconds.
    private static let mostError: Int64 = 250_000_000
    /// A step of the RTP time forward by more than these seconds is a new beginning too, if the sample would otherwise
    /// be later than the clock's time by more than these seconds.
    private static let mostForward = 2.0

    /// The number of latest samples between which others may be placed.
    private static let mostPlaced = 16

    private let clockRate: Double
    /// The latest samples, each with a later RTP time and a later time than the one before.
    private var placed: [(ticks: Int64, time: Int64)] = []
    /// True if the next RTP time is not related to the placed ones.
    private var beginsAgain = false

    init(clockRate: Int) { self.clockRate = Double(max(1, clockRate)) }

    /// Returns the time for a sample. A later RTP time always has a later time.
    ///
    /// - Parameters:
    ///   - target: The time according to the camera's clock.
    ///   - isStarting: True while that clock may still be far off.
    mutating func place(_ ticks: Int64, target: Int64, isStarting: Bool) -> Int64 {
        guard let last = placed.last, !beginsAgain else {
            let time = placed.last.map { max(target, $0.time &+ 1) } ?? target
            placed.removeAll(keepingCapacity: true)
            placed.append((ticks, time))
            beginsAgain = false
            return time
        }
        let step = Double(ticks &- last.ticks) / clockRate
        let expected = last.time &+ Int64(clamping: step * 1e9)
        if step <= 0, step > -Double(FrameGaps.mostBack) { return between(ticks) }
        let error = target &- expected
        var time = target
        let isAhead = step > Self.mostForward && Double(error) < -Self.mostForward * 1e9
        if step > 0, error < Self.mostError, !isAhead {
            let slew = isStarting ? Self.startSlew : error < -Self.mostError ? Self.largeSlew : Self.slew
            let most = Int64(clamping: step * 1e9 * slew)
            time = expected &+ max(-most, min(most, error))
        }
        time = max(time, last.time &+ 1)
        if step <= 0 { placed.removeAll(keepingCapacity: true) }
        placed.append((ticks, time))
        if placed.count > Self.mostPlaced { placed.removeFirst() }
        return time
    }

    /// Returns the time for an RTP time that is not after the latest one.
    private func between(_ ticks: Int64) -> Int64 {
        guard let index = placed.firstIndex(where: { $0.ticks >= ticks }) else { return placed.last?.time ?? 0 }
        let later = placed[index]
        let distance = Double(later.ticks &- ticks)
        guard index > 0 else { return later.time &- Int64(clamping: distance / clockRate * 1e9) }
        let earlier = placed[index - 1]
        let part = distance / Double(later.ticks &- earlier.ticks)
        return later.time &- Int64(clamping: Double(later.time &- earlier.time) * part)
    }

    /// Forgets the RTP times; the next sample is still later than the last one.
    mutating func restart() { beginsAgain = true }
}
