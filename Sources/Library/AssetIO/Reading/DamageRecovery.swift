import MediaTypes

/// Follows a track through damage, and determines the missing time ranges.
///
/// A plain value that the track's reader owns. Every range begins with a missing sample. It ends with the next sample
/// that is returned, or at the end of the track. There are never more ranges than samples.
struct DamageRecovery {
    private let trackID: Int
    private let log: DamageLog
    /// The time range to read; only missing samples inside it are reported.
    var range = TimeRange(start: .zero, end: .positiveInfinity)

    private struct Gap {
        var start: MediaTime
        var end: MediaTime
        var reason: String
    }
    private var gap: Gap?

    init(trackID: Int, log: DamageLog) {
        self.trackID = trackID
        self.log = log
    }

    /// True while samples are missing.
    var isOpen: Bool { gap != nil }

    /// True if samples inside the range are missing, and none has been returned after them.
    var lacksEnd: Bool { gap.map { $0.start < range.end } ?? false }

    /// Returns true if a reader can continue after this error: damage, but not lack of memory or an unsupported format.
    static func isDamage(_ error: MediaError) -> Bool { error.code == .corruptData }

    /// Records a missing sample.
    ///
    /// - Parameter duration: its duration; nil if unknown.
    mutating func lose(at time: MediaTime, duration: MediaTime? = nil, reason: String = "") {
        guard time.isNumeric else { return }
        let end = time + (duration ?? .zero)
        gap = Gap(
            start: min(gap?.start ?? time, time), end: max(gap?.end ?? end, end),
            reason: gap?.reason ?? reason)
    }

    /// Ends the gap: the sample at this time was returned.
    mutating func recovered(at time: MediaTime) {
        guard let open = gap, time >= open.start else { return }
        close(open, at: time)
    }

    /// Records that no more samples come.
    ///
    /// - Parameter announced: the end of the track according to the file; nil if unknown.
    mutating func end(announced: MediaTime?) {
        guard let open = gap else { return }
        close(open, at: max(open.end, announced ?? open.end))
    }

    private mutating func close(_ open: Gap, at end: MediaTime) {
        gap = nil
        let start = max(open.start, range.start)
        guard start < range.end, end > start || open.start >= range.start else { return }
        log.add(
            DamagedTimeRange(
                trackID: trackID, timeRange: TimeRange(start: start, end: max(start, min(end, range.end))),
                reason: open.reason))
    }
}
