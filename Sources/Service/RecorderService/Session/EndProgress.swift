/// The progress of a recording's end. A pure value.
struct EndProgress {
    /// True if every file of the recording has received its end.
    private(set) var isDispatched = false
    /// The clock's time at which the recording ends with the packets that it has; nil without a limit.
    private(set) var deadline: Int64?
    private var hasBegun = false

    /// Records that the devices' part of the recording has ended.
    ///
    /// - Returns: false if that is known already.
    mutating func begin() -> Bool {
        guard !hasBegun else { return false }
        hasBegun = true
        return true
    }

    /// Limits the wait for the encoders.
    mutating func wait(until deadline: Int64) { self.deadline = deadline }

    mutating func recordDispatched() { isDispatched = true }

    /// Returns true if the encoders have not reached the end in time, once.
    mutating func isOverdue(at now: Int64) -> Bool {
        guard let deadline, now >= deadline, !isDispatched else { return false }
        self.deadline = nil
        return true
    }
}
