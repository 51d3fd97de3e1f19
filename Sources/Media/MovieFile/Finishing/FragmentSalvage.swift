import MediaTypes

/// The samples of a recording's last fragment that can be kept: for each track, the samples before the first missing
/// one.
///
/// Only the last fragment can be incomplete, because each fragment is synced before the next is begun.
struct FragmentSalvage {
    /// A number in the fragment's header that is decreased.
    struct Patch: Equatable {
        var offset: UInt64
        var old: [UInt8]
        var new: [UInt8]
    }

    /// The fragment's tracks, with the kept samples.
    private(set) var tracks: [FragmentReader.Track] = []
    /// The number of samples that the fragment's header lists but that are missing, by track ID.
    private(set) var lost: [UInt32: Int64] = [:]
    /// The end of the kept samples in the file; nil if there are none.
    private(set) var end: UInt64?
    /// The position in the file at which a track's first missing sample would end; the maximum of all tracks. Remains
    /// of these samples cannot extend beyond it.
    private(set) var tornEnd: UInt64 = 0
    /// The writes after which the fragment lists only its kept samples, in batches that are synced one after the other.
    private(set) var patches: [[Patch]] = []

    init(
        _ fragment: FragmentCursor.Fragment, isCut: Bool, forms: [UInt32: SampleForm], storage: any MovieStorage,
        fileSize: UInt64
    ) throws(MediaError) {
        let length = fileSize - min(fragment.offset, fileSize)
        let body = min(fragment.headerSize + 8, length)..<length
        // Samples do not share bytes. If a header claimed that they do, the same bytes would be read again and again.
        var left = body.upperBound - body.lowerBound
        var ends: [UInt64] = []
        for track in fragment.tracks {
            var kept = track
            let form = forms[track.id] ?? .anything
            var isGone = false
            for index in track.chunks.indices {
                let chunk = track.chunks[index]
                kept.chunks[index].runs = []
                if isGone { continue }
                guard let start = UInt64(exactly: chunk.dataOffset), start >= body.lowerBound else {
                    isGone = true
                    continue
                }
                var position = start
                for run in chunk.runs where !isGone {
                    let there = min(left, length - min(position, length)) / UInt64(max(1, run.size))
                    var count = UInt32(clamping: min(UInt64(run.count), there))
                    if form != .anything {
                        let wanted = count
                        count = 0
                        while count < wanted {
                            let sample = fragment.offset + position + UInt64(count) * UInt64(run.size)
                            guard run.size > 0, try form.holds(sample..<(sample + UInt64(run.size)), in: storage)
                            else { break }
                            count += 1
                        }
                    }
                    isGone = count < run.count
                    if isGone {
                        let gone = position + (UInt64(count) + 1) * UInt64(run.size)
                        tornEnd = max(tornEnd, min(fileSize, fragment.offset + min(gone, length)))
                    }
                    var part = run
                    part.count = count
                    kept.chunks[index].add(part)
                    position += UInt64(count) * UInt64(run.size)
                    left -= UInt64(count) * UInt64(max(1, run.size))
                }
                if position > start { ends.append(fragment.offset + position) }
            }
            if !kept.isPlausible(media: body) {
                for index in kept.chunks.indices { kept.chunks[index].runs = [] }
            }
            tracks.append(kept)
            let missing = Int64(clamping: track.sampleCount) - Int64(clamping: kept.sampleCount)
            if missing > 0 { lost[track.id, default: 0] &+= missing }
        }
        guard tracks.contains(where: { $0.sampleCount > 0 }), let last = ends.max() else { return }
        if !isCut, lost.isEmpty {
            end = fragment.end
            return
        }
        end = last
        try plan(fragment, end: last, storage)
    }

    /// Plans the writes: first the length of the `mdat`, then the counts of each track, from its last to its first.
    /// After a power loss at any point, the next repair keeps the same samples.
    private mutating func plan(_ fragment: FragmentCursor.Fragment, end: UInt64, _ storage: any MovieStorage)
        throws(MediaError)
    {
        let batches = [[try Self.lengthPatch(fragment, end: end, storage)]] + countPatches(fragment)
        patches = batches.map { $0.filter { $0.old != $0.new } }.filter { !$0.isEmpty }
    }

    /// The new length of the `mdat`, which ends at `end`.
    private static func lengthPatch(
        _ fragment: FragmentCursor.Fragment, end: UInt64, _ storage: any MovieStorage
    ) throws(MediaError) -> Patch {
        let media = fragment.offset + fragment.headerSize
        let header = try storage.read(16, at: media)
        var size = AtomWriter()
        guard header.starts(with: [0, 0, 0, 1]) else {
            size.u32(UInt32(clamping: end - media))
            return Patch(offset: media, old: Array(header.prefix(4)), new: size.bytes)
        }
        size.u64(end - media)
        return Patch(offset: media + 8, old: Array(header.dropFirst(8)), new: size.bytes)
    }

    /// The new counts of samples: those of the last chunk of each track, then those of the chunks before.
    private func countPatches(_ fragment: FragmentCursor.Fragment) -> [[Patch]] {
        var batches: [[Patch]] = []
        for track in tracks {
            for (rank, chunk) in track.chunks.reversed().enumerated() {
                var (old, new) = (AtomWriter(), AtomWriter())
                old.u32(chunk.statedCount)
                new.u32(UInt32(clamping: chunk.sampleCount))
                if rank == batches.count { batches.append([]) }
                let place = fragment.offset + UInt64(chunk.countPosition)
                batches[rank].append(Patch(offset: place, old: old.bytes, new: new.bytes))
            }
        }
        return batches
    }

    /// Writes the changes, after which the fragment lists only its kept samples.
    func apply(to storage: any MovieStorage) throws(MediaError) {
        for batch in patches {
            for patch in batch { try patch.apply(to: storage) }
            try storage.synchronize()
        }
    }
}

extension FragmentSalvage.Patch {
    /// The size of a sector, which a disk writes completely or not at all, in bytes.
    private static let sector: UInt64 = 512

    /// Writes the new number. If it crosses a sector boundary, a power loss may leave a mix of old and new bytes. The
    /// writes are ordered so that the mix is too large, never too small. If a number is too large, a repair limits it
    /// to the number of existing bytes.
    fileprivate func apply(to storage: any MovieStorage) throws(MediaError) {
        let head = Int(min(UInt64(new.count), Self.sector - offset % Self.sector))
        guard head < new.count else { return try storage.write(new, at: offset) }
        let tail = offset + UInt64(head)
        if new[..<head] != old[..<head] {
            try storage.write([UInt8](repeating: 0xFF, count: new.count - head), at: tail)
            try storage.synchronize()
            try storage.write(Array(new[..<head]), at: offset)
            try storage.synchronize()
        }
        try storage.write(Array(new[head...]), at: tail)
    }
}
