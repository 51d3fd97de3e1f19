import MediaTypes

/// All that is left of a recording whose fragments do not follow each other to its end: which there are, by their own heads
/// or by copies of them, in the order in which they were recorded.
///
/// Goes from fragment to fragment; behind a place where none begins it searches for the next (`FragmentSearch`). Nothing is
/// changed. Holds some 60 bytes for each fragment.
struct DamagedRecording {
    /// Everything in front of the first fragment, by a copy of it; empty where there is none.
    private(set) var leadingHeader: [UInt8] = []
    /// In the order in which they stand in the file; after `putInOrder` in that of their times.
    private(set) var fragments: [FoundFragment] = []
    /// Bytes that belong to nothing that is known.
    private(set) var unreadBytes: UInt64 = 0
    /// The size of the file that was looked through.
    let fileSize: UInt64

    private var search: FragmentSearch
    private var blocks: [TopLevelAtoms.Header] = []
    /// What comes next are media data of a fragment that does not say where they end.
    private var isMediaOpen = false

    /// A week of them; keeps a file that is made for it from filling the memory.
    private static let mostFragments = 1 << 20

    /// - Parameters:
    ///   - start: where the first fragment should begin.
    ///   - tracks: those of the leading header; nil while it is unknown.
    ///   - dialect: of another program; nil for ours.
    init(_ storage: any MovieStorage, from start: UInt64, tracks: Set<UInt32>?, dialect: FragmentDialect? = nil)
        throws(MediaError)
    {
        search = try FragmentSearch(storage, tracks: tracks, dialect: dialect)
        fileSize = search.fileSize
        var position = start
        while position < fileSize {
            var piece = try search.piece(at: position)
            if piece == nil { piece = try search.next(from: position + 1) }
            if !isMediaOpen { unreadBytes += (piece?.start ?? fileSize) - position }
            isMediaOpen = false
            guard let piece else { break }
            position = try take(piece, gap: position)
            guard fragments.count <= Self.mostFragments else {
                throw MediaError(
                    .unsupported, "cannot repair the recording", reason: "it has more fragments than a damaged one may",
                    wayOut: "nothing of it was changed")
            }
        }
        try takeBlocks()
        for index in fragments.indices {
            let next = index + 1 < fragments.count ? fragments[index + 1].offset : fileSize
            fragments[index].limit = min(fragments[index].limit, next)
        }
    }

    /// Takes note of a piece; where to go on.
    private mutating func take(_ piece: FragmentSearch.Piece, gap: UInt64) throws(MediaError) -> UInt64 {
        if let last = fragments.indices.last, fragments[last].limit == .max { fragments[last].limit = piece.start }
        switch piece {
        case .block(let block):
            blocks.append(block)
            return block.end
        case .note(let note): return note.end
        case .copy(let copy):
            try take(copy, gap: gap)
            return copy.end
        case .fragment(var fragment):
            let media = ByteReader(try search.bytes(at: fragment.headEnd, count: 16))
            if let size = FoundFragment.mediaSize(media.bytes), size <= fileSize - fragment.headEnd {
                let end = fragment.headEnd + size
                // The file's end alone does not tell: a length that lies may reach to it.
                let next = try search.piece(at: end)
                if next != nil {
                    fragment.isChained = true
                    fragments.append(fragment)
                    return end
                }
            }
            fragments.append(fragment)
            isMediaOpen = true
            return min(fragment.headEnd + 8, fileSize)
        }
    }

    /// A copy of the head of the fragment in front of it: instead of that one's own, where the two differ, and for a fragment
    /// of which nothing else is known.
    private mutating func take(_ copy: HeadCopy, gap: UInt64) throws(MediaError) {
        // The newest knows every track.
        if !copy.leadingHeader.isEmpty { leadingHeader = copy.leadingHeader }
        var reader = ByteReader(copy.head)
        guard let size = reader.u32(), size >= 8, Int(size) <= copy.head.count,
            let media = FoundFragment.mediaSize(copy.head[Int(size)...])
        else { return }
        let moof = Array(copy.head[..<Int(size)])
        let (length, overflow) = UInt64(size).addingReportingOverflow(media)
        let place = copy.start - min(length, copy.start)
        let isThere = !overflow && length <= copy.start
        let last = fragments.indices.last
        if let known = last, fragments[known].offset == place || fragments[known].offset == copy.fragment {
            guard try search.bytes(at: fragments[known].offset, count: copy.head.count) != copy.head else { return }
            guard var better = found(moof, at: fragments[known].offset, copy) else { return }
            better.isChained = better.offset == place
            better.limit = fragments[known].limit
            fragments[known] = better
            return
        }
        // Where the file is longer or shorter than it was, only what is left of the head itself tells where it was.
        let isSure = place == copy.fragment || place == gap
        let mark = isThere ? try search.bytes(at: place + UInt64(size), count: 8) : []
        guard isThere, isSure || mark == Array(copy.head[Int(size)...].prefix(8)),
            fragments.last.map({ $0.headEnd <= place }) ?? true, var fragment = found(moof, at: place, copy)
        else { return }
        fragment.isChained = true
        fragment.limit = copy.start
        let bytes = min(unreadBytes, copy.start - max(place, min(gap, copy.start)))
        unreadBytes -= bytes
        fragments.append(fragment)
    }

    private func found(_ moof: [UInt8], at place: UInt64, _ copy: HeadCopy) -> FoundFragment? {
        FoundFragment(head: moof, at: place, headPlace: copy.headPlace, tracks: search.tracks)
    }

    /// Fragments that only the index still knows: those in the holes between the others.
    private mutating func takeBlocks() throws(MediaError) {
        for block in blocks {
            guard let bytes = try search.contents(of: block), bytes.count >= FragmentIndex.headerSize else { continue }
            var entries = ByteReader(bytes[FragmentIndex.headerSize...])
            while let offset = entries.u64(), let length = entries.u32() {
                let place = block.offset + UInt64(entries.position)
                guard let head = entries.slice(Int(length)) else { break }
                try take(head, at: offset, headPlace: place)
            }
        }
    }

    private mutating func take(_ head: ArraySlice<UInt8>, at offset: UInt64, headPlace: UInt64) throws(MediaError) {
        let next = fragments.partition { $0.offset >= offset }
        if next < fragments.count, fragments[next].offset == offset { return }
        var reader = ByteReader(head)
        guard let size = reader.u32(), size >= 8, Int(size) <= head.count, offset < fileSize,
            let media = FoundFragment.mediaSize(head.dropFirst(Int(size)))
        else { return }
        let (length, overflow) = UInt64(size).addingReportingOverflow(media)
        // It must fit between its neighbours to the byte, or its media data say that it is there.
        let before = next > 0 ? fragments[next - 1].headEnd : 0
        let after = next < fragments.count ? fragments[next].offset : fileSize
        guard !overflow, offset >= before, length <= after - offset,
            let fragment = FoundFragment(
                head: Array(head.prefix(Int(size))), at: offset, headPlace: headPlace, tracks: search.tracks)
        else { return }
        let mark = try search.bytes(at: offset + UInt64(size), count: 8)
        let follower = try search.piece(at: offset + length)
        guard mark == Array(head.dropFirst(Int(size)).prefix(8)) || follower != nil else { return }
        unreadBytes -= min(unreadBytes, length)
        fragments.insert(fragment, at: next)
    }
}

extension Array {
    /// The first index from which on a condition holds, in an array that is sorted by it.
    func partition(_ isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
