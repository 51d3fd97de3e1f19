import MediaTypes

/// Follows a track through damage: which stretch is missing right now, and when it is over.
///
/// A plain value of whoever reads the track. Every stretch is opened by a sample that is not there, and closed by the next
/// one that is given or by the end; so there are never more of them than samples.
struct DamageRecovery {
    private let trackID: Int
    private let log: DamageLog
    /// What is read: only what is missing inside is told.
    var range = TimeRange(start: .zero, end: .positiveInfinity)

    private struct Stretch {
        var start: MediaTime
        var end: MediaTime
        var reason: String
    }
    private var stretch: Stretch?

    init(trackID: Int, log: DamageLog) {
        self.trackID = trackID
        self.log = log
    }

    /// Samples are missing.
    var isOpen: Bool { stretch != nil }

    /// Whether a reader can go on after this error: not when it is about memory, a codec or a pixel format.
    static func isDamage(_ error: MediaError) -> Bool { error.code == .corruptData }

    /// A sample is missing, or a further one.
    ///
    /// - Parameter duration: nil where nobody knows.
    mutating func lose(at time: MediaTime, duration: MediaTime? = nil, reason: String = "") {
        guard time.isNumeric else { return }
        let end = time + (duration ?? .zero)
        stretch = Stretch(
            start: min(stretch?.start ?? time, time), end: max(stretch?.end ?? end, end),
            reason: stretch?.reason ?? reason)
    }

    /// A sample is given again.
    mutating func resume(at time: MediaTime) {
        guard let open = stretch, time >= open.start else { return }
        close(open, at: time)
    }

    /// No more samples come.
    ///
    /// - Parameter announced: where the file says that the track ends; nil when it does not say.
    mutating func end(announced: MediaTime?) {
        guard let open = stretch else { return }
        close(open, at: max(open.end, announced ?? open.end))
    }

    private mutating func close(_ open: Stretch, at end: MediaTime) {
        stretch = nil
        let start = max(open.start, range.start)
        guard start < range.end, end > start || open.start >= range.start else { return }
        log.add(
            DamagedTimeRange(
                trackID: trackID, timeRange: TimeRange(start: start, end: max(start, min(end, range.end))),
                reason: open.reason))
    }
}
