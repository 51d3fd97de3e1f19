import MediaTypes

/// The bytes after a recording's last fragment. Decides whether they are known to be unusable, so that they may be
/// removed.
struct TornTail {
    private let storage: any MovieStorage
    private var search: FragmentSearch

    init(_ storage: any MovieStorage, tracks: Set<UInt32>) throws(MediaError) {
        self.storage = storage
        search = try FragmentSearch(storage, tracks: tracks)
    }

    var fileSize: UInt64 { search.fileSize }

    /// Returns true if there is a fragment, or a copy of a head, anywhere after an offset.
    mutating func holdsPiece(from offset: UInt64) throws(MediaError) -> Bool {
        guard offset < fileSize else { return false }
        return try search.next(from: offset) != nil
    }

    /// Returns true if only unusable bytes follow an offset: zeros, complete copies, or something whose end is missing
    /// (a fragment's head, a copy or a final header).
    mutating func isNothing(from offset: UInt64) throws(MediaError) -> Bool {
        var start = offset
        // Skips copies: the data that they repeat is before them.
        skip: while start < fileSize, let piece = try search.piece(at: start) {
            switch piece {
            // A head at the very end of the file has no samples.
            case .fragment(let fragment): return fileSize - fragment.headEnd < 8
            case .copy(let copy): start = copy.end
            case .block(let atom), .note(let atom), .header(let atom): start = atom.end
            }
        }
        guard start < fileSize else { return true }
        var isEmpty = try isBeginning(at: start)
        if !isEmpty { isEmpty = try isZeros(from: start) }
        return isEmpty ? try !holdsPiece(from: start) : false
    }

    /// Returns true if the bytes after the last fragment may contain other fragments, or the rest of the fragment
    /// itself, whose length is then wrong.
    ///
    /// - Parameter media: the start of the last fragment's media data.
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

    /// Returns true if the atoms of a `moof` continue to the end of the file, which means that the file was truncated
    /// inside the `moof`. If the `moof` has a damaged length instead, its atoms end earlier.
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
