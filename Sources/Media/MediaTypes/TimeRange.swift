/// A time range that begins at `start` and lasts for `duration`. Its end is not included.
public struct TimeRange: Sendable, Hashable, Codable {
    public var start: MediaTime
    public var duration: MediaTime

    public init(start: MediaTime, duration: MediaTime) {
        self.start = start
        self.duration = duration
    }

    public init(start: MediaTime, end: MediaTime) { self.init(start: start, duration: end - start) }

    public var end: MediaTime { start + duration }
    public var isEmpty: Bool { duration <= .zero }

    public func contains(_ time: MediaTime) -> Bool { start <= time && time < end }

    /// The overlap of both ranges; empty if they do not meet.
    public func intersection(_ other: TimeRange) -> TimeRange {
        let first = max(start, other.start)
        let last = min(end, other.end)
        return TimeRange(start: first, duration: last > first ? last - first : .zero)
    }
}
