import MediaTypes

/// Reads one fragment's header back: which samples it holds and where their bytes are (ISO/IEC 14496-12, 8.8).
struct FragmentReader {
    struct Run {
        var count: UInt32
        var duration: UInt32
        var size: UInt32
        var compositionOffset: Int32
        var isKeyFrame: Bool
    }

    struct Track {
        var id: UInt32
        var decodeTime: UInt64
        /// From the start of the `moof`.
        var dataOffset: Int64
        var runs: [Run]

        var sampleCount: UInt64 { runs.reduce(0) { $0 + UInt64($1.count) } }

        /// Whether the samples lie in the media data, and their times are small enough that no sum of them overflows.
        ///
        /// - Parameter media: the body of the fragment's `mdat`, from the start of the `moof`.
        func isPlausible(media: Range<UInt64>) -> Bool {
            guard let start = UInt64(exactly: dataOffset), media.contains(start) || runs.isEmpty else { return false }
            var left = media.upperBound - min(start, media.upperBound)
            var end = decodeTime
            for run in runs {
                // Samples of no bytes could be any number.
                let bytes = UInt64(max(1, run.size)) * UInt64(run.count)
                guard bytes <= left, end <= 1 << 60 else { return false }
                left -= bytes
                end += min(UInt64(run.duration) * UInt64(run.count), 1 << 61)
            }
            return end <= 1 << 60
        }
    }

    /// Parses a `moof` with its header. nil when it is not one of ours or not whole.
    static func tracks(inMovieFragment bytes: [UInt8]) -> [Track]? {
        guard let moof = Atom(parsing: bytes), moof.type == "moof" else { return nil }
        var tracks: [Track] = []
        for traf in moof.all("traf") {
            guard let track = parseTrack(traf) else { return nil }
            tracks.append(track)
        }
        return tracks
    }

    private static func parseTrack(_ traf: Atom) -> Track? {
        guard let tfhd = traf["tfhd"], let tfdt = traf["tfdt"], let trun = traf["trun"] else { return nil }
        var reader = ByteReader(tfhd.payload)
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
        var times = ByteReader(tfdt.payload)
        guard let timeWord = times.u32() else { return nil }
        guard let decodeTime = timeWord >> 24 == 1 ? times.u64() : times.u32().map(UInt64.init) else { return nil }
        guard let (offset, runs) = parseRuns(trun.payload, defaults: defaults) else { return nil }
        return Track(id: id, decodeTime: decodeTime, dataOffset: offset, runs: runs)
    }

    private static func parseRuns(_ payload: [UInt8], defaults: Run) -> (Int64, [Run])? {
        var reader = ByteReader(payload)
        guard let word = reader.u32(), let count = reader.u32() else { return nil }
        let flags = word & 0xFF_FFFF
        var offset: Int64 = 0
        if flags & 0x01 != 0 {
            guard let value = reader.s32() else { return nil }
            offset = Int64(value)
        }
        var firstFlags: UInt32?
        if flags & 0x04 != 0 {
            guard let value = reader.u32() else { return nil }
            firstFlags = value
        }
        if flags & 0xF00 == 0, firstFlags == nil {
            var run = defaults
            run.count = count
            return (offset, count == 0 ? [] : [run])
        }
        let fields = (flags >> 8 & 0xF).nonzeroBitCount
        // A count that the bytes cannot hold is a lie; so is one that would make us build a table of any size.
        guard fields == 0 ? count <= 1_000_000 : Int(count) <= reader.remaining / (4 * fields) else { return nil }
        var runs: [Run] = []
        runs.reserveCapacity(Int(count))
        for index in 0..<count {
            var run = defaults
            if flags & 0x100 != 0 { run.duration = reader.u32() ?? 0 }
            if flags & 0x200 != 0 { run.size = reader.u32() ?? 0 }
            if flags & 0x400 != 0 {
                run.isKeyFrame = isKey(reader.u32() ?? 0)
            } else if index == 0, let firstFlags {
                run.isKeyFrame = isKey(firstFlags)
            }
            if flags & 0x800 != 0 { run.compositionOffset = reader.s32() ?? 0 }
            runs.append(run)
        }
        return (offset, runs)
    }

    /// `sample_is_non_sync_sample` is clear.
    private static func isKey(_ flags: UInt32) -> Bool { flags & 0x0001_0000 == 0 }
}
