/// Decides when a recorder returns memory to the system: while the load is low, and if the process has grown. A pure
/// value.
struct MemoryWatch {
    /// Interval between two checks, in nanoseconds.
    static let interval: Int64 = 15_000_000_000
    /// The number of bytes by which the process may grow before its heaps are trimmed.
    static let growth = 4 << 20
    /// The number of frames waiting for the encoder up to which the load counts as low. In addition, at most
    /// `calmBacklog` bytes may wait for the disk.
    static let calmDepth = 4
    static let calmBacklog: Int64 = 4 << 20

    private var lastLook: Int64?
    /// The smallest number of resident bytes since the last trim.
    private var least: Int?
    /// True while a task returns memory.
    private var isReturning = false

    /// Returns true if a check is due and none is in progress, and marks it as in progress until `end`.
    mutating func begin(at nanoseconds: Int64, isCalm: Bool) -> Bool {
        guard !isReturning, isDue(at: nanoseconds, isCalm: isCalm) else { return false }
        isReturning = true
        return true
    }

    mutating func end() { isReturning = false }

    /// Returns true if a check is due.
    ///
    /// - Parameter isCalm: True if no frame and no packet waits longer than usual.
    mutating func isDue(at nanoseconds: Int64, isCalm: Bool) -> Bool {
        guard let lastLook else {
            self.lastLook = nanoseconds
            return false
        }
        guard isCalm, nanoseconds - lastLook >= Self.interval else { return false }
        self.lastLook = nanoseconds
        return true
    }

    /// Decides whether trimming the heaps is worthwhile.
    ///
    /// - Parameter resident: Resident bytes of the process.
    /// - Returns: true if the process has grown enough.
    mutating func hasGrown(to resident: Int) -> Bool {
        let least = min(self.least ?? resident, resident)
        self.least = least
        return resident - least > Self.growth
    }

    /// Records the process's size after a trim.
    ///
    /// - Parameter resident: Resident bytes of the process, after the trim.
    mutating func recordTrimmed(to resident: Int) { least = resident }
}
