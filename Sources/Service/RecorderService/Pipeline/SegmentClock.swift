import Foundation
import MediaTypes
import RecorderStorage

/// Computes the end of a file by the clock. A pure function of its start.
struct SegmentClock: Sendable {
    let rules: SegmentRules
    var calendar = Calendar.current

    /// Returns the length of a file that starts at this wall clock time; nil if the clock does not limit it.
    ///
    /// Aligned files end at multiples of their length after midnight, and at midnight: thus each file belongs to one
    /// day. A first file of less than a second is joined to the next.
    func length(from start: Date) -> MediaTime? {
        guard let duration = rules.duration else { return nil }
        guard rules.isAligned else { return duration }
        let midnight = calendar.startOfDay(for: start)
        let length = duration.seconds
        let since = start.timeIntervalSince(midnight)
        var end = (since / length).rounded(.down) * length + length
        if end - since < 1 { end += length }
        if let tomorrow = calendar.date(byAdding: .day, value: 1, to: midnight) {
            let day = tomorrow.timeIntervalSince(midnight)
            if since < day, day - since >= 1 { end = min(end, day) }
        }
        return MediaTime(seconds: end - since, timescale: 1_000_000)
    }
}
