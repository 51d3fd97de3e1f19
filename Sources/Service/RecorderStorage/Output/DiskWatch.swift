import CommandInterface
package import MediaTypes

/// Judges whether a disk has enough free space to continue a recording. A pure value.
package struct DiskWatch: Sendable {
    package enum Verdict: Sendable, Equatable {
        case enough
        /// At most twice the reserve is free. Returned only once, and again only after more space was free.
        case low(free: Int64)
        /// At most the reserve is free.
        case full(free: Int64)
    }

    /// The number of bytes that must stay free.
    package var reserve: Int64
    private var isLow = false
    private var last: Int64?
    /// The assumed maximum rate at which a disk fills, in bytes per second.
    private static let fastest: Double = 400_000_000
    private var patience: Double = 0.5

    package init(reserve: Int64) { self.reserve = reserve }

    /// Returns true if a check is due: at most twice per second, because a reserve is enough for many seconds of any
    /// recording. Checks are rarer if the disk is far from full, because each check wakes two threads.
    package mutating func isDue(at nanoseconds: Int64) -> Bool {
        if let last, Double(nanoseconds - last) < patience * 1e9 { return false }
        last = nanoseconds
        return true
    }

    /// Judges the free space.
    ///
    /// - Parameter free: The free bytes; nil if unknown, for example if the disk is gone: the writer will detect that.
    package mutating func look(free: Int64?) -> Verdict {
        guard let free, reserve > 0 else { return .enough }
        patience = max(0.5, min(Double(free - reserve) / Self.fastest / 4, 2))
        if free <= reserve { return .full(free: free) }
        let (limit, overflow) = reserve.multipliedReportingOverflow(by: 2)
        let wasLow = isLow
        isLow = !overflow && free <= limit
        return isLow && !wasLow ? .low(free: free) : .enough
    }

    /// Returns the reason why a recording cannot begin; nil if it can.
    package func refusal(free: Int64?, in directory: String) -> MediaError? {
        guard let free, reserve > 0, free <= reserve else { return nil }
        return fullness(free, in: directory)
    }

    package func fullness(_ free: Int64, in directory: String) -> MediaError {
        MediaError(
            .diskFull, "cannot record in \(directory)",
            reason: "only \(NumberText.bytes(free)) free; the reserve is \(NumberText.bytes(reserve))",
            wayOut: "free space there, or choose a smaller --reserve")
    }
}
