/// Decides when the hooks `activity` and `activity-end` run. A pure value.
///
/// Activity begins with a second that reaches the threshold, and ends when no second has reached it for the hold time.
struct ActivityTrigger {
    enum Change: Equatable {
        /// Activity began, with this value.
        case began(Int)
        case ended
    }

    /// The last second that was examined; nil before the first.
    private(set) var last: Int64?
    /// The last second that reached the threshold; nil while there is no activity.
    private var active: Int64?

    /// Examines the next second.
    ///
    /// - Parameters:
    ///   - threshold: The value at which activity begins, 1 to 100.
    ///   - hold: The number of seconds without activity after which the activity ends.
    mutating func look(at second: ActivityMeter.Second, threshold: Int, hold: Int64) -> Change? {
        last = second.index
        if second.value >= threshold {
            defer { active = second.index }
            return active == nil ? .began(second.value) : nil
        }
        guard let active, second.index - active >= hold else { return nil }
        self.active = nil
        return .ended
    }
}
