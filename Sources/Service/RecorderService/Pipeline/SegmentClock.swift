import CommandInterface
import Foundation
import MediaTypes
import RecorderStorage

/// Computes the length of a file from its start and the rules for splitting. A pure value.
struct SegmentClock: Sendable {
    let rules: SegmentRules
    /// Returns the seconds by which local time is ahead of UTC at a time.
    var offset: @Sendable (Date) -> Int = { LocalTime.offset(at: $0) }

    private static let day = 86_400.0

    /// Returns the length of a file that starts at this wall clock time; nil if its length is not limited.
    ///
    /// Aligned files end whenever the clock shows a multiple of their length since midnight, and at midnight. Thus each
    /// file belongs to one day. If clocks are set forward or back during a file, its length differs from the rule. A
    /// file that would be shorter than a second continues until the next such time.
    func length(from start: Date) -> MediaTime? {
        guard let duration = rules.duration else { return nil }
        guard rules.isAligned else { return duration }
        let begin = start.timeIntervalSince1970
        var end = nextEnd(after: begin, duration.seconds)
        if end - begin < 1 { end = nextEnd(after: begin + 1, duration.seconds) }
        return MediaTime(seconds: end - begin, timescale: 1_000_000)
    }

    /// Returns the next time at which a file of this length ends. Times are seconds since 1970.
    private func nextEnd(after time: Double, _ length: Double) -> Double {
        var begin = time
        var before = offset(at: begin)
        while true {
            let clock = begin + before
            let midnight = (clock / Self.day).rounded(.down) * Self.day
            let multiple = ((clock - midnight) / length).rounded(.down) * length + length
            let end = midnight + min(multiple, Self.day) - before
            let after = offset(at: end)
            guard after != before else { return end }
            // Clocks are changed by then. The file may end at the change; else the new clock determines its end.
            begin = change(from: before, between: begin, end)
            let shown = begin + after
            let isNextDay = (shown / Self.day).rounded(.down) > ((begin - 1 + before) / Self.day).rounded(.down)
            let rest = (shown - (shown / Self.day).rounded(.down) * Self.day).truncatingRemainder(dividingBy: length)
            if isNextDay || rest == 0 { return begin }
            before = after
        }
    }

    /// Returns the first full second with another offset.
    private func change(from offset: Double, between first: Double, _ last: Double) -> Double {
        var (low, high) = (first.rounded(.down), last.rounded(.up))
        while high - low > 1 {
            let middle = ((low + high) / 2).rounded(.down)
            if self.offset(at: middle) == offset { low = middle } else { high = middle }
        }
        return high
    }

    private func offset(at time: Double) -> Double { Double(offset(Date(timeIntervalSince1970: time))) }
}
