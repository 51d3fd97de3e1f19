import Cryptography
import MovieFile

/// The root of a tree of hashes over samples (RFC 9162, 2.1.1, with SHA-256). A leaf is a sample and its timing.
struct HashTree {
    /// The hash of the newest leaf. All leaves use the same memory, one after the other.
    private var leaf = LeafHash()
    private var isOpen = false
    /// The roots of complete subtrees that wait for their other half, each with the number of its leaves.
    private var roots: [(hash: [UInt8], leaves: Int)] = []
    private(set) var leaves = 0

    /// Begins the next leaf.
    mutating func begin(track: UInt32, _ sample: FragmentContents.Sample) {
        close()
        leaf.begin(track: track, sample)
        isOpen = true
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) { leaf.add(bytes) }

    private mutating func close() {
        guard isOpen else { return }
        isOpen = false
        leaves += 1
        roots.append((leaf.finish(), 1))
        while roots.count > 1, roots[roots.count - 1].leaves == roots[roots.count - 2].leaves { join() }
    }

    private mutating func join() {
        let right = roots.removeLast()
        let left = roots.removeLast()
        roots.append((Self.node(left.hash, right.hash), left.leaves + right.leaves))
    }

    /// Returns the hash of a node with two halves.
    static func node(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] { SHA256.hash(data: [1] + left + right).bytes }

    /// Returns the root over all leaves, as hexadecimal digits. Nothing may be added afterwards.
    mutating func root() -> String {
        close()
        while roots.count > 1 { join() }
        return (roots.first?.hash ?? SHA256.hash(data: [UInt8]()).bytes).hexadecimal
    }
}
