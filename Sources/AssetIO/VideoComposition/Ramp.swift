import MediaTypes

/// A value that goes evenly from one to another over a stretch of time, and stays there until the next ramp begins.
struct Ramp<Value: Sendable & Hashable>: Sendable, Hashable {
    var start: Value
    var end: Value
    /// Without duration: the value is set at its start.
    var timeRange: TimeRange

    /// How far it has gone, 0 to 1.
    func fraction(at time: MediaTime) -> Double {
        guard time > timeRange.start else { return timeRange.isEmpty ? 1 : 0 }
        guard time < timeRange.end else { return 1 }
        return (time - timeRange.start).seconds / timeRange.duration.seconds
    }
}

extension Array {
    /// Puts a ramp in its place in time; one that begins at the same time goes.
    mutating func set<Value>(_ ramp: Ramp<Value>) where Element == Ramp<Value> {
        removeAll { $0.timeRange.start == ramp.timeRange.start }
        insert(ramp, at: firstIndex { $0.timeRange.start > ramp.timeRange.start } ?? endIndex)
    }

    /// The ramp that rules at a time: the last that has begun; nil before the first.
    func ruling<Value>(at time: MediaTime) -> Element? where Element == Ramp<Value> {
        last { $0.timeRange.start <= time }
    }

    /// Two that want different things at one time, or one that is nowhere in time.
    func timeFault<Value>() -> String? where Element == Ramp<Value> {
        for ramp in self {
            let range = ramp.timeRange
            guard range.start.isNumeric, range.duration.isNumeric, range.duration >= .zero else {
                return "a ramp's time range is no stretch of time"
            }
        }
        for (ramp, next) in zip(self, dropFirst()) where next.timeRange.start < ramp.timeRange.end {
            return "two ramps overlap at \(next.timeRange.start.words)"
        }
        return nil
    }
}
