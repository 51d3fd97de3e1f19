import MediaTypes

/// What was set over time, in its order: values that hold from a moment on, and ramps from one value to another.
struct RampList<Value: Sendable>: Sendable {
    struct Ramp: Sendable {
        var start: Value
        var end: Value
        /// Without duration: the value holds from its start on.
        var range: CMTimeRange
    }

    private(set) var ramps: [Ramp] = []

    /// One that begins at the same time goes.
    mutating func set(from start: Value, to end: Value, in range: CMTimeRange) {
        ramps.removeAll { $0.range.start == range.start }
        let place = ramps.firstIndex { $0.range.start > range.start } ?? ramps.endIndex
        ramps.insert(Ramp(start: start, end: end, range: range), at: place)
    }

    mutating func set(_ value: Value, at time: CMTime) {
        set(from: value, to: value, in: CMTimeRange(start: time, duration: .zero))
    }

    /// What holds around a time: a ramp, or a stretch on which nothing changes. nil where nothing was set, and behind the end of
    /// the last ramp.
    ///
    /// - Parameter initial: what holds before the first was set.
    func ramp(at time: CMTime, initial: Value) -> Ramp? {
        guard time.isNumeric, let first = ramps.first else { return nil }
        guard let index = ramps.lastIndex(where: { $0.range.start <= time }) else {
            return Ramp(start: initial, end: initial, range: CMTimeRange(start: .zero, end: first.range.start))
        }
        let ramp = ramps[index]
        if time < ramp.range.end { return ramp }
        let next = index + 1 < ramps.count ? ramps[index + 1].range.start : CMTime.positiveInfinity
        // A value that was set holds for ever; a ramp is over when it is over.
        guard next.isNumeric || ramp.range.isEmpty else { return nil }
        return Ramp(
            start: ramp.end, end: ramp.end,
            range: CMTimeRange(
                start: ramp.range.end, duration: next.isNumeric ? next - ramp.range.end : .positiveInfinity))
    }
}
