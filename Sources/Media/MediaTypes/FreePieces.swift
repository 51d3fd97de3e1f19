/// The free pieces of a pool as a stack, the most recently returned piece on top. A pure value.
///
/// The stack also shows which pieces have not been used since the last check: the ones at its bottom. Their number is
/// the smallest number of free pieces since that check.
struct FreePieces {
    private(set) var addresses: [UInt] = []
    private let capacity: Int
    /// The smallest number of free pieces since the last check.
    private var fewest = 0

    /// - Parameter capacity: the maximum number of pieces that are kept.
    init(capacity: Int) {
        self.capacity = capacity
        addresses.reserveCapacity(capacity)
    }

    mutating func take() -> UInt? {
        let address = addresses.popLast()
        fewest = min(fewest, addresses.count)
        return address
    }

    /// - Returns: false if enough pieces are free already. The caller must then deallocate the piece.
    mutating func giveBack(_ address: UInt) -> Bool {
        guard addresses.count < capacity else { return false }
        addresses.append(address)
        return true
    }

    /// Removes and returns the pieces that have not been used since the last check.
    mutating func removeUnused() -> [UInt] {
        let unused = Array(addresses.prefix(fewest))
        addresses.removeFirst(fewest)
        fewest = addresses.count
        return unused
    }
}
