package import MediaTypes

/// A track of a finalized movie according to its header: the bytes of its samples in the file, and their presentation
/// times (ISO/IEC 14496-12, 8.6 and 8.7).
package struct StoredTrack {
    /// One sample, or for PCM a chunk of contiguous samples.
    package struct Sample {
        package var offset: UInt64
        package var byteCount: UInt64
        /// The presentation time, in ticks of the tables' timeline.
        package var presentation: Int64
        /// The ticks from the start of a chunk's first sample to the start of its last; nil for a single sample.
        package var span: Int64?
        package var isKeyframe: Bool
        /// The decode time in the tables, and the composition offset, in ticks; the offset is 0 for a chunk.
        package var decodeTime: Int64
        package var compositionOffset: Int32
        /// The number of samples in the table; more than 1 only for a chunk.
        package var count: Int = 1
    }

    /// A range of the tables' timeline that is shown.
    package struct Edit: Equatable {
        /// The start, counted from the start of the movie, and the duration. Both are in ticks of the movie.
        package var start: UInt64
        package var duration: UInt64
        /// The start of the range, in ticks of the track.
        package var mediaTime: Int64
    }

    package let id: UInt32
    package let handler: FourCharCode
    package let description: TrackDescription
    package let edits: [Edit]
    /// The end of the last edit, in ticks of the movie; nil without edits.
    package var end: UInt64? { edits.last.map { $0.start &+ $0.duration } }
    package let samples: [Sample]
    /// True if the track is visible or audible.
    package var isShown: Bool { handler == "vide" || handler == "soun" }

    /// Returns all tracks of a finalized movie's header; nil if one contradicts itself.
    ///
    /// - Parameters:
    ///   - byteCount: the length that the header states.
    ///   - fileSize: the limit for the size of all samples. Prevents a false count from filling the memory.
    ///   - isOne: returns true for tracks in which a chunk counts as one sample.
    static func all(
        _ moov: Atom, byteCount: UInt64, fileSize: UInt64, isOne: (UInt32) -> Bool
    ) -> [StoredTrack]? {
        var tracks: [StoredTrack] = []
        guard PlainHeader.isPlain(moov, byteCount: byteCount) else { return nil }
        let descriptions = TrackDescriptions(moov)
        for trak in moov.all("trak") {
            guard let id = FinalHeader.trackID(trak), let description = descriptions[id],
                let tables = trak.find("mdia", "minf", "stbl"), let edits = edits(trak),
                let samples = samples(tables, chunked: isOne(id), fileSize)
            else { return nil }
            tracks.append(
                StoredTrack(
                    id: id, handler: FinalHeader.handlerType(trak) ?? "none", description: description,
                    edits: edits, samples: samples))
        }
        return tracks
    }

    /// Returns the edits of a track. Returns nil if the list does not have the form that a recorder writes: one atom,
    /// normal speed everywhere, and at least one edit that shows media.
    private static func edits(_ trak: Atom) -> [Edit]? {
        guard let atom = trak.find("edts", "elst"), let list = EditList(payload: atom.payload),
            Array(list.atom().dropFirst(8)) == atom.payload
        else { return nil }
        var time: UInt64 = 0
        var edits: [Edit] = []
        for entry in list.entries {
            guard entry.mediaTime >= -1 else { return nil }
            if entry.mediaTime >= 0 {
                edits.append(Edit(start: time, duration: entry.duration, mediaTime: entry.mediaTime))
            }
            let (sum, overflow) = time.addingReportingOverflow(entry.duration)
            guard !overflow else { return nil }
            time = sum
        }
        return edits.isEmpty ? nil : edits
    }

    /// Returns the samples of a track. Returns nil if a table contains other values than required, because players
    /// interpret those in different ways.
    private static func samples(_ tables: Atom, chunked: Bool, _ fileSize: UInt64) -> [Sample]? {
        guard let sizes = Sizes(tables["stsz"], fileSize), let offsets = chunkOffsets(tables),
            var map = RunReader(tables["stsc"], fields: 3), var durations = RunReader(tables["stts"], fields: 2),
            var shifts = RunReader(tables["ctts"], fields: 2), var keys = RunReader(tables["stss"], fields: 1)
        else { return nil }
        let hasKeys = tables["stss"] != nil
        let hasShifts = tables["ctts"] != nil
        var nextKey = keys.next()?[0]
        var (duration, durationLeft) = (UInt32(0), UInt32(0))
        var (shift, shiftLeft) = (Int32(0), UInt32(0))
        var perChunk: UInt32?
        var following = map.next()
        var result: [Sample] = []
        var (number, time) = (0, Int64(0))
        for (chunk, offset) in offsets.enumerated() {
            if let next = following, Int(next[0]) == chunk + 1 {
                guard next[1] > 0, next[2] == 1 else { return nil }
                (perChunk, following) = (next[1], map.next())
            }
            guard let perChunk, Int(perChunk) <= sizes.count - number else { return nil }
            var place = offset
            let first = result.count
            for _ in 0..<perChunk {
                if durationLeft == 0 {
                    guard let run = durations.next(), run[0] > 0 else { return nil }
                    (durationLeft, duration) = (run[0], run[1])
                }
                if hasShifts, shiftLeft == 0 {
                    guard let run = shifts.next(), run[0] > 0 else { return nil }
                    (shiftLeft, shift) = (run[0], Int32(bitPattern: run[1]))
                }
                var isKey = !hasKeys
                if let key = nextKey, Int(key) == number + 1 { (isKey, nextKey) = (true, keys.next()?[0]) }
                let size = UInt64(sizes[number])
                if chunked, result.count > first {
                    result[first].byteCount += size
                    result[first].span = time &- result[first].presentation
                    result[first].count += 1
                } else {
                    result.append(
                        Sample(
                            offset: place, byteCount: size, presentation: time &+ Int64(shift), isKeyframe: isKey,
                            decodeTime: time, compositionOffset: shift))
                }
                place = place.addingReportingOverflow(size).partialValue
                time = time &+ Int64(duration)
                durationLeft -= 1
                if hasShifts { shiftLeft -= 1 }
                number += 1
            }
        }
        let isUsed = durationLeft == 0 && shiftLeft == 0 && nextKey == nil && following == nil
        let isRead = durations.isAtEnd && shifts.isAtEnd
        return number == sizes.count && isUsed && isRead ? result : nil
    }

    private static func chunkOffsets(_ tables: Atom) -> [UInt64]? {
        guard let table = tables["stco"] ?? tables["co64"] else { return nil }
        var reader = ByteReader(table.payload)
        guard reader.u32() == 0, let count = reader.u32(),
            Int(count) * (table.type == "co64" ? 8 : 4) == reader.remaining
        else { return nil }
        var offsets: [UInt64] = []
        offsets.reserveCapacity(Int(count))
        for _ in 0..<count {
            guard let offset = table.type == "co64" ? reader.u64() : reader.u32().map(UInt64.init) else { return nil }
            offsets.append(offset)
        }
        return offsets
    }

    /// The sizes in `stsz`: one for all samples, or one for each.
    private struct Sizes {
        let count: Int
        private let one: UInt32
        private let bytes: [UInt8]

        init?(_ table: Atom?, _ fileSize: UInt64) {
            guard let table else { return nil }
            var reader = ByteReader(table.payload)
            guard reader.u32() == 0, let one = reader.u32(), let count = reader.u32(),
                one > 0
                    ? UInt64(one) * UInt64(count) <= fileSize && reader.remaining == 0
                    : Int(count) * 4 == reader.remaining
            else { return nil }
            (self.one, self.count, bytes) = (one, Int(count), table.payload)
        }

        subscript(index: Int) -> UInt32 {
            if one > 0 { return one }
            let start = 12 + index * 4
            return bytes[start..<(start + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
    }

    /// A table of entries with `fields` 32-bit fields each.
    private struct RunReader {
        private var reader: ByteReader
        private let fields: Int
        private var left: UInt32 = 0

        /// Reads a table. A missing table counts as one without entries. Returns nil if the table has another version,
        /// or more or fewer entries than it states.
        init?(_ table: Atom?, fields: Int) {
            reader = ByteReader(table?.payload ?? [])
            self.fields = fields
            guard let table else { return }
            guard let version = reader.u32(), version == 0 || version == 1 << 24 && table.type == "ctts",
                let count = reader.u32(), Int(count) * 4 * fields == reader.remaining
            else { return nil }
            left = count
        }

        var isAtEnd: Bool { left == 0 }

        mutating func next() -> [UInt32]? {
            guard left > 0 else { return nil }
            left -= 1
            var entry: [UInt32] = []
            for _ in 0..<fields {
                guard let field = reader.u32() else { return nil }
                entry.append(field)
            }
            return entry
        }
    }
}

extension SealedFragments.MovieTracks {
    /// The IDs of the tracks whose samples all have the same small size and last one tick each, as frames of PCM do.
    package var tracksOfFrames: Set<UInt32> {
        var ids: Set<UInt32> = []
        for trak in moov.all("trak") {
            guard let id = FinalHeader.trackID(trak), let tables = trak.find("mdia", "minf", "stbl"),
                let sizes = tables["stsz"]?.payload, let durations = tables["stts"]?.payload
            else { continue }
            var (size, run) = (ByteReader(sizes), ByteReader(durations))
            guard size.skip(4), let each = size.u32(), 1...64 ~= each, run.skip(4), run.u32() == 1, run.skip(4),
                run.u32() == 1
            else { continue }
            ids.insert(id)
        }
        return ids
    }
}
