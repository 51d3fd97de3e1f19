import MediaTypes

/// Iterates over a recording's fragments in their order. Uses the recording's index if there is one; otherwise walks
/// from atom to atom.
struct FragmentCursor {
    struct Fragment {
        /// The start of the fragment's `moof`.
        var offset: UInt64
        /// The size of the `moof` in bytes.
        var headerSize: UInt64
        var tracks: [FragmentReader.Track]
        /// The end of the fragment's `mdat`, according to the header of the `mdat`.
        var end: UInt64
        /// True if the file's index confirms that the fragment was completely on the disk.
        var isKnownWhole = false

        /// The start of the fragment's media data, after the shorter of the two possible `mdat` headers.
        var mediaStart: UInt64 { offset + headerSize + 8 }

        /// The end of the fragment's samples, according to its head.
        var samplesEnd: UInt64 {
            tracks.lazy.flatMap(\.chunks).reduce(mediaStart) { furthest, chunk in
                let start = offset &+ UInt64(clamping: chunk.dataOffset)
                return max(furthest, start.addingReportingOverflow(chunk.byteCount).partialValue)
            }
        }

        /// The end of the fragment's samples according to the counts in its head, even if the file ends before that
        /// position.
        private var claimedSamplesEnd: UInt64 {
            let chunks = tracks.lazy.flatMap(\.chunks)
            return chunks.reduce(mediaStart) { furthest, chunk in
                let (bytes, overflow) = chunk.claimedBytes
                let start = offset &+ UInt64(clamping: chunk.dataOffset)
                return overflow || bytes > .max - start ? .max : max(furthest, start + bytes)
            }
        }

        /// Returns true if the samples end with the `mdat`, and both reach the end of the file or beyond: the file was
        /// truncated there. If the two ends differ, one number is damaged, so neither end can be trusted.
        func reachesEnd(of fileSize: UInt64) -> Bool { claimedSamplesEnd == end && end >= fileSize }
    }

    enum Step {
        /// The header is intact, and the file contains all of the fragment's media data.
        case fragment(Fragment)
        /// The header is intact, but the media data is truncated. No fragment follows.
        case torn(Fragment)
        case end
        /// The index is wrong; a cursor without it finds the fragments.
        case indexIsBroken
        /// The recording is damaged: a head or the leading header differs from its copy, or fragments are out of order.
        case damaged
    }

    private var atoms: TopLevelAtoms
    private var index: FragmentIndexReader?
    /// The end of the last returned fragment.
    private(set) var position: UInt64
    private let isIndexBroken: Bool
    private let start: UInt64
    /// The head of the last returned fragment. Set only while walking from atom to atom.
    private var lastHead: [UInt8] = []
    private var lastHeadLength = 0
    private var lastSequence: UInt32 = 0
    /// True if the leading header equals its last copy. Earlier copies may have fewer tracks.
    private var isHeaderConfirmed = true

    init(_ atoms: TopLevelAtoms, from start: UInt64, index: FragmentIndex?) throws(MediaError) {
        self.atoms = atoms
        position = start
        self.start = start
        var reader: FragmentIndexReader?
        if let index { reader = try FragmentIndexReader(index, &self.atoms) }
        self.index = reader
        isIndexBroken = index != nil && reader == nil
    }

    mutating func next() throws(MediaError) -> Step {
        if isIndexBroken { return .indexIsBroken }
        while index != nil {
            switch try index?.next(&atoms) {
            case .fragment(let offset, let header):
                guard try follows(offset) else { return .indexIsBroken }
                position = offset
                guard let fragment = indexed(header) else { return .indexIsBroken }
                position = fragment.end
                lastHeadLength = header.count
                return .fragment(fragment)
            case .block(let block):
                guard block.offset == position else { return .indexIsBroken }
                position = block.end
            case .end, nil: index = nil
            case .broken: return .indexIsBroken
            }
        }
        return try walk()
    }

    /// Returns true if a fragment at an offset directly follows the last returned one, or if only the copy of a head or
    /// a clock note is between them.
    private mutating func follows(_ offset: UInt64) throws(MediaError) -> Bool {
        if offset == position { return true }
        guard offset > position else { return false }
        let distance = offset - position
        let isCopy =
            lastHeadLength > 0
            && (distance == UInt64(HeadCopy.size(head: lastHeadLength, leadingHeader: 0))
                || start <= UInt64(TopLevelAtoms.largestHeader)
                    && distance == UInt64(HeadCopy.size(head: lastHeadLength, leadingHeader: Int(start))))
        if isCopy { return true }
        var place = position
        while place < offset, let atom = try atoms.header(at: place), atom.type == "free" { place = atom.end }
        return place == offset
    }

    /// Returns a fragment by its header in the index.
    private func indexed(_ bytes: ArraySlice<UInt8>) -> Fragment? {
        var reader = ByteReader(bytes)
        guard let size = reader.u32(), size >= 8, reader.skip(Int(size) - 4), let media = mediaHeader(&reader) else {
            return nil
        }
        let start = position + UInt64(size)
        guard start <= atoms.fileSize, media.size >= media.headerSize, media.size <= atoms.fileSize - start,
            let tracks = FragmentReader.tracks(inMovieFragment: Array(bytes.prefix(Int(size))))
        else { return nil }
        let body = (UInt64(size) + media.headerSize)..<(UInt64(size) + media.size)
        guard FragmentReader.arePlausible(tracks, media: body) else { return nil }
        return Fragment(
            offset: position, headerSize: UInt64(size), tracks: tracks, end: start + media.size, isKnownWhole: true)
    }

    private mutating func walk() throws(MediaError) -> Step {
        var place = position
        var next = try atoms.header(at: place)
        // Index blocks are stored between fragments.
        while let atom = next, atom.type == "free" {
            if let copy = try HeadCopy(atom, &atoms), try !agrees(copy) { return .damaged }
            place = atom.end
            next = try atoms.header(at: place)
        }
        guard let atom = next, atom.type == "moof", let bytes = try atoms.contents(of: atom) else {
            return isHeaderConfirmed ? .end : .damaged
        }
        var reader = ByteReader(try atoms.bytes(at: atom.end, count: 16))
        guard let media = mediaHeader(&reader) else { return isHeaderConfirmed ? .end : .damaged }
        let (end, overflow) = atom.end.addingReportingOverflow(media.size)
        var fragment = Fragment(
            offset: atom.offset, headerSize: atom.size, tracks: [], end: overflow ? .max : end)
        if let tracks = FragmentReader.tracks(inMovieFragment: bytes) {
            fragment.tracks = tracks
            let isThere = media.size >= media.headerSize && fragment.end <= atoms.fileSize
            if isThere, atom.size <= UInt64(Int32.max),
                FragmentReader.arePlausible(
                    tracks, media: (atom.size + media.headerSize)..<(atom.size + media.size))
            {
                if let sequence = FragmentReader.sequenceNumber(inMovieFragment: bytes) {
                    guard sequence > lastSequence else { return .damaged }
                    lastSequence = sequence
                }
                position = fragment.end
                lastHead = bytes + (try atoms.bytes(at: atom.end, count: Int(media.headerSize)))
                return .fragment(fragment)
            }
            return isHeaderConfirmed ? .torn(fragment) : .damaged
        }
        guard isHeaderConfirmed else { return .damaged }
        guard let tracks = FragmentReader.tracks(inMovieFragment: bytes, cutsCounts: true) else { return .end }
        fragment.tracks = tracks
        return .torn(fragment)
    }

    private mutating func agrees(_ copy: HeadCopy) throws(MediaError) -> Bool {
        if !lastHead.isEmpty, copy.head != lastHead { return false }
        if !copy.leadingHeader.isEmpty {
            isHeaderConfirmed = try copy.leadingHeader == atoms.bytes(at: 0, count: Int(min(start, 1 << 30)))
        }
        return true
    }

    /// Reads an `mdat` header. Does not check whether the file contains all of the `mdat`.
    private func mediaHeader(_ reader: inout ByteReader) -> (size: UInt64, headerSize: UInt64)? {
        guard let short = reader.u32(), reader.code() == "mdat" else { return nil }
        guard short == 1 else { return (UInt64(short), 8) }
        return reader.u64().map { ($0, 16) }
    }
}
