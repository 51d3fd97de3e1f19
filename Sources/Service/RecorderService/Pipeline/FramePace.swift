import MediaTypes

/// Selects the frames of a stream with a lower frame rate than the camera's. A pure value.
///
/// A frame is taken up to a tenth of the interval before it is due, because cameras are not exact. A late frame does
/// not delay the next one, and a gap is not filled.
struct FramePace {
    /// The time from one frame to the next, in nanoseconds.
    private let interval: Int64
    private var due: Int64?

    init(_ rate: FrameRate) { interval = rate.interval.nanoseconds }

    /// Returns true if the stream contains the frame with this timestamp.
    mutating func takes(_ time: MediaTime) -> Bool {
        let now = time.nanoseconds
        // The frames may come from another device now, whose clock may be far behind.
        guard let due, due - now <= 2 * interval else {
            due = now + interval
            return true
        }
        guard now >= due - interval / 10 else { return false }
        self.due = now - due >= interval ? now + interval : due + interval
        return true
    }

    /// Takes the next frame, whatever its time.
    mutating func restart() { due = nil }
}
