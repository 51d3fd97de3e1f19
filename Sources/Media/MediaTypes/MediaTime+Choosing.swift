import RealTime

/// Choosing between two times, and the current time.
extension MediaTime {
    /// The earlier of two times, like `CMTimeMinimum`. Unlike in `<`, `invalid` counts as later than everything, so the
    /// result is valid if at least one of the two times is valid.
    public static func minimum(_ a: MediaTime, _ b: MediaTime) -> MediaTime {
        guard a.isValid, b.isValid else { return a.isValid ? a : b }
        return b < a ? b : a
    }

    /// The later of two times, like `CMTimeMaximum`. Unlike in `<`, `invalid` counts as later than everything.
    public static func maximum(_ a: MediaTime, _ b: MediaTime) -> MediaTime {
        guard a.isValid, b.isValid else { return .invalid }
        return a < b ? b : a
    }

    /// The time of the machine's monotonic clock, in nanoseconds. Samples of cameras and microphones have times of this
    /// clock, and `CMClock`'s host time clock reports it. The clock stops while the machine sleeps. Never blocks.
    public static var hostTime: MediaTime { MediaTime(nanoseconds: MonotonicClock().nanoseconds) }
}
