/// A tree of hashes with missing leaves. Where all leaves of a subtree are missing, one hash represents them (RFC 9162,
/// 2.1.1, defines how leaves are divided into subtrees).
enum PartialTree {
    /// Computes the root.
    ///
    /// - Parameters:
    ///   - leaves: their hashes; nil for missing ones.
    ///   - next: returns the hashes that represent missing subtrees, from left to right; nil after the last.
    /// - Returns: the root; nil if a hash is missing.
    static func root(_ leaves: ArraySlice<[UInt8]?>, next: () -> [UInt8]?) -> [UInt8]? {
        if leaves.allSatisfy({ $0 == nil }) { return next() }
        if leaves.count == 1 { return leaves.first ?? nil }
        let middle = leaves.startIndex + half(leaves.count)
        guard let left = root(leaves[..<middle], next: next), let right = root(leaves[middle...], next: next) else {
            return nil
        }
        return HashTree.node(left, right)
    }

    /// Returns the hashes that `root` needs from `next` to compute the root, from left to right.
    ///
    /// - Parameter leaves: the hashes of the leaves that will be missing; nil for those that will be present.
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

    /// Returns the largest power of two that is smaller than `count`.
    private static func half(_ count: Int) -> Int { 1 << (Int.bitWidth - 1 - (count - 1).leadingZeroBitCount) }
}
