import AssetIO
import MediaTypes

/// Detects three conditions of an encoder: it drops frames, it reduces its effort to avoid drops, or it has to copy
/// frames. A pure value.
struct OverloadWatch {
    enum News: Equatable {
        /// The encoder's effort was reduced.
        case eased(EncodingEffort)
        /// The encoder works with the requested effort again.
        case full
    }

    private var known: Int64 = 0
    private var lost: Int64 = 0
    private var hasLost = false
    private var lastTold: Int64?
    private var isEased = false
    private var lastEased: Int64?
    private var hasCopyReason = false
    /// Minimum time between two reports of an overload, in nanoseconds.
    private static let silence: Int64 = 60_000_000_000

    /// Records the number of frames that the current encoder had accepted and then lost.
    mutating func recordLost(_ count: Int64) {
        if count > 0, count != lost { hasLost = true }
        lost = count
    }

    /// Returns true if an encoder has lost frames since the last call. Such a loss means that the encoder failed, and
    /// was not only too slow.
    mutating func takeLoss() -> Bool {
        defer { hasLost = false }
        return hasLost
    }

    /// Returns the given reason why an encoder copies frames if it is the recording's first such reason; otherwise nil.
    mutating func takeCopyReason(_ reason: MediaError?) -> MediaError? {
        guard let reason, !hasCopyReason else { return nil }
        hasCopyReason = true
        return reason
    }

    /// Decides whether drops are reported.
    ///
    /// - Parameter dropped: The total number of frames that the encoder has dropped.
    /// - Returns: true if the drops are to be reported.
    mutating func isNew(_ dropped: Int64, at nanoseconds: Int64) -> Bool {
        guard dropped > known else { return false }
        known = dropped
        if let lastTold, nanoseconds - lastTold < Self.silence { return false }
        lastTold = nanoseconds
        return true
    }

    /// Returns an event if the effort was reduced for the first time, or is full again. Returns nil for further steps,
    /// which only the status shows.
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
