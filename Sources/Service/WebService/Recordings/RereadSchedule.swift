/// Decides when the movie of a growing file is read again. A pure value; all times are nanoseconds of a monotonic
/// clock.
///
/// Pauses and marks are only in the movie itself. The longer the movie is, the longer it takes to read, so the schedule
/// also limits the share of the time that is spent on reading.
struct RereadSchedule: Sendable {
    /// The usual minimum time between two reads.
    static let usualInterval: Int64 = 5_000_000_000
    /// At most this part of the time is spent on reading: a fiftieth.
    private static let part: Int64 = 50

    private let interval: Int64
    private var due: Int64
    /// True if the file has grown since its movie was read.
    private var isOutdated = false

    /// Creates the schedule of a movie that was read at `now`.
    init(now: Int64, interval: Int64 = usualInterval) {
        self.interval = interval
        due = now + interval
    }

    /// Records that the file has grown.
    mutating func grow() { isOutdated = true }

    func isDue(_ now: Int64) -> Bool { isOutdated && now >= due }

    /// Records that the movie was read.
    mutating func read(from begin: Int64, to end: Int64) {
        isOutdated = false
        due = end + max(interval, (end - begin) * Self.part)
    }
}
