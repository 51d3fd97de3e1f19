import RealTime

/// So many at the same time and no more.
final class Slots: Sendable {
    private let free: Locked<Int>

    init(_ count: Int) { free = Locked(count) }

    /// One of them; nil when all are taken. It is given back when the last reference to it goes, however its user ends.
    func take() -> Slot? {
        let isTaken = free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
        return isTaken ? Slot(of: self) : nil
    }

    final class Slot: Sendable {
        private let slots: Slots

        fileprivate init(of slots: Slots) { self.slots = slots }

        deinit { slots.free.withLock { $0 += 1 } }
    }
}
