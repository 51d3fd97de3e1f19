/// Notices that an encoder drops pictures. A pure value.
struct OverloadWatch {
    private var known: Int64 = 0
    private var lastTold: Int64?
    /// An overload is one piece of news a minute.
    private static let silence: Int64 = 60_000_000_000

    /// - Parameter dropped: what the encoder has dropped in all.
    /// - Returns: whether that is news.
    mutating func isNew(_ dropped: Int64, at nanoseconds: Int64) -> Bool {
        guard dropped > known else { return false }
        known = dropped
        if let lastTold, nanoseconds - lastTold < Self.silence { return false }
        lastTold = nanoseconds
        return true
    }
}
