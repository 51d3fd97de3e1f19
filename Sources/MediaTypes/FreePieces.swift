/// The free pieces of a pool, the one that was given back last on top. A pure value.
///
/// It also knows which of them nobody has taken since the last look: the lowest ones, as many as were free at every moment.
struct FreePieces {
    private(set) var addresses: [UInt] = []
    private let capacity: Int
    /// The fewest free pieces since the last look.
    private var fewest = 0

    /// - Parameter capacity: the most pieces that are kept.
    init(capacity: Int) {
        self.capacity = capacity
        addresses.reserveCapacity(capacity)
    }

    mutating func take() -> UInt? {
        let address = addresses.popLast()
        fewest = min(fewest, addresses.count)
        return address
    }

    /// - Returns: false when enough pieces are free already; the caller deallocates this one.
    mutating func giveBack(_ address: UInt) -> Bool {
        guard addresses.count < capacity else { return false }
        addresses.append(address)
        return true
    }

    /// Removes the pieces that nobody has taken since the last look.
    mutating func removeUnused() -> [UInt] {
        let unused = Array(addresses.prefix(fewest))
        addresses.removeFirst(fewest)
        fewest = addresses.count
        return unused
    }
}
