public import MediaTypes
import RealTime

/// A stretch of a track that a reader left out, or whose times it mended, because the file is damaged there.
public struct DamagedTimeRange: Sendable, Hashable {
    /// As `AssetTrack.id`.
    public var trackID: Int
    /// From the first sample that is missing to the next one that was given, or to the end that the file announces. Empty
    /// where a file was cut short that does not say how long it was. Some samples inside may have been given: pictures are
    /// not stored in the order of showing them.
    public var timeRange: TimeRange
    /// What is wrong there, in words.
    public var reason: String
    /// Nothing is missing: only the times were wrong, and were put in order.
    public var isMended = false

    public init(trackID: Int, timeRange: TimeRange, reason: String, isMended: Bool = false) {
        self.isMended = isMended
        self.trackID = trackID
        self.timeRange = timeRange
        self.reason = reason
    }
}

/// What an output left out. Its source writes, anybody reads; any thread.
final class DamageLog: Sendable, Hashable {
    /// A file may be damaged in any number of places; what comes after so many is one stretch.
    private static let capacity = 1000

    private let state = Locked<[DamagedTimeRange]>([])

    /// Sorted by track and time; stretches that touch each other are one, also when they were read twice.
    var ranges: [DamagedTimeRange] {
        state.withLock { $0 }.sorted { ($0.trackID, $0.timeRange.start) < ($1.trackID, $1.timeRange.start) }
    }

    func add(_ damage: DamagedTimeRange) {
        state.withLock { list in
            let touching = list.firstIndex {
                $0.trackID == damage.trackID && $0.isMended == damage.isMended
                    && $0.timeRange.start <= damage.timeRange.end
                    && damage.timeRange.start <= $0.timeRange.end
            }
            let full =
                list.count >= Self.capacity
                ? list.lastIndex { $0.trackID == damage.trackID && $0.isMended == damage.isMended } : nil
            guard let index = touching ?? full else { return list.append(damage) }
            let old = list[index].timeRange
            list[index].timeRange = TimeRange(
                start: min(old.start, damage.timeRange.start), end: max(old.end, damage.timeRange.end))
        }
    }

    static func == (a: DamageLog, b: DamageLog) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
