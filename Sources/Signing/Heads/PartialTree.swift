/// A tree of hashes of which some leaves are not there: of a stretch that is missing as a whole one hash stands for all its leaves
/// (RFC 9162, 2.1.1, says where a stretch is divided).
enum PartialTree {
    /// - Parameters:
    ///   - leaves: their hashes, nil for those that are missing.
    ///   - next: gives the hashes that stand for missing stretches, from left to right; nil when there is none left.
    /// - Returns: the root; nil where a hash is missing.
    static func root(_ leaves: ArraySlice<[UInt8]?>, next: () -> [UInt8]?) -> [UInt8]? {
        if leaves.allSatisfy({ $0 == nil }) { return next() }
        if leaves.count == 1 { return leaves.first ?? nil }
        let middle = leaves.startIndex + half(leaves.count)
        guard let left = root(leaves[..<middle], next: next), let right = root(leaves[middle...], next: next) else {
            return nil
        }
        return HashTree.node(left, right)
    }

    /// What `next` has to give.
    ///
    /// - Parameter leaves: the hashes of those that will be missing, nil for those that will be there.
    static func hashes(_ leaves: ArraySlice<[UInt8]?>) -> [[UInt8]] {
        if leaves.allSatisfy({ $0 != nil }) { return [whole(leaves)] }
        if leaves.count == 1 { return [] }
        let middle = leaves.startIndex + half(leaves.count)
        return hashes(leaves[..<middle]) + hashes(leaves[middle...])
    }

    private static func whole(_ leaves: ArraySlice<[UInt8]?>) -> [UInt8] {
        if leaves.count == 1 { return (leaves.first ?? nil) ?? [] }
        let middle = leaves.startIndex + half(leaves.count)
        return HashTree.node(whole(leaves[..<middle]), whole(leaves[middle...]))
    }

    /// The largest power of two that is smaller.
    private static func half(_ count: Int) -> Int { 1 << (Int.bitWidth - 1 - (count - 1).leadingZeroBitCount) }
}
