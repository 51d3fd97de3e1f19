import MediaTypes

/// Checks whether deleting a recording raises the free space of its file system. A pure value.
///
/// A deletion may raise it late or never: a snapshot, another hard link or a program that has the file open holds the
/// space. Without this check, retention would delete one recording after another, and free nothing. So after a deletion
/// that freed nothing, no recording on that file system is deleted for space, until the free space has risen. In case
/// other programs have used the space at once, one recording is deleted for a trial after an hour. The time until the
/// next trial doubles, up to a day. After a boot, a trial is made at once, because no program has the file open any
/// more.
struct FreedSpace: Codable, Sendable, Hashable {
    /// A deletion that freed nothing.
    struct Doubt: Codable, Sendable, Hashable {
        /// The last deleted recording.
        var path: String
        /// The size in bytes of the deleted recordings.
        var bytes: Int64
        /// The least free space since the deletion, in bytes.
        var lowest: Int64
        var moment: Moment
        /// The number of trials in succession that freed nothing.
        var trials: Int
        /// True once the next trial may be made.
        var isOver = false

        private static let firstPause = 3600.0
        private static let longestPause = 86_400.0

        /// Returns true if the next trial may be made.
        fileprivate func isTrialDue(at now: Moment) -> Bool {
            let pause = Self.firstPause * Double(Int64(1) << min(max(0, trials - 1), 16))
            return now.boot != moment.boot || now.uptime - moment.uptime >= min(pause, Self.longestPause)
        }
    }

    /// The doubts about file systems, by their mount points.
    private var doubts: [String: Doubt] = [:]

    /// The time in seconds for which a file system may need to free the space of a deleted file. Btrfs on another
    /// machine needs up to half a minute.
    private static let patience = 60.0
    /// A single deletion of fewer bytes proves nothing, because other programs write at the same time.
    static let leastProof: Int64 = 1_000_000

    /// Returns true if a deletion of some bytes has raised the free space. Half of the bytes are enough, because other
    /// programs write at the same time.
    static func hasRisen(from before: Int64, to after: Int64, by bytes: Int64) -> Bool {
        let (rise, overflow) = after.subtractingReportingOverflow(before)
        return overflow ? after > before : rise > 0 && rise >= bytes / 2
    }

    /// Returns true if recordings on a file system may be deleted for space.
    ///
    /// - Parameter free: The free bytes now.
    mutating func allows(_ mount: String, free: Int64, at now: Moment) -> Bool {
        guard var doubt = doubts[mount] else { return true }
        if Self.hasRisen(from: doubt.lowest, to: free, by: doubt.bytes) {
            doubts[mount] = nil
            return true
        }
        doubt.lowest = min(doubt.lowest, free)
        doubt.isOver = doubt.isOver || doubt.isTrialDue(at: now)
        doubts[mount] = doubt
        return doubt.isOver
    }

    /// Records deletions that freed nothing.
    mutating func doubt(_ mount: String, path: String, bytes: Int64, free: Int64, at now: Moment) {
        let trials = (doubts[mount]?.trials ?? 0) &+ 1
        doubts[mount] = Doubt(path: path, bytes: bytes, lowest: free, moment: now, trials: trials)
    }

    /// Records that a deletion freed space.
    mutating func trust(_ mount: String) { doubts[mount] = nil }

    /// Returns the error for a file system on which nothing is deleted for space; nil while it may still need time.
    func error(of mount: String, at now: Moment) -> MediaError? {
        guard let doubt = doubts[mount], !doubt.isOver else { return nil }
        guard now.boot != doubt.moment.boot || now.uptime - doubt.moment.uptime >= Self.patience else { return nil }
        return MediaError(
            .diskFull, "cannot free space on \(mount)",
            reason: "the free space did not rise when \(doubt.path) was deleted, so nothing more is deleted for it",
            wayOut: "delete snapshots and hard links of old recordings, and close programs that have them open")
    }

    /// Returns the error for recordings with several hard links, which are not deleted for space.
    static func error(linked count: Int, on mount: String) -> MediaError {
        MediaError(
            .diskFull, "cannot free space on \(mount)",
            reason: "\(count) finished recording\(count == 1 ? " has" : "s have") another hard link, such as a "
                + "backup's, so deleting would free nothing",
            wayOut: "delete the other links")
    }
}
