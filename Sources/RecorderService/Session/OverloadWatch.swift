import AssetIO

/// Notices that an encoder drops pictures, or works less hard so that it need not. A pure value.
struct OverloadWatch {
    enum News: Equatable {
        /// Fewer steps than before.
        case eased(EncodingEffort)
        /// It works as it was asked to again.
        case full
    }

    private var known: Int64 = 0
    private var lastTold: Int64?
    private var isEased = false
    private var lastEased: Int64?
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

    /// The first step of a stretch, and its end: what lies between stands in the status.
    mutating func news(_ effort: EncodingEffort?, at nanoseconds: Int64) -> News? {
        guard let effort else { return nil }
        if isEased, effort.step == 0 {
            isEased = false
            return .full
        }
        guard !isEased, effort.step > 0 else { return nil }
        if let lastEased, nanoseconds - lastEased < Self.silence { return nil }
        isEased = true
        lastEased = nanoseconds
        return .eased(effort)
    }
}
