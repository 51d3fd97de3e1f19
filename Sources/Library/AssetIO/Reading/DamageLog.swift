public import MediaTypes
import RealTime

/// A time range of a track where the file is damaged: a reader left out samples, or corrected their times.
public struct DamagedTimeRange: Sendable, Hashable {
    /// The id of the track, as in `AssetTrack.id`.
    public var trackID: Int
    /// The time from the first missing sample to the next one that was returned, or to the end that the file announces.
    /// The range is empty if a truncated file does not state its length. Some samples inside the range may have been
    /// returned, because frames are not stored in presentation order.
    public var timeRange: TimeRange
    /// A description of the damage.
    public var reason: String
    /// True if no sample is missing: only times were wrong, and were corrected.
    public var isMended = false

    public init(trackID: Int, timeRange: TimeRange, reason: String, isMended: Bool = false) {
        self.isMended = isMended
        self.trackID = trackID
        self.timeRange = timeRange
        self.reason = reason
    }
}

/// The damage that an output left out. Its source writes the log, and any thread may read it.
final class DamageLog: Sendable, Hashable {
    /// The maximum number of entries. A file may have any number of damaged places. Beyond the limit, further places
    /// extend the last entry.
    private static let capacity = 1000

    private let state = Locked<[DamagedTimeRange]>([])

    /// The ranges, sorted by track and time. Ranges that touch each other are merged, even if they were read twice.
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
