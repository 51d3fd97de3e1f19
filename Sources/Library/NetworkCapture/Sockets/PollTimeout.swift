/// The time limit of poll(2).
enum PollTimeout {
    /// Returns the milliseconds from one time to another, rounded up so that the deadline has passed afterwards.
    ///
    /// - Parameters:
    ///   - deadline: A time in nanoseconds.
    ///   - now: The present time of the same clock.
    static func milliseconds(until deadline: Int64, now: Int64) -> Int32 {
        guard deadline > now else { return 0 }
        let (left, isTooLong) = deadline.subtractingReportingOverflow(now)
        guard !isTooLong else { return .max }
        return Int32(clamping: left / 1_000_000 + (left % 1_000_000 > 0 ? 1 : 0))
    }
}
