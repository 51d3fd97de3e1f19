import MediaTypes

/// The values of a property over time, in order. An element is either a value that applies from a time on, or a ramp
/// from one value to another.
struct RampList<Value: Sendable>: Sendable {
    struct Ramp: Sendable {
        var start: Value
        var end: Value
        /// The time range; if it is empty, the value applies from the range's start on.
        var range: CMTimeRange
    }

    private(set) var ramps: [Ramp] = []

    /// Adds a ramp, or replaces the ramp that begins at the same time.
    mutating func set(from start: Value, to end: Value, in range: CMTimeRange) {
        ramps.removeAll { $0.range.start == range.start }
        let place = ramps.firstIndex { $0.range.start > range.start } ?? ramps.endIndex
        ramps.insert(Ramp(start: start, end: end, range: range), at: place)
    }

    mutating func set(_ value: Value, at time: CMTime) {
        set(from: value, to: value, in: CMTimeRange(start: time, duration: .zero))
    }

    /// Returns the ramp at a time, or the time range in which the value is constant. Returns nil if no value was set,
    /// and after the end of the last ramp.
    ///
    /// - Parameter initial: the value before the first ramp.
    func ramp(at time: CMTime, initial: Value) -> Ramp? {
        guard time.isNumeric, let first = ramps.first else { return nil }
        guard let index = ramps.lastIndex(where: { $0.range.start <= time }) else {
            return Ramp(start: initial, end: initial, range: CMTimeRange(start: .zero, end: first.range.start))
        }
        let ramp = ramps[index]
        if time < ramp.range.end { return ramp }
        let next = index + 1 < ramps.count ? ramps[index + 1].range.start : CMTime.positiveInfinity
        // A single value applies forever, but a ramp only until its end.
        guard next.isNumeric || ramp.range.isEmpty else { return nil }
        return Ramp(
            start: ramp.end, end: ramp.end,
            range: CMTimeRange(
                start: ramp.range.end, duration: next.isNumeric ? next - ramp.range.end : .positiveInfinity))
    }
}
