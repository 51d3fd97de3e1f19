import MediaTypes

/// A value that changes linearly over a time range, and then stays constant until the next ramp begins.
struct Ramp<Value: Sendable & Hashable>: Sendable, Hashable {
    var start: Value
    var end: Value
    /// The time range; if its duration is zero, the value is set at its start.
    var timeRange: TimeRange

    /// Returns the completed part of the ramp, 0 to 1.
    func fraction(at time: MediaTime) -> Double {
        guard time > timeRange.start else { return timeRange.isEmpty ? 1 : 0 }
        guard time < timeRange.end else { return 1 }
        return (time - timeRange.start).seconds / timeRange.duration.seconds
    }
}

extension Array {
    /// Inserts a ramp by its start time. Replaces a ramp that begins at the same time.
    mutating func set<Value>(_ ramp: Ramp<Value>) where Element == Ramp<Value> {
        removeAll { $0.timeRange.start == ramp.timeRange.start }
        insert(ramp, at: firstIndex { $0.timeRange.start > ramp.timeRange.start } ?? endIndex)
    }

    /// Returns the ramp that applies at a time, which is the last one that has begun; nil before the first ramp.
    func ruling<Value>(at time: MediaTime) -> Element? where Element == Ramp<Value> {
        last { $0.timeRange.start <= time }
    }

    /// Returns the fault if two ramps overlap, or if one has an invalid time range; nil if there is none.
    func timeFault<Value>() -> String? where Element == Ramp<Value> {
        for ramp in self {
            let range = ramp.timeRange
            guard range.start.isNumeric, range.duration.isNumeric, range.duration >= .zero else {
                return "a ramp has an invalid time range"
            }
        }
        for (ramp, next) in zip(self, dropFirst()) where next.timeRange.start < ramp.timeRange.end {
            return "two ramps overlap at \(next.timeRange.start.words)"
        }
        return nil
    }
}
