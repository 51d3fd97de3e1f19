import MediaTypes

/// The remains of a recording whose fragments are not contiguous up to its end. Finds the fragments in file order, by
/// their own heads or by copies of the heads. `FragmentOrder` then sorts them.
///
/// Goes from fragment to fragment. If no fragment begins at a position, searches for the next one (`FragmentSearch`).
/// Changes nothing. Uses about 60 bytes for each fragment.
struct DamagedRecording {
    /// Everything before the first fragment, from a copy; empty if there is none.
    private(set) var leadingHeader: [UInt8] = []
    /// The fragments in file order.
    private(set) var fragments: [FoundFragment] = []
    /// The number of bytes that belong to no known piece.
    private(set) var unreadBytes: UInt64 = 0
    /// The bytes before the first known piece.
    private(set) var leadingGap: Range<UInt64>
    /// True if the end of a fragment's media is not where its head says, so that a search found the next one.
    private(set) var isBroken = false
    /// The leading headers of other movies between and after the fragments.
    private(set) var otherHeaders: [TopLevelAtoms.Header] = []
    /// The size of the file that was searched.
    let fileSize: UInt64

    private var search: FragmentSearch
    private var blocks: [TopLevelAtoms.Header] = []
    /// True if the end of the last fragment is unknown, so the following media data may belong to it.
    private var isMediaOpen = false
    /// True if the media of the last fragment ends with the file, according to its head.
    private var reachesEnd = false

    /// The maximum number of fragments, more than a recording of a week has. It prevents a crafted file from filling
    /// the memory.
    private static let mostFragments = 1 << 20

    /// - Parameters:
    ///   - start: the expected position of the first fragment.
    ///   - tracks: the IDs of the tracks in the leading header; nil if that header is unknown.
    ///   - dialect: for fragments of another program; nil for those of this library.
    init(_ storage: any MovieStorage, from start: UInt64, tracks: Set<UInt32>?, dialect: FragmentDialect? = nil)
        throws(MediaError)
    {
        search = try FragmentSearch(storage, tracks: tracks, dialect: dialect)
        fileSize = search.fileSize
        leadingGap = start..<start
        var position = start
        while position < fileSize {
            if !isMediaOpen { position = try search.endOfOtherAtoms(at: position) }
            guard position < fileSize else { break }
            var piece = try search.piece(at: position)
            if piece == nil { piece = try search.next(from: position + 1) }
            if fragments.isEmpty, leadingGap.isEmpty { leadingGap = position..<(piece?.start ?? fileSize) }
            if isMediaOpen, piece != nil || !reachesEnd { isBroken = true }
            if !isMediaOpen { unreadBytes += (piece?.start ?? fileSize) - position }
            isMediaOpen = false
            guard let piece else { break }
            position = try take(piece, gap: position)
            guard fragments.count <= Self.mostFragments else {
                throw MediaError(
                    .unsupported, "cannot repair the recording", reason: "it has too many fragments to repair",
                    wayOut: "the file was not changed")
            }
        }
        try takeBlocks()
        for index in fragments.indices {
            let next = index + 1 < fragments.count ? fragments[index + 1].offset : fileSize
            fragments[index].limit = min(fragments[index].limit, next)
        }
    }

    /// Records a piece. Returns the offset at which the search continues.
    private mutating func take(_ piece: FragmentSearch.Piece, gap: UInt64) throws(MediaError) -> UInt64 {
        if let last = fragments.indices.last, fragments[last].limit == .max { fragments[last].limit = piece.start }
        switch piece {
        case .block(let block):
            blocks.append(block)
            return block.end
        case .note(let note): return note.end
        case .header(let header):
            otherHeaders.append(header)
            return header.end
        case .copy(let copy):
            try take(copy, gap: gap)
            return copy.end
        case .fragment(var fragment):
            let media = ByteReader(try search.bytes(at: fragment.headEnd, count: 16))
            reachesEnd = false
            if let size = FoundFragment.mediaSize(media.bytes), size <= fileSize - fragment.headEnd {
                let end = fragment.headEnd + size
                // It is not sufficient that the fragment ends at the end of the file: a false length may also lead
                // there.
                let place = try search.endOfOtherAtoms(at: end)
                let next = try search.piece(at: place)
                reachesEnd = place == fileSize
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

    /// Handles a copy of the previous fragment's head. If the copy differs from that head, it replaces the head. If
    /// nothing else is known of the fragment, the copy restores it.
    private mutating func take(_ copy: HeadCopy, gap: UInt64) throws(MediaError) {
        // The newest copy has every track.
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
        // If the file is longer or shorter than it was, only the remains of the head itself show where the head was.
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

    /// Adds the fragments that were found only in index blocks, in the gaps between the other fragments.
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
        // The fragment must fit between its neighbors, and its media data or the next piece must confirm its position.
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
    /// Returns the index of the first element for which `isBehind` is true; the number of elements if there is none.
    /// The elements for which it is false must come first in the array.
    func partition(_ isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
