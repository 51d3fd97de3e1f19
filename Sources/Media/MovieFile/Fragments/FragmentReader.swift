import MediaTypes

/// Reads the header of one fragment: its samples and the positions of their bytes (ISO/IEC 14496-12, 8.8).
struct FragmentReader {
    /// Consecutive samples with the same properties.
    struct Run: Equatable {
        var count: UInt32
        var duration: UInt32
        var size: UInt32
        var compositionOffset: Int32
        var isKeyframe: Bool
    }

    /// The samples of one `trun`. Their bytes are contiguous.
    struct Chunk {
        /// Offset from the start of the `moof`.
        var dataOffset: Int64
        var runs: [Run]
        /// The position in the `moof` at which the number of samples is stored. `statedCount` is the stored number.
        var countPosition = 0
        /// True if the run's own header states where its bytes begin.
        var saysOffset = false
        var statedCount: UInt32 = 0

        var sampleCount: UInt64 { runs.reduce(0) { $0 + UInt64($1.count) } }
        var byteCount: UInt64 { runs.reduce(0) { $0 + UInt64($1.size) * UInt64($1.count) } }
        /// The size of all samples that the run states, including those that it only counts and does not list.
        var claimedBytes: (UInt64, overflow: Bool) {
            let listed = sampleCount
            let more = UInt64(statedCount) > listed ? UInt64(statedCount) - listed : 0
            let (sum, overflow) = byteCount.addingReportingOverflow(more * UInt64(max(1, runs.last?.size ?? 1)))
            return (sum, overflow)
        }
    }

    /// The samples of one `traf`.
    struct Track {
        var id: UInt32
        var decodeTime: UInt64
        var chunks: [Chunk]
        /// The number of the entry of the sample description table, from 1.
        var description: UInt32 = 1
        /// False if the `traf` does not state its decode time, which other programs may omit. The time is then that of
        /// the end of the previous fragment (ISO/IEC 14496-12, 8.8.12).
        var hasTime = true

        var sampleCount: UInt64 { chunks.reduce(0) { $0 + $1.sampleCount } }

        /// Returns true if the samples are within the media data, and their times are so small that no sum of them
        /// overflows.
        ///
        /// - Parameter media: the body of the fragment's `mdat`, from the start of the `moof`.
        func isPlausible(media: Range<UInt64>) -> Bool {
            var end = decodeTime
            for chunk in chunks {
                guard let start = UInt64(exactly: chunk.dataOffset), media.contains(start) || chunk.runs.isEmpty else {
                    return false
                }
                var left = media.upperBound - min(start, media.upperBound)
                for run in chunk.runs {
                    // Empty samples count as one byte each, because their number would be unlimited otherwise.
                    let bytes = UInt64(max(1, run.size)) * UInt64(run.count)
                    guard bytes <= left, end <= 1 << 60 else { return false }
                    left -= bytes
                    end += min(UInt64(run.duration) * UInt64(run.count), 1 << 61)
                }
            }
            return end <= 1 << 60
        }
    }

    /// Returns the samples that are left if the media data ends earlier. Each track keeps the samples before the first
    /// one that is not completely in `media`. Also returns the number of lost samples, by track ID.
    static func cut(_ tracks: [Track], media: Range<UInt64>) -> (tracks: [Track], lost: [UInt32: Int64]) {
        var lost: [UInt32: Int64] = [:]
        var kept = tracks
        for place in kept.indices {
            var isGone = false
            for index in kept[place].chunks.indices {
                let chunk = kept[place].chunks[index]
                kept[place].chunks[index].runs = []
                guard !isGone, let start = UInt64(exactly: chunk.dataOffset), start >= media.lowerBound else {
                    isGone = true
                    continue
                }
                var position = start
                for run in chunk.runs where !isGone {
                    let room = media.upperBound - min(position, media.upperBound)
                    var part = run
                    part.count = UInt32(clamping: min(UInt64(run.count), room / UInt64(max(1, run.size))))
                    isGone = part.count < run.count
                    kept[place].chunks[index].add(part)
                    position += UInt64(part.count) * UInt64(part.size)
                }
            }
            kept[place].chunks.removeAll { $0.runs.isEmpty }
            let missing = Int64(clamping: tracks[place].sampleCount) - Int64(clamping: kept[place].sampleCount)
            if missing > 0 { lost[tracks[place].id, default: 0] &+= missing }
        }
        return (kept.filter { !$0.chunks.isEmpty }, lost)
    }

    /// Returns true if every track is plausible, and if all samples together need no more bytes than exist.
    static func arePlausible(_ tracks: [Track], media: Range<UInt64>) -> Bool {
        var left = media.upperBound - media.lowerBound
        for track in tracks {
            guard track.isPlausible(media: media) else { return false }
            for chunk in track.chunks {
                for run in chunk.runs {
                    let bytes = UInt64(max(1, run.size)) * UInt64(run.count)
                    guard bytes <= left else { return false }
                    left -= bytes
                }
            }
        }
        return true
    }

    /// Parses a `moof` with its header. Returns nil if it is incomplete, or has another form than this library or
    /// `dialect` uses.
    ///
    /// - Parameters:
    ///   - cutsCounts: true to limit a count that exceeds the list of samples to the length of that list. The fragment
    ///     then stays readable if a power loss left a count half rewritten.
    ///   - dialect: the values that other programs omit; nil for a recording of this library.
    static func tracks(inMovieFragment bytes: [UInt8], cutsCounts: Bool = false, _ dialect: FragmentDialect? = nil)
        -> [Track]?
    {
        guard bytes.count >= 8, isWhole(bytes) else { return nil }
        var tracks: [Track] = []
        // The position at which a track's data starts if the track does not state it: the end of the previous track's
        // data.
        var base: Int64 = 0
        let isOurs = forEachAtom(bytes[8...]) { type, body in
            guard type == "traf" else { return true }
            guard let track = parseTrack(body, cutsCounts, dialect, &base) else { return false }
            tracks.append(track)
            return true
        }
        return isOurs ? tracks : nil
    }

    /// Returns the fragment's number, from 1, from the `mfhd` at the start of a `moof`; nil if there is none.
    static func sequenceNumber(inMovieFragment bytes: [UInt8]) -> UInt32? {
        var reader = ByteReader(bytes)
        guard reader.skip(8), reader.u32() == 16, reader.code() == "mfhd", reader.skip(4) else { return nil }
        return reader.u32()
    }

    private static func isWhole(_ bytes: [UInt8]) -> Bool {
        var reader = ByteReader(bytes)
        return reader.u32().map { Int($0) } == bytes.count && reader.code() == "moof"
    }

    /// Calls `body` for each atom. Returns false if lengths contradict each other, or if `body` returns false.
    private static func forEachAtom(_ bytes: ArraySlice<UInt8>, _ body: (FourCharCode, ArraySlice<UInt8>) -> Bool)
        -> Bool
    {
        var reader = ByteReader(bytes)
        while reader.remaining >= 8 {
            guard let size = reader.u32(), let type = reader.code(), size >= 8,
                let content = reader.slice(Int(size) - 8), body(type, content)
            else { return false }
        }
        // QuickTime permits four zero bytes at the end of a list.
        return reader.remaining == 0 || reader.remaining == 4
    }

    private static func parseTrack(
        _ traf: ArraySlice<UInt8>, _ cutsCounts: Bool, _ dialect: FragmentDialect?, _ base: inout Int64
    ) -> Track? {
        var header: Header?
        var decodeTime: UInt64?
        var chunks: [Chunk] = []
        let isOurs = forEachAtom(traf) { type, body in
            switch type {
            case "tfhd":
                header = parseHeader(body, dialect, base)
                return header != nil
            case "tfdt":
                var times = ByteReader(body)
                guard let word = times.u32() else { return false }
                decodeTime = word >> 24 == 1 ? times.u64() : times.u32().map(UInt64.init)
                return decodeTime != nil
            case "trun":
                // A run without a data offset begins where the previous one ends.
                let follows = chunks.last.flatMap { last in
                    Int64(exactly: last.byteCount).map { last.dataOffset &+ $0 }
                }
                guard let header,
                    var chunk = parseRun(body, header.defaults, follows: follows ?? header.base, cutsCounts)
                else { return false }
                // The offset of a run is relative to the base.
                if chunk.saysOffset { chunk.dataOffset = chunk.dataOffset &+ header.base }
                base = chunk.dataOffset &+ Int64(clamping: chunk.byteCount)
                chunks.append(chunk)
                return true
            default: return true
            }
        }
        guard isOurs, let header, decodeTime != nil || dialect != nil, !chunks.isEmpty else { return nil }
        return Track(
            id: header.id, decodeTime: decodeTime ?? 0, chunks: chunks, description: header.description,
            hasTime: decodeTime != nil)
    }

    private struct Header {
        var id: UInt32
        var defaults: Run
        /// The base of data offsets, relative to the start of the `moof`.
        var base: Int64
        var description: UInt32
    }

    private static func parseHeader(_ tfhd: ArraySlice<UInt8>, _ dialect: FragmentDialect?, _ follows: Int64)
        -> Header?
    {
        var reader = ByteReader(tfhd)
        guard let word = reader.u32(), let id = reader.u32() else { return nil }
        let flags = word & 0xFF_FFFF
        var base: Int64 = dialect == nil || flags & 0x02_0000 != 0 ? 0 : follows
        if flags & 0x01 != 0 {
            guard let place = reader.u64() else { return nil }
            if let dialect { base = Int64(clamping: place) &- Int64(clamping: dialect.fragment) }
        }
        var description = dialect?.descriptions[id] ?? 1
        if flags & 0x02 != 0 {
            guard let value = reader.u32(), value > 0 else { return nil }
            description = value
        }
        var defaults =
            dialect?.defaults[id] ?? Run(count: 1, duration: 0, size: 0, compositionOffset: 0, isKeyframe: true)
        if flags & 0x08 != 0 {
            guard let value = reader.u32() else { return nil }
            defaults.duration = value
        }
        if flags & 0x10 != 0 {
            guard let value = reader.u32() else { return nil }
            defaults.size = value
        }
        if flags & 0x20 != 0 {
            guard let value = reader.u32() else { return nil }
            defaults.isKeyframe = isKey(value)
        }
        return Header(id: id, defaults: defaults, base: base, description: description)
    }

    private static func parseRun(_ trun: ArraySlice<UInt8>, _ defaults: Run, follows: Int64, _ cutsCounts: Bool)
        -> Chunk?
    {
        var reader = ByteReader(trun)
        guard let word = reader.u32(), let stated = reader.u32() else { return nil }
        let flags = word & 0xFF_FFFF
        var chunk = Chunk(dataOffset: follows, runs: [], countPosition: trun.startIndex + 4, statedCount: stated)
        if flags & 0x01 != 0 {
            guard let value = reader.s32() else { return nil }
            chunk.dataOffset = Int64(value)
            chunk.saysOffset = true
        }
        var firstFlags: UInt32?
        if flags & 0x04 != 0 {
            guard let value = reader.u32() else { return nil }
            firstFlags = value
        }
        if flags & 0xF00 == 0, firstFlags == nil {
            var run = defaults
            run.count = stated
            chunk.runs = stated == 0 ? [] : [run]
            return chunk
        }
        let fields = (flags >> 8 & 0xF).nonzeroBitCount
        // A count is wrong if its samples need more bytes than there are. If samples need no bytes, a limit of one
        // million prevents a wrong count from filling the memory.
        let most = fields == 0 ? 1_000_000 : reader.remaining / (4 * fields)
        guard Int(stated) <= most || cutsCounts else { return nil }
        for index in 0..<min(Int(stated), most) {
            var run = defaults
            if flags & 0x100 != 0 { run.duration = reader.u32() ?? 0 }
            if flags & 0x200 != 0 { run.size = reader.u32() ?? 0 }
            if flags & 0x400 != 0 {
                run.isKeyframe = isKey(reader.u32() ?? 0)
            } else if index == 0, let firstFlags {
                run.isKeyframe = isKey(firstFlags)
            }
            if flags & 0x800 != 0 { run.compositionOffset = reader.s32() ?? 0 }
            chunk.add(run)
        }
        return chunk
    }

    /// Returns true if `sample_is_non_sync_sample` is clear.
    static func isKey(_ flags: UInt32) -> Bool { flags & 0x0001_0000 == 0 }
}

extension FragmentReader.Chunk {
    /// Appends samples. Equal neighbors are joined into one run.
    mutating func add(_ run: FragmentReader.Run) {
        guard run.count > 0 else { return }
        if var last = runs.last {
            let count = last.count
            last.count = run.count
            if last == run {
                runs[runs.count - 1].count = count &+ run.count
                return
            }
        }
        runs.append(run)
    }
}
