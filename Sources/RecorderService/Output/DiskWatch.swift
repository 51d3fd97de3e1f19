import CommandInterface
import MediaTypes

/// Whether the disk has room for more. A pure value.
struct DiskWatch {
    enum Verdict: Equatable {
        case enough
        /// Twice the reserve, or less; said once until there is more again.
        case low(free: Int64)
        /// The reserve, or less.
        case full(free: Int64)
    }

    /// Bytes that stay free.
    var reserve: Int64
    private var isLow = false
    private var last: Int64?
    /// No disk that people record to fills faster; in bytes a second.
    private static let fastest: Double = 400_000_000
    private var patience: Double = 0.5

    init(reserve: Int64) { self.reserve = reserve }

    /// Twice a second at most, since a reserve holds many seconds of any recording; less often where it is far from reached,
    /// as each look wakes two threads.
    mutating func isDue(at nanoseconds: Int64) -> Bool {
        if let last, Double(nanoseconds - last) < patience * 1e9 { return false }
        last = nanoseconds
        return true
    }

    /// - Parameter free: nil when nobody can say, as of a disk that is gone: the writer will notice.
    mutating func look(free: Int64?) -> Verdict {
        guard let free, reserve > 0 else { return .enough }
        patience = max(0.5, min(Double(free - reserve) / Self.fastest / 4, 2))
        if free <= reserve { return .full(free: free) }
        let (limit, overflow) = reserve.multipliedReportingOverflow(by: 2)
        let wasLow = isLow
        isLow = !overflow && free <= limit
        return isLow && !wasLow ? .low(free: free) : .enough
    }

    /// Why a recording cannot begin; nil when it can.
    func refusal(free: Int64?, in directory: String) -> MediaError? {
        guard let free, reserve > 0, free <= reserve else { return nil }
        return fullness(free, in: directory)
    }

    func fullness(_ free: Int64, in directory: String) -> MediaError {
        MediaError(
            .diskFull, "cannot record in \(directory)",
            reason: "\(NumberText.bytes(free)) are free, and \(NumberText.bytes(reserve)) are kept in reserve",
            wayOut: "free space there, or choose a smaller --reserve")
    }
}
