import Glibc
import MediaTypes

/// Recognizes the parts of a recording after its leading header from their bytes only: a fragment, a copy of a head, a
/// block of the index. After damage, finds the next part, which may begin at any byte.
///
/// Reads the file once, in large pieces and with limited memory. Skips holes.
struct FragmentSearch {
    enum Piece {
        case fragment(FoundFragment)
        case copy(HeadCopy)
        case block(TopLevelAtoms.Header)
        /// A note of the clock.
        case note(TopLevelAtoms.Header)
        /// The leading header of another program's file, up to the end of its `moov`.
        case header(TopLevelAtoms.Header)

        var start: UInt64 {
            switch self {
            case .fragment(let fragment): fragment.offset
            case .copy(let copy): copy.start
            case .block(let atom), .note(let atom), .header(let atom): atom.offset
            }
        }
    }

    private let storage: any MovieStorage
    private var atoms: TopLevelAtoms
    /// The IDs of the tracks in the leading header; nil if that header is unknown.
    let tracks: Set<UInt32>?
    private let dialect: FragmentDialect?
    /// The number of bytes that may still be read for false candidates. It limits the duration of the search in any
    /// file.
    private var patience: UInt64

    private static let window = 1 << 20
    /// The length in bytes of the longest signature, together with the bytes before it in the atom.
    private static let overlap = 16
    private static let largestGuess: UInt64 = 4 << 20
    private static let largestFileType: UInt64 = 4096
    /// Atoms that other programs write between, before and after fragments (ISO/IEC 14496-12, 8.1.2, 8.8.9, 8.11.1,
    /// 8.16 and 11.1). They contain no media.
    private static let otherAtoms: Set<FourCharCode> = [
        "free", "skip", "wide", "styp", "sidx", "ssix", "prft", "emsg", "mfra", "meta", "uuid", "pdin",
    ]

    init(_ storage: any MovieStorage, tracks: Set<UInt32>?, dialect: FragmentDialect? = nil) throws(MediaError) {
        self.storage = storage
        self.dialect = dialect
        self.tracks = tracks
        atoms = try TopLevelAtoms(storage)
        patience = 4 * min(atoms.fileSize, 1 << 50) + (64 << 20)
    }

    var fileSize: UInt64 { atoms.fileSize }

    /// Returns up to `count` bytes; fewer only at the end of the file.
    mutating func bytes(at offset: UInt64, count: Int) throws(MediaError) -> [UInt8] {
        guard offset < fileSize else { return [] }
        return try atoms.bytes(at: offset, count: count)
    }

    /// Returns the bytes of an atom; nil if it is unreasonably large.
    mutating func contents(of atom: TopLevelAtoms.Header) throws(MediaError) -> [UInt8]? {
        try atoms.contents(of: atom)
    }

    /// Returns the piece that begins at an offset; nil if there is none.
    mutating func piece(at offset: UInt64) throws(MediaError) -> Piece? {
        guard let atom = try atoms.header(at: offset) else { return nil }
        switch atom.type {
        case "moof": return try fragment(atom).map { .fragment($0) }
        case "free":
            if let copy = try HeadCopy(atom, &atoms) { return .copy(copy) }
            if try ClockNote.isNote(atom, &atoms) { return .note(atom) }
            return try isIndexBlock(atom) ? .block(atom) : nil
        case "ftyp": return try leadingHeader(atom).map { .header($0) }
        default: return nil
        }
    }

    /// Returns the end of the complete atoms without media that begin at an offset of another program's file. Returns
    /// the offset itself if there are none, and for a file of this library.
    mutating func endOfOtherAtoms(at offset: UInt64) throws(MediaError) -> UInt64 {
        guard dialect != nil else { return offset }
        var position = offset
        while let atom = try atoms.header(at: position), Self.otherAtoms.contains(atom.type) { position = atom.end }
        return position
    }

    /// Reads a fragment from its own head. Ignores the end of its media data, because the damage may be there.
    private mutating func fragment(_ atom: TopLevelAtoms.Header) throws(MediaError) -> FoundFragment? {
        guard atom.headerSize == 8, atom.size >= 32, atom.size <= UInt64(TopLevelAtoms.largestHeader) else {
            return nil
        }
        // The first bytes must be those of a fragment. This is checked before much is read.
        var start = ByteReader(try atoms.bytes(at: atom.offset + 8, count: 24))
        guard let first = start.u32(), start.code() != nil, first >= 8, UInt64(first) <= atom.size - 8 else {
            return nil
        }
        guard atom.size <= Self.largestGuess || atom.size <= patience else { return nil }
        guard let bytes = try atoms.contents(of: atom) else { return nil }
        return FoundFragment(head: bytes, at: atom.offset, headPlace: atom.offset, tracks: tracks, dialect: dialect)
    }

    /// Returns the atoms from a file type to the end of the `moov` after it, as one piece; nil if this is no other
    /// program's file, or if there is no `moov`.
    private mutating func leadingHeader(_ fileType: TopLevelAtoms.Header) throws(MediaError) -> TopLevelAtoms.Header? {
        guard dialect != nil, fileType.size <= Self.largestFileType else { return nil }
        let start = try endOfOtherAtoms(at: fileType.end)
        guard let moov = try atoms.header(at: start), moov.type == "moov" else { return nil }
        return TopLevelAtoms.Header(
            type: "ftyp", offset: fileType.offset, size: moov.end - fileType.offset, headerSize: fileType.headerSize)
    }

    private mutating func isIndexBlock(_ atom: TopLevelAtoms.Header) throws(MediaError) -> Bool {
        guard atom.headerSize == 8, atom.size <= UInt64(FragmentIndex.largestBlock) else { return false }
        var reader = ByteReader(try atoms.bytes(at: atom.offset + 8, count: FragmentIndex.headerSize - 8))
        return reader.code() == FragmentIndex.signature && reader.u32() == FragmentIndex.version
    }

    /// Returns the first piece at or after an offset; nil if there is none up to the end of the file.
    mutating func next(from start: UInt64) throws(MediaError) -> Piece? {
        var position = start
        while position < fileSize {
            let data = try storage.nextData(from: position)
            // A hole contains only zeros, so no piece begins in it, except perhaps in its last bytes.
            if data > position, data - position > UInt64(Self.overlap) { position = data - UInt64(Self.overlap) }
            guard position < fileSize, fileSize - position >= 8 else { return nil }
            let bytes = try storage.read(Int(min(UInt64(Self.window), fileSize - position)), at: position)
            guard bytes.count > Self.overlap || position + UInt64(bytes.count) >= fileSize else { return nil }
            for guess in guesses(in: bytes) {
                let cost = UInt64(64)
                guard patience > cost else { return nil }
                patience -= cost
                if let piece = try piece(at: position + UInt64(guess)), try !isEntry(piece) { return piece }
                let size = bytes[guess..<(guess + 4)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                patience -= min(patience, min(size, Self.largestGuess))
            }
            guard position + UInt64(bytes.count) < fileSize else { return nil }
            position += UInt64(bytes.count - Self.overlap)
        }
        return nil
    }

    /// Returns true if a head is part of a head copy or an index block whose start is damaged. The length of such a
    /// head is stored before it, and no samples follow it.
    private mutating func isEntry(_ piece: Piece) throws(MediaError) -> Bool {
        guard case .fragment(let head) = piece, head.offset >= UInt64(HeadCopy.entryHeaderSize) else { return false }
        var reader = ByteReader(try atoms.bytes(at: head.offset - 4, count: 4))
        guard let length = reader.u32() else { return false }
        return length == head.headSize &+ 8 || length == head.headSize &+ 16
    }

    /// Returns the possible starts of atoms in order: four bytes before `moof` or another program's `ftyp`, and eight
    /// before a signature of this library.
    private func guesses(in bytes: [UInt8]) -> [Int] {
        let signatures = [("moof", 4), ("rcf", 8)] + (dialect == nil ? [] : [("ftyp", 4)])
        var places: [Int] = []
        bytes.withUnsafeBytes { buffer in
            for (word, distance) in signatures {
                Self.appendPlaces(of: Array(word.utf8), in: buffer, before: distance, to: &places)
            }
        }
        return places.sorted()
    }

    /// Appends the positions that are `distance` bytes before each occurrence of a word. Searches for the word's first
    /// byte with memchr(3), which is several times as fast as memmem(3). In media data, all byte values are equally
    /// frequent, so the first byte is as rare as any other.
    private static func appendPlaces(
        of word: [UInt8], in buffer: UnsafeRawBufferPointer, before distance: Int, to places: inout [Int]
    ) {
        guard let base = buffer.baseAddress, let first = word.first else { return }
        var from = 0
        while buffer.count - from >= word.count,
            let hit = memchr(base + from, Int32(first), buffer.count - from - word.count + 1)
        {
            let place = UnsafeRawPointer(hit) - base
            if place >= distance, memcmp(hit, word, word.count) == 0 { places.append(place - distance) }
            from = place + 1
        }
    }
}
