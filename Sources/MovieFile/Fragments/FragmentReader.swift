import MediaTypes

/// Reads one fragment's header back: which samples it holds and where their bytes are (ISO/IEC 14496-12, 8.8).
struct FragmentReader {
    /// Samples of one kind that follow each other.
    struct Run: Equatable {
        var count: UInt32
        var duration: UInt32
        var size: UInt32
        var compositionOffset: Int32
        var isKeyFrame: Bool
    }

    /// The samples of one `trun`: their bytes follow each other.
    struct Chunk {
        /// From the start of the `moof`.
        var dataOffset: Int64
        var runs: [Run]
        /// Where in the `moof` the number of samples stands, and what it says.
        var countPosition = 0
        var statedCount: UInt32 = 0

        var sampleCount: UInt64 { runs.reduce(0) { $0 + UInt64($1.count) } }
        var byteCount: UInt64 { runs.reduce(0) { $0 + UInt64($1.size) * UInt64($1.count) } }
    }

    /// The samples of one `traf`.
    struct Track {
        var id: UInt32
        var decodeTime: UInt64
        var chunks: [Chunk]

        var sampleCount: UInt64 { chunks.reduce(0) { $0 + $1.sampleCount } }

        /// Whether the samples lie in the media data, and their times are small enough that no sum of them overflows.
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
                    // Samples of no bytes could be any number.
                    let bytes = UInt64(max(1, run.size)) * UInt64(run.count)
                    guard bytes <= left, end <= 1 << 60 else { return false }
                    left -= bytes
                    end += min(UInt64(run.duration) * UInt64(run.count), 1 << 61)
                }
            }
            return end <= 1 << 60
        }
    }

    /// Whether every track is plausible, and all together claim no more bytes than there are.
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

    /// Parses a `moof` with its header. nil when it is not one of ours or not whole.
    ///
    /// - Parameter cutsCounts: a count that is larger than the list of samples counts as the list's length. So a count
    ///   that was half rewritten when the power failed does not cost the fragment.
    static func tracks(inMovieFragment bytes: [UInt8], cutsCounts: Bool = false) -> [Track]? {
        guard bytes.count >= 8, isWhole(bytes) else { return nil }
        var tracks: [Track] = []
        let isOurs = forEachAtom(bytes[8...]) { type, body in
            guard type == "traf" else { return true }
            guard let track = parseTrack(body, cutsCounts) else { return false }
            tracks.append(track)
            return true
        }
        return isOurs ? tracks : nil
    }

    private static func isWhole(_ bytes: [UInt8]) -> Bool {
        var reader = ByteReader(bytes)
        return reader.u32().map { Int($0) } == bytes.count && reader.code() == "moof"
    }

    /// Calls `body` for each atom; false when lengths contradict each other, or `body` says so.
    private static func forEachAtom(_ bytes: ArraySlice<UInt8>, _ body: (FourCharCode, ArraySlice<UInt8>) -> Bool)
        -> Bool
    {
        var reader = ByteReader(bytes)
        while reader.remaining >= 8 {
            guard let size = reader.u32(), let type = reader.code(), size >= 8,
                let content = reader.slice(Int(size) - 8), body(type, content)
            else { return false }
        }
        // QuickTime allows a list to end with four zero bytes.
        return reader.remaining == 0 || reader.remaining == 4
    }

    private static func parseTrack(_ traf: ArraySlice<UInt8>, _ cutsCounts: Bool) -> Track? {
        var header: (id: UInt32, defaults: Run)?
        var decodeTime: UInt64?
        var chunks: [Chunk] = []
        let isOurs = forEachAtom(traf) { type, body in
            switch type {
            case "tfhd":
                header = parseHeader(body)
                return header != nil
            case "tfdt":
                var times = ByteReader(body)
                guard let word = times.u32() else { return false }
                decodeTime = word >> 24 == 1 ? times.u64() : times.u32().map(UInt64.init)
                return decodeTime != nil
            case "trun":
                // A run that does not say where its bytes are goes on where the one before ends.
                let follows = chunks.last.flatMap { last in
                    Int64(exactly: last.byteCount).map { last.dataOffset &+ $0 }
                }
                guard let defaults = header?.defaults,
                    let chunk = parseRun(body, defaults, follows: follows ?? 0, cutsCounts)
                else { return false }
                chunks.append(chunk)
                return true
            default: return true
            }
        }
        guard isOurs, let header, let decodeTime, !chunks.isEmpty else { return nil }
        return Track(id: header.id, decodeTime: decodeTime, chunks: chunks)
    }

    private static func parseHeader(_ tfhd: ArraySlice<UInt8>) -> (UInt32, Run)? {
        var reader = ByteReader(tfhd)
        guard let word = reader.u32(), let id = reader.u32() else { return nil }
        let flags = word & 0xFF_FFFF
        if flags & 0x01 != 0, !reader.skip(8) { return nil }
        if flags & 0x02 != 0, !reader.skip(4) { return nil }
        var defaults = Run(count: 1, duration: 0, size: 0, compositionOffset: 0, isKeyFrame: true)
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
            defaults.isKeyFrame = isKey(value)
        }
        return (id, defaults)
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
        // A count that the bytes cannot hold is a lie; so is one that would make us build a table of any size.
        let most = fields == 0 ? 1_000_000 : reader.remaining / (4 * fields)
        guard Int(stated) <= most || cutsCounts else { return nil }
        for index in 0..<min(Int(stated), most) {
            var run = defaults
            if flags & 0x100 != 0 { run.duration = reader.u32() ?? 0 }
            if flags & 0x200 != 0 { run.size = reader.u32() ?? 0 }
            if flags & 0x400 != 0 {
                run.isKeyFrame = isKey(reader.u32() ?? 0)
            } else if index == 0, let firstFlags {
                run.isKeyFrame = isKey(firstFlags)
            }
            if flags & 0x800 != 0 { run.compositionOffset = reader.s32() ?? 0 }
            chunk.add(run)
        }
        return chunk
    }

    /// `sample_is_non_sync_sample` is clear.
    private static func isKey(_ flags: UInt32) -> Bool { flags & 0x0001_0000 == 0 }
}

extension FragmentReader.Chunk {
    /// Adds samples behind the others; equal neighbours become one run.
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
