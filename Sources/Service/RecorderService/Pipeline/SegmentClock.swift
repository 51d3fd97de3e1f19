import CommandInterface
import Foundation
import MediaTypes
import RecorderStorage

/// Computes the length of a file from its start and the rules for splitting. A pure value.
struct SegmentClock: Sendable {
    let rules: SegmentRules
    /// Returns the day of a time: from its midnight to the next one.
    var day: @Sendable (Date) -> DateInterval = { LocalTime.day(of: $0) }

    /// Returns the length of a file that starts at this wall clock time; nil if its length is not limited.
    ///
    /// Aligned files end whenever the time since midnight is a multiple of their length, and at midnight. Thus each
    /// file belongs to one day. A file that would be shorter than a second continues until the next such time.
    func length(from start: Date) -> MediaTime? {
        guard let duration = rules.duration else { return nil }
        guard rules.isAligned else { return duration }
        let day = self.day(start)
        let length = duration.seconds
        let since = start.timeIntervalSince(day.start)
        var end = (since / length).rounded(.down) * length + length
        if end - since < 1 { end += length }
        if since < day.duration, day.duration - since >= 1 { end = min(end, day.duration) }
        return MediaTime(seconds: end - since, timescale: 1_000_000)
    }
}
