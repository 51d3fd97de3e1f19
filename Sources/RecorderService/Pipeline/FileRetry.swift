import Glibc
import MediaTypes

/// Decides whether another file follows one that failed, and when. A pure value: time comes in with each call.
///
/// - The first one follows after 0.1 s, and each wait is twice as long as the one before, up to 30 s.
/// - A disk that is away (a stale handle, a missing directory) is waited for until the recording ends. One that fails otherwise
///   ends the recording when no file took a sample for 30 s.
/// - The names of failed files are bounded: empty ones are removed, and ten in a row that could not be removed end the recording.
struct FileRetry {
    enum Answer: Equatable {
        /// The next file is made so many nanoseconds later.
        case after(Int64)
        /// The recording ends.
        case giveUp
    }

    static let shortestDelay: Int64 = 100_000_000
    static let longestDelay: Int64 = 30_000_000_000
    /// How long a disk may fail, in nanoseconds.
    static let patience: Int64 = 30_000_000_000
    /// A file that took samples for so long ends the series of failures.
    static let recovery: Int64 = 60_000_000_000
    static let mostLeft = 10

    private var delay: Int64 = 0
    /// When the last file failed.
    private var failed: Int64?
    /// Since when no file has taken a sample.
    private var barren: Int64?
    /// Files in a row that hold nothing that is known to be safe, and are there.
    private var left = 0

    /// A file failed at a moment of the clock, in nanoseconds.
    ///
    /// - Parameter hasSamples: it holds samples that are safe.
    mutating func next(after error: MediaError, at now: Int64, hasSamples: Bool) -> Answer {
        // It may be as large as it is, and nothing is wrong with the disk.
        if error.underlying == .errno(EFBIG), hasSamples { return .after(0) }
        if let failed, hasSamples, now - failed - delay >= Self.recovery { delay = 0 }
        failed = now
        if hasSamples { (barren, left) = (nil, 0) } else { left += 1 }
        let since = barren ?? now
        barren = since
        guard left <= Self.mostLeft, error.isOfAwayDisk || now - since < Self.patience else { return .giveUp }
        delay = delay == 0 ? Self.shortestDelay : min(Self.longestDelay, delay * 2)
        return .after(delay)
    }

    /// A failed file was empty, and is removed.
    mutating func removed() { left = max(0, left - 1) }
}

extension MediaError {
    /// The disk is away, and may come back by itself.
    var isOfAwayDisk: Bool {
        guard case .errno(let number) = underlying else { return false }
        return [
            ENOENT, ENOTDIR, ENODEV, ESTALE, ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH, ENETDOWN, ENETUNREACH, ENOTCONN,
            ECONNRESET, EREMOTEIO,
        ].contains(number)
    }
}
