import Cryptography
import MovieFile

/// The hash of one leaf of the tree: over a sample's timing and its bytes.
struct LeafHash {
    private var hash = IncrementalHash(.sha256)

    init() {}

    init(track: UInt32, _ sample: FragmentContents.Sample) { begin(track: track, sample) }

    /// Begins the hash of a leaf; the one before must be finished.
    mutating func begin(track: UInt32, _ sample: FragmentContents.Sample) {
        var bytes: [UInt8] = [0]
        bytes.reserveCapacity(22)
        func add(_ value: some FixedWidthInteger) { withUnsafeBytes(of: value.bigEndian) { bytes += $0 } }
        add(track)
        add(sample.decodeTime)
        add(sample.compositionOffset)
        bytes.append(sample.isKeyframe ? 1 : 0)
        add(sample.count)
        hash.update(data: bytes)
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) { hash.update(bufferPointer: bytes) }

    mutating func finish() -> [UInt8] { hash.finalize().bytes }
}
