/// Decides when a recorder gives memory back to the system: in a calm moment, when it holds more than it needed before. A pure
/// value.
struct MemoryWatch {
    /// Between two looks, in nanoseconds.
    static let interval: Int64 = 15_000_000_000
    /// Bytes that the process may hold more than after the last look without being trimmed.
    static let growth = 4 << 20
    /// Frames that may wait for the encoder, and bytes that may wait for the disk, in a calm moment.
    static let calmDepth = 4
    static let calmBacklog: Int64 = 4 << 20

    private var lastLook: Int64?
    /// The fewest bytes that were in memory since the last trim.
    private var least: Int?

    /// - Parameter isCalm: no frame and no packet waits longer than usual.
    mutating func isDue(at nanoseconds: Int64, isCalm: Bool) -> Bool {
        guard let lastLook else {
            self.lastLook = nanoseconds
            return false
        }
        guard isCalm, nanoseconds - lastLook >= Self.interval else { return false }
        self.lastLook = nanoseconds
        return true
    }

    /// - Parameter resident: bytes of the process in memory.
    /// - Returns: whether the heaps are worth a trim.
    mutating func hasGrown(to resident: Int) -> Bool {
        let least = min(self.least ?? resident, resident)
        self.least = least
        return resident - least > Self.growth
    }

    /// - Parameter resident: bytes of the process in memory, after the trim.
    mutating func noteTrimmed(to resident: Int) { least = resident }
}
