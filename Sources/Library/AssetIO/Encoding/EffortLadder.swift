/// Decides when an encoder reduces its effort, so that no frame has to be dropped, and when the effort may increase
/// again.
///
/// Before each frame, `wish` gets the fill level of the queue. If the queue stays filled or grows for a while, the
/// effort is reduced by one step. If the queue is nearly empty for ten seconds, the effort is increased by one step. A
/// queue that drains causes no change. A pure value; times are nanoseconds of one clock.
struct EffortLadder {
    enum Wish: Equatable {
        case less
        case more
    }

    /// The fill level at which the queue counts as under pressure. 0.125 is half a second of a queue of four seconds.
    static let pressure = 0.125
    /// The fill level from which the queue is checked twice as often, and must shrink faster to avoid a reduction.
    static let highPressure = 0.5
    /// The fill level that counts as empty: two or three frames.
    static let room = 0.05
    /// The time after which a change of the effort has an effect on the queue.
    static let settling: Int64 = 400_000_000
    static let shortSettling: Int64 = 200_000_000
    static let patience: Int64 = 10_000_000_000
    /// The limit of the wait before an increase. The wait doubles each time the effort had to be reduced again after an
    /// increase.
    static let longestPatience: Int64 = 160_000_000_000

    private(set) var step = 0
    private(set) var lastStep: Int
    private var patience = Self.patience
    /// The time of the last check, and the fill level at that time.
    private var reference: (time: Int64, pressure: Double)?
    /// The time since which the queue has had room.
    private var roomSince: Int64?
    private var lastClimb: Int64?

    /// - Parameter steps: the number of steps below full effort.
    init(steps: Int) { lastStep = steps }

    /// Returns the wanted change, if any.
    ///
    /// - Parameters:
    ///   - pressure: the used part of the queue's budget.
    ///   - mayReduceEffort: false if the effort may only be increased. Not evaluated while the queue has room.
    mutating func wish(pressure: Double, at now: Int64, mayReduceEffort: @autoclosure () -> Bool = true) -> Wish? {
        if pressure > Self.room { roomSince = nil }
        guard pressure >= Self.pressure else {
            reference = nil
            return more(pressure, now)
        }
        guard step < lastStep, mayReduceEffort() else { return nil }
        guard let before = reference else {
            reference = (now, pressure)
            return nil
        }
        let isHigh = pressure >= Self.highPressure
        guard now - before.time >= (isHigh ? Self.shortSettling : Self.settling) else { return nil }
        reference = (now, pressure)
        // A queue that shrinks this fast will almost certainly be empty in time. 2 % of a queue of four seconds are 80
        // ms, which is the progress in 400 ms.
        let isEmptying = before.pressure - pressure >= (isHigh ? 0.05 : 0.02)
        return isEmptying ? nil : .less
    }

    private mutating func more(_ pressure: Double, _ now: Int64) -> Wish? {
        guard step > 0, pressure <= Self.room else { return nil }
        let since = roomSince ?? now
        roomSince = since
        return now - since >= patience ? .more : nil
    }

    /// Records that the encoder has changed its effort as requested.
    mutating func took(_ wish: Wish, at now: Int64) {
        roomSince = nil
        switch wish {
        case .less:
            step = min(step + 1, lastStep)
            if let lastClimb, now - lastClimb < Self.patience {
                patience = min(patience * 2, Self.longestPatience)
            } else {
                patience = Self.patience
            }
        case .more:
            step = max(0, step - 1)
            lastClimb = now
        }
    }

    /// Records that the encoder did not change its effort. Either there is no further step, or the change is requested
    /// again later.
    mutating func refused(_ wish: Wish) {
        roomSince = nil
        if wish == .less { lastStep = step }
    }
}
