import MediaTypes

/// The headers of the fragments written, kept for the finisher: what has not yet gone into the file, and where the rest
/// is. Of bounded size however long the recording.
///
/// Whenever the kept headers pass a quarter of a mebibyte they go into the file as an *index block*, an atom of type
/// `free` in front of the next fragment. Each names the block before it, so that the finisher finds every fragment's
/// header with one read for some hundreds of them, instead of one for each, scattered over the whole file.
///
/// A block: the atom's header, `rcfx`, version (32 bits), offset of the block before it or 0 (64 bits), then for each
/// fragment its offset (64 bits), the length of what follows (32 bits), its `moof` and the header of its `mdat`.
package struct FragmentIndex: Sendable {
    static let signature: FourCharCode = "rcfx"
    static let version: UInt32 = 1
    /// What stands in a block before its entries.
    static let headerSize = 24
    package static let defaultBlockSize = 256 << 10
    /// No block of ours is larger: one oversized fragment header, and what was pending before it.
    static let largestBlock = defaultBlockSize + Int(TopLevelAtoms.largestHeader)

    /// Where the last block is; 0 for none.
    private(set) var lastBlock: UInt64 = 0
    /// Entries that are in no block yet.
    private(set) var pending: [UInt8] = []

    /// Bytes of the last entry.
    private var lastEntry = 0

    private let blockSize: Int

    /// - Parameter blockSize: how many bytes are kept before they become a block.
    package init(blockSize: Int = FragmentIndex.defaultBlockSize) { self.blockSize = blockSize }

    /// Whether a block is due before the next fragment.
    var isFull: Bool { pending.count >= blockSize }

    /// Appends the block that is due to the bytes of the next write.
    func writeBlock(into writer: inout AtomWriter) {
        writer.atom("free") { free in
            free.code(Self.signature)
            free.u32(Self.version)
            free.u64(lastBlock)
            free.raw(pending)
        }
    }

    /// Appends a copy of the head before to the bytes of the next write; nothing before the first fragment.
    func writeCopy(leadingHeader: [UInt8], into writer: inout AtomWriter) {
        guard lastEntry > 0 else { return }
        HeadCopy.write(entry: pending.suffix(lastEntry), leadingHeader: leadingHeader, into: &writer)
    }

    /// Takes note of a fragment that is in the file, and of the block written in front of it.
    ///
    /// - Parameters:
    ///   - bytes: the fragment from its `moof` on.
    ///   - block: where a block was written along with it.
    mutating func note(fragment bytes: ArraySlice<UInt8>, at offset: UInt64, block: UInt64?) {
        if let block {
            lastBlock = block
            pending.removeAll(keepingCapacity: true)
        }
        var reader = ByteReader(bytes)
        guard let size = reader.u32(), reader.code() == "moof", reader.skip(max(0, Int(size) - 8)),
            let media = reader.u32()
        else { return }
        let length = Int(size) + (media == 1 ? 16 : 8)
        withUnsafeBytes(of: offset.bigEndian) { pending.append(contentsOf: $0) }
        withUnsafeBytes(of: UInt32(length).bigEndian) { pending.append(contentsOf: $0) }
        pending += bytes.prefix(length)
        lastEntry = HeadCopy.entryHeaderSize + length
    }
}

/// Reads a recording's fragment headers through its index: back along the chain of blocks, then forward.
struct FragmentIndexReader {
    enum Item {
        /// A fragment's `moof` and the header of its `mdat`.
        case fragment(offset: UInt64, header: ArraySlice<UInt8>)
        /// The fragments before are all in this block, which comes behind the last of them.
        case block(TopLevelAtoms.Header)
        case end
        /// The index contradicts itself or the file.
        case broken
    }

    private let index: FragmentIndex
    /// From the last one to the first.
    private var blocks: [TopLevelAtoms.Header] = []
    private var current: TopLevelAtoms.Header?
    private var entries: ByteReader
    private var isInPending = false

    /// nil when the chain is broken.
    init?(_ index: FragmentIndex, _ atoms: inout TopLevelAtoms) throws(MediaError) {
        self.index = index
        entries = ByteReader([])
        var offset = index.lastBlock
        while offset != 0 {
            guard let block = try atoms.header(at: offset), block.type == "free", block.headerSize == 8,
                block.size <= UInt64(FragmentIndex.largestBlock)
            else { return nil }
            var reader = ByteReader(try atoms.bytes(at: offset + 8, count: FragmentIndex.headerSize - 8))
            guard reader.code() == FragmentIndex.signature, reader.u32() == FragmentIndex.version,
                let before = reader.u64(), before < offset
            else { return nil }
            blocks.append(block)
            offset = before
        }
    }

    mutating func next(_ atoms: inout TopLevelAtoms) throws(MediaError) -> Item {
        if entries.remaining == 0 {
            if let block = current {
                current = nil
                return .block(block)
            }
            guard try open(&atoms) else { return isInPending ? .end : .broken }
            if entries.remaining == 0 { return isInPending ? .end : .broken }
        }
        guard let offset = entries.u64(), let length = entries.u32(), let header = entries.slice(Int(length)) else {
            return .broken
        }
        return .fragment(offset: offset, header: header)
    }

    /// Goes on with the next block, or with what is in none.
    private mutating func open(_ atoms: inout TopLevelAtoms) throws(MediaError) -> Bool {
        guard !isInPending else { return false }
        guard let block = blocks.popLast() else {
            isInPending = true
            entries = ByteReader(index.pending)
            return true
        }
        guard let bytes = try atoms.contents(of: block), bytes.count >= FragmentIndex.headerSize else { return false }
        current = block
        entries = ByteReader(bytes[FragmentIndex.headerSize...])
        return true
    }
}
