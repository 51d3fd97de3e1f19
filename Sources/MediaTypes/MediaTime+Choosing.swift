import RealTime

/// Which of several times, and what time it is.
extension MediaTime {
    /// As `CMTimeMinimum`: what is `invalid` counts for later than everything, other than in `<`, so that of two the one that
    /// says something is given.
    public static func minimum(_ a: MediaTime, _ b: MediaTime) -> MediaTime {
        guard a.isValid, b.isValid else { return a.isValid ? a : b }
        return b < a ? b : a
    }

    /// As `CMTimeMaximum`: what is `invalid` counts for later than everything, other than in `<`.
    public static func maximum(_ a: MediaTime, _ b: MediaTime) -> MediaTime {
        guard a.isValid, b.isValid else { return .invalid }
        return a < b ? b : a
    }

    /// The time by the machine's monotonic clock, in nanoseconds: that of cameras' and microphones' samples, and what
    /// `CMClock`'s host time clock tells. Stands still while the machine sleeps. Never waits.
    public static var hostTime: MediaTime { MediaTime(nanoseconds: MonotonicClock().nanoseconds) }
}
