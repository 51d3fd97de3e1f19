import AssetIO
import Glibc
import MediaTypes

/// Decides whether another file follows one that failed, and when. A pure value: each call passes the time.
///
/// - The next file follows after 0.1 s. If it fails too, the delay doubles, up to 30 s.
/// - If the disk is disconnected (a stale handle, a missing directory), the recorder retries until the recording ends.
///   Other disk errors end the recording if no file stored a sample for 30 s.
/// - Empty failed files are removed. Ten failed files in a row that could not be removed end the recording.
struct FileRetry {
    enum Answer: Equatable {
        /// The next file is created after this many nanoseconds.
        case after(Int64)
        /// The recording ends.
        case giveUp
    }

    static let shortestDelay: Int64 = 100_000_000
    static let longestDelay: Int64 = 30_000_000_000
    /// Maximum time for which a disk may fail, in nanoseconds.
    static let patience: Int64 = 30_000_000_000
    /// The time in nanoseconds for which a file must store samples to end the series of failures.
    static let recovery: Int64 = 60_000_000_000
    static let mostLeft = 10

    private var delay: Int64 = 0
    /// The time of the last failure, in nanoseconds of the clock.
    private var failed: Int64?
    /// The time of the first failure after which no file has stored a sample, in nanoseconds of the clock.
    private var barren: Int64?
    /// The number of files in a row that were created and failed without a safely stored sample.
    private var left = 0

    /// Returns how the recording continues after a file failed at a time of the clock, in nanoseconds.
    ///
    /// - Parameter hasSamples: True if the file has samples that are safe.
    mutating func next(after error: MediaError, at now: Int64, hasSamples: Bool) -> Answer {
        // The file has reached its maximum size, but the disk works.
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

    /// Records that a failed file was empty and has been removed.
    mutating func removed() { left = max(0, left - 1) }
}
