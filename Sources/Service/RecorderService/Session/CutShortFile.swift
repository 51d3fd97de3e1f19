import Glibc
import MediaTypes

/// A recording file that cannot grow any more. Only its index is missing.
struct CutShortFile {
    var number: Int
    /// The reason why the file cannot grow.
    var error: MediaError
    /// Nanoseconds between the last attempt to finalize the file and the next attempt.
    var delay: Int64 = 0
    /// The due time of the next attempt, in nanoseconds of the clock.
    var due: Int64 = .min

    /// True if the file has reached its maximum size. Its disk still works.
    var isTooLarge: Bool { error.underlying == .errno(EFBIG) }

    /// Returns the file after a failed attempt, with the next attempt scheduled.
    func later(than now: Int64) -> Self {
        var later = self
        later.delay = min(FileRetry.longestDelay, max(FileRetry.shortestDelay, delay * 2))
        later.due = now + later.delay
        return later
    }
}
