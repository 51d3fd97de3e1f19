/// Limits the messages of a helper. Without a limit, a helper that sends without pause would keep the recorder's thread
/// busy. A plain value; times are nanoseconds of the monotonic clock.
///
/// The limits are 1,000 messages a second, and 512 at once. That exceeds the frame rate of any camera, and the largest
/// list of controls that is expected.
struct MessageBudget: Sendable {
    static let interval: Int64 = 1_000_000
    static let burst: Int64 = 512

    /// The time by which all accepted messages would have arrived if they came exactly at the limit's rate.
    private var paid: Int64

    init(start: Int64) { paid = start }

    /// Records one message.
    ///
    /// - Returns: false if there were too many.
    mutating func accept(at now: Int64) -> Bool {
        paid = max(paid, now) + Self.interval
        return paid - now <= Self.burst * Self.interval
    }
}
