import MediaTypes

/// What stands behind a recording's last fragment: whether it is provably nothing that could be kept. Only then may it be
/// cut off.
struct TornTail {
    private let storage: any MovieStorage
    private var search: FragmentSearch

    init(_ storage: any MovieStorage, tracks: Set<UInt32>) throws(MediaError) {
        self.storage = storage
        search = try FragmentSearch(storage, tracks: tracks)
    }

    var fileSize: UInt64 { search.fileSize }

    /// Whether a fragment, or a copy of one's head, is anywhere behind an offset.
    mutating func holdsPiece(from offset: UInt64) throws(MediaError) -> Bool {
        guard offset < fileSize else { return false }
        return try search.next(from: offset) != nil
    }

    /// Whether nothing is behind a place but zeros, copies, or the beginning of what was never written to its end: a fragment's
    /// head, a copy, a final header.
    mutating func isNothing(from offset: UInt64) throws(MediaError) -> Bool {
        var start = offset
        // Copies of what is in front of them.
        skip: while start < fileSize, let piece = try search.piece(at: start) {
            switch piece {
            // A head behind which the file ends holds nothing.
            case .fragment(let fragment): return fileSize - fragment.headEnd < 8
            case .copy(let copy): start = copy.end
            case .block(let atom), .note(let atom): start = atom.end
            }
        }
        guard start < fileSize else { return true }
        var isEmpty = try isBeginning(at: start)
        if !isEmpty { isEmpty = try isZeros(from: start) }
        return isEmpty ? try !holdsPiece(from: start) : false
    }

    /// Whether what is behind the last fragment's end may hold others, or the fragment itself, as its length is not right.
    ///
    /// - Parameter media: where its media data begin.
    mutating func mayHoldMore(behind end: UInt64, from media: UInt64) throws(MediaError) -> Bool {
        if try isNothing(from: end) { return false }
        return try holdsPiece(from: media)
    }

    private mutating func isBeginning(at offset: UInt64) throws(MediaError) -> Bool {
        let left = fileSize - offset
        guard left >= 8 else { return true }
        var reader = ByteReader(try search.bytes(at: offset, count: 16))
        guard let size = reader.u32(), let type = reader.code() else { return false }
        let inner = reader.u32()
        let name = reader.code()
        switch type {
        case "moof": return UInt64(size) > left ? try isCutHead(at: offset, size) : false
        case "moov": return UInt64(size) >= left && (name == "mvhd" || left < 16)
        case "free":
            let signature = inner.map(FourCharCode.init(rawValue:))
            return UInt64(size) > left && UInt64(size) <= TopLevelAtoms.largestHeader
                && (signature == HeadCopy.signature || signature == FragmentIndex.signature
                    || signature == ClockNote.signature || left < 12)
        default: return false
        }
    }

    /// Whether the atoms of a `moof` go on to the file's end, so that it was cut there. One whose length is damaged has them
    /// end before.
    private mutating func isCutHead(at offset: UInt64, _ size: UInt32) throws(MediaError) -> Bool {
        var place = offset + 8
        let end = offset + UInt64(size)
        while place < fileSize {
            guard fileSize - place >= 8 else { return true }
            var reader = ByteReader(try search.bytes(at: place, count: 8))
            guard let length = reader.u32(), let type = reader.code(), length >= 8, type == "mfhd" || type == "traf",
                UInt64(length) <= end - place
            else { return false }
            place += UInt64(length)
        }
        return true
    }

    private func isZeros(from offset: UInt64) throws(MediaError) -> Bool {
        var position = try storage.nextData(from: offset)
        while position < fileSize {
            let bytes = try storage.read(Int(min(1 << 20, fileSize - position)), at: position)
            guard !bytes.isEmpty, bytes.allSatisfy({ $0 == 0 }) else { return false }
            position = try storage.nextData(from: position + UInt64(bytes.count))
        }
        return true
    }
}
