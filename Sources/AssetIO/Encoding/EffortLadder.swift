/// Decides when an encoder works less hard, so that nothing has to be dropped, and when it may work harder again.
///
/// It hears before each picture how full the queue is: one that stays so full, or fills, for a while asks for less work; ten
/// seconds with hardly anything in it allow more, a step at a time. A queue that empties is left alone. A pure value; times
/// are nanoseconds of one clock.
struct EffortLadder {
    enum Wish: Equatable {
        case less
        case more
    }

    /// What a queue may hold of its budget before it counts as pressure: half a second of four.
    static let pressure = 0.125
    /// From here on it is not enough that the queue does not grow.
    static let highPressure = 0.5
    /// So little is no queue: two or three pictures.
    static let room = 0.05
    /// A change shows its effect in this time.
    static let settling: Int64 = 400_000_000
    static let shortSettling: Int64 = 200_000_000
    static let patience: Int64 = 10_000_000_000
    /// A step up that had to be taken back is tried again after twice as long, and at last after so long.
    static let longestPatience: Int64 = 160_000_000_000

    private(set) var step = 0
    private(set) var lastStep: Int
    private var patience = Self.patience
    /// When the last look began, and how full the queue was.
    private var reference: (time: Int64, pressure: Double)?
    /// Since when there is room.
    private var roomSince: Int64?
    private var lastClimb: Int64?

    /// - Parameter steps: how many there are below everything.
    init(steps: Int) { lastStep = steps }

    /// - Parameters:
    ///   - pressure: the part of the queue's budget that is used up.
    ///   - mayEase: otherwise it only ever asks for more. Not asked where there is room.
    mutating func wish(pressure: Double, at now: Int64, mayEase: @autoclosure () -> Bool = true) -> Wish? {
        if pressure > Self.room { roomSince = nil }
        guard pressure >= Self.pressure else {
            reference = nil
            return more(pressure, now)
        }
        guard step < lastStep, mayEase() else { return nil }
        guard let before = reference else {
            reference = (now, pressure)
            return nil
        }
        let isHigh = pressure >= Self.highPressure
        guard now - before.time >= (isHigh ? Self.shortSettling : Self.settling) else { return nil }
        reference = (now, pressure)
        // It is as good as certain to be empty in time: 2 % of four seconds are 80 ms in 400.
        let isEmptying = before.pressure - pressure >= (isHigh ? 0.05 : 0.02)
        return isEmptying ? nil : .less
    }

    private mutating func more(_ pressure: Double, _ now: Int64) -> Wish? {
        guard step > 0, pressure <= Self.room else { return nil }
        let since = roomSince ?? now
        roomSince = since
        return now - since >= patience ? .more : nil
    }

    /// It was done.
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

    /// It could not be done: there is no such step after all, or it is tried again later.
    mutating func refused(_ wish: Wish) {
        roomSince = nil
        if wish == .less { lastStep = step }
    }
}
