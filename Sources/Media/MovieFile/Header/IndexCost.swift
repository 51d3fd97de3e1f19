import MediaTypes

/// Counts the index entries that libavformat creates for a track. There can be far more entries than numbers in the
/// file: a few bytes can state a billion samples of one size, and each edit list entry repeats the samples that it
/// shows.
struct IndexCost {
    /// The number of samples in the largest table of sample sizes.
    private var samples: UInt64 = 0
    /// True if a table states one size for all samples, and so contains only their number.
    private var isUniform = false
    private var chunks: UInt64 = 0
    private var keyframes: UInt64?
    private var durations: [ArraySlice<UInt8>] = []
    private var edits: [EditList.Entry] = []
    private var mediaScale: UInt32?
    private var handlers: Set<FourCharCode> = []

    /// Handlers of tracks whose samples libavformat lists one by one.
    private static let listed: Set<FourCharCode> = ["vide", "subp", "clcp", "m1a "]

    /// The limit of the result. It is far above every limit that is checked, and the sum over all tracks fits into 64
    /// bits.
    private static let most = 1e12

    /// Reads the tables of a `trak`, at every level at which libavformat would find them.
    init(track: ArraySlice<UInt8>) { read(track, depth: 0) }

    private mutating func read(_ bytes: ArraySlice<UInt8>, depth: Int) {
        guard depth < TrackNumbers.deepest else { return }
        for (type, body) in TrackNumbers.children(bytes) {
            if TrackNumbers.containers.contains(type) { read(body, depth: depth + 1) } else { read(type, body) }
        }
    }

    private mutating func read(_ type: FourCharCode, _ body: ArraySlice<UInt8>) {
        var reader = ByteReader(body)
        switch type {
        case "hdlr": if reader.skip(8), let handler = reader.code() { handlers.insert(handler) }
        case "mdhd": mediaScale = mediaScale ?? Self.scale(body)
        case "stsz":
            guard reader.skip(4), let size = reader.u32(), let count = reader.u32() else { return }
            isUniform = isUniform || size > 0
            samples = max(samples, size > 0 ? UInt64(count) : min(UInt64(count), UInt64(reader.remaining / 4)))
        case "stz2":
            // Version and flags, three reserved bytes, the bits of each size, the count.
            guard reader.skip(7), let bits = reader.u8(), bits > 0, let count = reader.u32() else { return }
            samples = max(samples, min(UInt64(count), UInt64(reader.remaining) * 8 / UInt64(bits)))
        case "stco", "co64":
            guard reader.skip(4), let count = reader.u32() else { return }
            chunks = max(chunks, min(UInt64(count), UInt64(reader.remaining / 4)))
        case "stss":
            guard reader.skip(4), let count = reader.u32() else { return }
            keyframes = max(keyframes ?? 0, min(UInt64(count), UInt64(reader.remaining / 4)))
        case "stts": durations.append(body)
        case "elst":
            guard let list = EditList(payload: Array(body)), list.entries.count > edits.count else { return }
            edits = list.entries
        default: break
        }
    }

    /// Reads the time scale of `mvhd` or `mdhd`.
    static func scale(_ body: ArraySlice<UInt8>) -> UInt32? {
        var reader = ByteReader(body)
        guard let version = reader.u8(), reader.skip(version == 1 ? 19 : 11) else { return nil }
        return reader.u32()
    }

    /// True for linear PCM: audio in which each sample lasts one tick. libavformat lists the chunks of such a track.
    private var isListedByChunk: Bool {
        guard handlers.contains("soun"), handlers.isDisjoint(with: Self.listed), durations.count == 1 else {
            return false
        }
        var reader = ByteReader(durations[0])
        return reader.skip(4) && reader.u32() == 1 && reader.skip(4) && reader.u32() == 1
    }

    /// Returns the number of index entries.
    ///
    /// - Parameter movieScale: The time scale of the movie, in which edits are measured.
    func entries(movieScale: UInt32?) -> UInt64 {
        let isListedByChunk = isListedByChunk
        let stated = isUniform && !isListedByChunk ? samples : 0
        let shown = edits.filter { $0.mediaTime >= 0 }
        guard shown.count > 1 else { return stated }
        let all = Double(isListedByChunk ? chunks : samples)
        let length = all > 0 ? ticks / all : 0
        let scale = Double(mediaScale ?? 1) / Double(max(1, movieScale ?? 1))
        // The entries of an edit begin with the keyframe before it.
        let lead = keyframes.map { all / Double(max(1, $0)) } ?? 0
        let repeated = shown.reduce(0.0) { count, edit in
            // In a movie made from fragments, a duration of 0 means that the edit lasts until the end of the media.
            let isBounded = edit.duration > 0 && length > 0
            return count + lead + (isBounded ? min(all, Double(edit.duration) * scale / length + 2) : all)
        }
        return stated &+ UInt64(clamping: min(repeated, Self.most))
    }

    /// The duration of all samples.
    private var ticks: Double {
        durations.reduce(0.0) { sum, body in
            var (reader, ticks) = (ByteReader(body), 0.0)
            guard reader.skip(8) else { return sum }
            while let count = reader.u32(), let duration = reader.u32() { ticks += Double(count) * Double(duration) }
            return sum + ticks
        }
    }
}
