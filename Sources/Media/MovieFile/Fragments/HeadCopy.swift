import MediaTypes

/// A copy of the data without which a recording cannot be read: the head of the previous fragment, and sometimes the
/// leading header of the file. It is stored before the next fragment, in the same write, so each head is in the file
/// twice.
///
/// The copy is a `free` atom. After the atom's header, it has `rcfc`, the version (32 bits), the checksum of the rest
/// (32 bits), and the length of the leading header or 0 (32 bits). Then come the leading header, the fragment's offset
/// (64 bits), the length of its head (32 bits), and the head. The head is the `moof` and the header of the `mdat`.
struct HeadCopy {
    static let signature: FourCharCode = "rcfc"
    private static let version: UInt32 = 1
    /// The bytes before the leading header.
    private static let headerSize = 24
    /// The offset and the length that precede each head.
    static let entryHeaderSize = 12
    /// The maximum size of a leading header that is copied with each index block. A larger one, such as one with a
    /// cover image, is copied once.
    static let largestRepeatedHeader = 64 << 10

    /// Everything before the first fragment; empty if the copy has none.
    private(set) var leadingHeader: [UInt8] = []
    /// The position of the fragment.
    private(set) var fragment: UInt64 = 0
    /// The fragment's `moof` and the header of its `mdat`.
    private(set) var head: [UInt8] = []
    /// The position of the head in this file.
    private(set) var headPlace: UInt64 = 0
    /// The offset of the atom in the file. `end` is the offset after it.
    private(set) var start: UInt64 = 0
    private(set) var end: UInt64 = 0

    /// Returns the size of the atom in the file, in bytes.
    static func size(head: Int, leadingHeader: Int) -> Int { headerSize + leadingHeader + entryHeaderSize + head }

    /// Writes the copy of a fragment's head.
    ///
    /// - Parameter entry: the fragment's offset, the length of its head, and the head.
    static func write(entry: ArraySlice<UInt8>, leadingHeader: [UInt8], into writer: inout AtomWriter) {
        writer.atom("free") { free in
            free.code(signature)
            free.u32(version)
            var checksum = Checksum()
            let length = UInt32(clamping: leadingHeader.count)
            withUnsafeBytes(of: length.bigEndian) { checksum.add($0) }
            checksum.add(leadingHeader[...])
            checksum.add(entry)
            free.u32(checksum.value)
            free.u32(length)
            free.raw(leadingHeader)
            free.raw(entry)
        }
    }

    /// Reads a copy. Returns nil if the atom is not an intact copy.
    init?(_ atom: TopLevelAtoms.Header, _ atoms: inout TopLevelAtoms) throws(MediaError) {
        guard atom.type == "free", atom.headerSize == 8, atom.size >= UInt64(Self.headerSize + Self.entryHeaderSize)
        else { return nil }
        var reader = ByteReader(try atoms.bytes(at: atom.offset + 8, count: 4))
        guard reader.code() == Self.signature, let bytes = try atoms.contents(of: atom) else { return nil }
        reader = ByteReader(bytes[12...])
        guard reader.u32() == Self.version, let stated = reader.u32(), bytes.count == Int(atom.size) else { return nil }
        var checksum = Checksum()
        checksum.add(bytes[20...])
        guard checksum.value == stated, let length = reader.u32(), let leading = reader.slice(Int(length)),
            let fragment = reader.u64(), let headLength = reader.u32(), let head = reader.slice(Int(headLength)),
            reader.remaining == 0
        else { return nil }
        leadingHeader = Array(leading)
        self.fragment = fragment
        self.head = Array(head)
        (start, end) = (atom.offset, atom.end)
        headPlace = atom.end - UInt64(headLength)
    }
}

/// CRC-32 (ISO/IEC 13239). Detects every error of one bit and nearly all others.
struct Checksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    private var state = UInt32.max

    var value: UInt32 { ~state }

    static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var checksum = Self()
        checksum.add(bytes)
        return checksum.value
    }

    mutating func add(_ bytes: ArraySlice<UInt8>) { bytes.withUnsafeBytes { add($0) } }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        Self.table.withUnsafeBufferPointer { table in
            for byte in bytes { state = table[Int((state ^ UInt32(byte)) & 0xFF)] ^ state >> 8 }
        }
    }
}
