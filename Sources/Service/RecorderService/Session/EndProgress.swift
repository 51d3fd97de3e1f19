/// The progress of a recording's end. A pure value.
struct EndProgress {
    /// True if the end time was sent to every file of the recording.
    private(set) var isDispatched = false
    /// The time, in nanoseconds of the clock, after which the recording ends without waiting for more packets; nil
    /// without a limit.
    private(set) var deadline: Int64?
    private var hasBegun = false

    /// Records that the devices have delivered all samples of the recording.
    ///
    /// - Returns: false if this was recorded before.
    mutating func begin() -> Bool {
        guard !hasBegun else { return false }
        hasBegun = true
        return true
    }

    /// Limits the wait for the encoders.
    mutating func wait(until deadline: Int64) { self.deadline = deadline }

    mutating func recordDispatched() { isDispatched = true }

    /// Returns true if the encoders have not reached the end before the deadline. Returns true only once.
    mutating func isOverdue(at now: Int64) -> Bool {
        guard let deadline, now >= deadline, !isDispatched else { return false }
        self.deadline = nil
        return true
    }
}
