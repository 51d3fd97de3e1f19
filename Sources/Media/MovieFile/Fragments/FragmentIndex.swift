import MediaTypes

/// An index of the written fragments, for the finisher. It has the headers that are not in an index block yet, and the
/// position of the last block. Its size is limited, however long the recording is.
///
/// Whenever the kept headers exceed a quarter of a mebibyte, they are written to the file as an *index block*, an atom
/// of type `free` before the next fragment. Each block contains the position of the previous one. So the finisher reads
/// the headers of some hundreds of fragments at once. Without blocks, it would read each header separately from its
/// place in the file.
///
/// A block consists of the atom's header, `rcfx`, the version (32 bits), and the offset of the previous block or 0 (64
/// bits). Then it has an entry for each fragment: the fragment's offset (64 bits), the length of the fragment's head
/// (32 bits), and the head. The head is the `moof` and the header of the `mdat`.
package struct FragmentIndex: Sendable {
    static let signature: FourCharCode = "rcfx"
    static let version: UInt32 = 1
    /// The bytes of a block before its entries.
    static let headerSize = 24
    package static let defaultBlockSize = 256 << 10
    /// The maximum size of a block that this library writes: one oversized fragment header, and the entries that were
    /// pending before it.
    static let largestBlock = defaultBlockSize + Int(TopLevelAtoms.largestHeader)

    /// The position of the last block; 0 if there is none.
    private(set) var lastBlock: UInt64 = 0
    /// Entries that are not in a block yet.
    private(set) var pending: [UInt8] = []

    /// The size of the last entry in bytes.
    private var lastEntry = 0

    private let blockSize: Int

    /// - Parameter blockSize: the number of bytes that are kept before they are written as a block.
    package init(blockSize: Int = FragmentIndex.defaultBlockSize) { self.blockSize = blockSize }

    /// True if a block is due before the next fragment.
    var isFull: Bool { pending.count >= blockSize }

    /// Appends the due block to the bytes of the next write.
    func writeBlock(into writer: inout AtomWriter) {
        writer.atom("free") { free in
            free.code(Self.signature)
            free.u32(Self.version)
            free.u64(lastBlock)
            free.raw(pending)
        }
    }

    /// Appends a copy of the previous fragment's head to the bytes of the next write. Does nothing before the first
    /// fragment.
    func writeCopy(leadingHeader: [UInt8], into writer: inout AtomWriter) {
        guard lastEntry > 0 else { return }
        HeadCopy.write(entry: pending.suffix(lastEntry), leadingHeader: leadingHeader, into: &writer)
    }

    /// Records a fragment that is in the file, and the block that was written before it.
    ///
    /// - Parameters:
    ///   - bytes: the fragment, starting with its `moof`.
    ///   - block: the position of the block that was written with the fragment; nil if no block was.
    mutating func record(fragment bytes: ArraySlice<UInt8>, at offset: UInt64, block: UInt64?) {
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
        /// The `moof` of a fragment and the header of its `mdat`.
        case fragment(offset: UInt64, header: ArraySlice<UInt8>)
        /// The block that contains all previous fragments. It is stored after the last of them.
        case block(TopLevelAtoms.Header)
        case end
        /// The index contradicts itself or the file.
        case broken
    }

    private let index: FragmentIndex
    /// The blocks from the last to the first.
    private var blocks: [TopLevelAtoms.Header] = []
    private var current: TopLevelAtoms.Header?
    private var entries: ByteReader
    private var isInPending = false

    /// Follows the chain of blocks. Returns nil if a position in the chain is wrong.
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

    /// Opens the next block. After the last block it opens the entries that are not in a block.
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
