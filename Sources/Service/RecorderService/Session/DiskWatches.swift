import MediaTypes
import RecorderStorage

/// Decides when a session checks its disks and deletes recordings, and judges the free space on the disk of the
/// recording and on the disk of the mirror. A pure value.
struct DiskWatches {
    private var first: DiskWatch
    private var mirror: DiskWatch
    /// True while a task queries the free space. The file system may never answer.
    private var isLooking = false
    private var lastTidied = Int64.min / 2
    /// True while a task deletes recordings. The file system may never answer.
    private var isTidying = false
    /// True if that task must apply the rules again, because a file has been finished in the meantime.
    private var isTidyRequested = false
    /// The time at which the session ends even if recordings are still being deleted; nil before the session's end.
    private var tidyDeadline: Int64?
    /// True while a task completes mirrored files. The file system may never answer.
    private var isCompleting = false
    /// True while recordings that the owner keeps leave too little space for new ones.
    private var lacksRoom = false

    private static let tidyInterval: Int64 = 60_000_000_000
    /// Maximum time, in nanoseconds, for which the end of a session waits for deletions.
    private static let tidyPatience: Int64 = 2_000_000_000

    init(reserve: Int64) {
        first = DiskWatch(reserve: reserve)
        mirror = DiskWatch(reserve: reserve)
    }

    /// Returns true if a check of the disks is due, and marks it as in progress until `endLook`.
    mutating func beginLook(at now: Int64) -> Bool {
        guard !isLooking, first.isDue(at: now) else { return false }
        isLooking = true
        return true
    }

    mutating func endLook() { isLooking = false }

    /// Returns true once a minute, so that the caller deletes recordings that have reached their maximum age
    /// (`--keep-for`).
    mutating func isTidyDue(at now: Int64) -> Bool {
        guard now - lastTidied > Self.tidyInterval else { return false }
        lastTidied = now
        return true
    }

    /// Returns true if the caller must begin a task that deletes recordings, and marks the task as in progress until
    /// `endTidy`. If a task is in progress already, that task applies the rules once more.
    mutating func beginTidy() -> Bool {
        guard !isTidying else {
            isTidyRequested = true
            return false
        }
        isTidying = true
        return true
    }

    /// Records that the task has applied the rules.
    ///
    /// - Returns: true if the task must apply them again.
    mutating func endTidy() -> Bool {
        isTidying = isTidyRequested
        isTidyRequested = false
        return isTidying
    }

    /// Returns true if the end of the session must wait for deletions that are in progress. After two seconds the
    /// session ends without them; the next recording continues with them.
    mutating func awaitsTidy(at now: Int64) -> Bool {
        guard isTidying else { return false }
        let deadline = tidyDeadline ?? now + Self.tidyPatience
        tidyDeadline = deadline
        return now < deadline
    }

    /// Returns true if the caller may complete mirrored files, and marks this as in progress until `endCompletion`.
    mutating func beginCompletion() -> Bool {
        guard !isCompleting else { return false }
        isCompleting = true
        return true
    }

    mutating func endCompletion() { isCompleting = false }

    /// Records that the recordings kept by the owner leave too little space for new ones.
    ///
    /// - Returns: true if the kept recordings left enough space at the last check.
    mutating func isNewLackOfRoom() -> Bool {
        defer { lacksRoom = true }
        return !lacksRoom
    }

    mutating func recordRoom() { lacksRoom = false }

    /// Judges the free space of a disk.
    ///
    /// - Parameters:
    ///   - index: 0 for the recording's disk, 1 for the mirror's.
    ///   - reserve: The number of bytes to keep free, as currently set.
    mutating func judge(_ index: Int, free: Int64?, reserve: Int64) -> DiskWatch.Verdict {
        (first.reserve, mirror.reserve) = (reserve, reserve)
        return index == 0 ? first.look(free: free) : mirror.look(free: free)
    }

    /// Returns the reason why a recording cannot begin; nil if it can begin.
    func refusal(free: Int64?, in directory: String) -> MediaError? { first.refusal(free: free, in: directory) }

    func fullness(_ free: Int64, in directory: String) -> MediaError { first.fullness(free, in: directory) }
}
