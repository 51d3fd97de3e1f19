import MediaTypes

/// The samples that the leading header of a fragmented file lists in its own tables. Their bytes are before the first
/// fragment. FFmpeg writes such files if it is not asked for an empty header (`frag_keyframe` without `empty_moov`).
struct LeadingSamples {
    /// The existing samples. Offsets are relative to the start of the file.
    private(set) var tracks: [FragmentReader.Track] = []
    /// The number of listed samples that are missing, by track ID.
    private(set) var lost: [UInt32: Int64] = [:]

    /// No samples, as in the recordings of this library.
    init() {}

    /// - Parameter damaged: the fragments of the file. The samples end before the first of them.
    init(_ header: FinalHeader, before damaged: DamagedRecording, _ storage: any MovieStorage) throws(MediaError) {
        var listed: [FragmentReader.Track] = []
        for (id, trak) in header.tracks {
            guard let stbl = trak.find("mdia", "minf", "stbl"), var tables = ListedSamples(stbl) else { continue }
            listed += tables.parts(ofTrack: id)
            if tables.left > 0 { lost[id] = Int64(tables.left) }
        }
        guard !listed.isEmpty else { return }
        let fragments = damaged.fragments.lazy.map(\.offset).min()
        let media = Self.firstPosition..<max(Self.firstPosition, fragments ?? damaged.fileSize)
        var (kept, gone) = FragmentReader.cut(listed, media: media)
        if fragments == nil {
            // The file ends with these samples, so the last ones may never have been written.
            let torn = FragmentCursor.Fragment(offset: 0, headerSize: 0, tracks: listed, end: damaged.fileSize)
            let rest = try FragmentSalvage(
                torn, isCut: false, forms: RecordingSurvey.forms(header), storage: storage, fileSize: damaged.fileSize)
            (kept, gone) = (rest.tracks.filter { $0.sampleCount > 0 }, rest.lost)
        }
        if !FragmentReader.arePlausible(kept, media: media) {
            kept = []
            gone = listed.reduce(into: [:]) { $0[$1.id, default: 0] &+= Int64(clamping: $1.sampleCount) }
        }
        tracks = kept
        for (id, count) in gone { lost[id, default: 0] &+= count }
    }

    /// No sample begins before the end of the first atom's header.
    private static let firstPosition: UInt64 = 8

    /// The offset of the first byte of the samples; nil if there are none.
    var start: UInt64? { chunks.map { UInt64(clamping: $0.dataOffset) }.min() }

    /// Returns the number of bytes in a range of the file that are the media of these samples, with the header of the
    /// media data before them.
    func byteCount(in gap: Range<UInt64>) -> UInt64 {
        guard let start, gap.contains(start) else { return 0 }
        let end = chunks.map { UInt64(clamping: $0.dataOffset) &+ $0.byteCount }.max() ?? start
        return min(max(start, end), gap.upperBound) - gap.lowerBound
    }

    private var chunks: [FragmentReader.Chunk] { tracks.flatMap(\.chunks).filter { !$0.runs.isEmpty } }
}

/// Reads the sample tables of a track from a header in memory, in the order of the samples (ISO/IEC 14496-12, 8.6 and
/// 8.7).
private struct ListedSamples {
    private var durations: ListedRuns
    private var shifts: ListedRuns?
    /// The remaining numbers of keyframes; nil if every sample is one.
    private var keys: ByteReader?
    private var nextKey: UInt32?
    private var sizes: ByteReader
    /// The size of all samples; 0 if each has its own.
    private let size: UInt32
    private var map: ByteReader
    private var offsets: ByteReader
    private let hasLongOffsets: Bool
    /// The number of samples that were not read yet.
    private(set) var left: UInt32
    private var sample: UInt32 = 0

    /// The maximum number of chunks, more than any fragment has. It prevents a crafted file from filling the memory.
    private static let mostChunks: UInt32 = 1 << 20

    init?(_ stbl: Atom) {
        guard let stsz = stbl["stsz"], let stts = stbl["stts"], let stsc = stbl["stsc"],
            let places = stbl["stco"] ?? stbl["co64"], let durations = ListedRuns(stts)
        else { return nil }
        var (sizes, map, offsets) = (
            ByteReader(stsz.payload), ByteReader(stsc.payload), ByteReader(places.payload)
        )
        guard sizes.skip(4), let size = sizes.u32(), let count = sizes.u32(), map.skip(8), offsets.skip(8) else {
            return nil
        }
        var keys = stbl["stss"].map { ByteReader($0.payload) }
        nextKey = keys?.skip(8) == true ? keys?.u32() : nil
        (self.sizes, self.map, self.offsets, self.keys) = (sizes, map, offsets, keys)
        (self.durations, self.size, left) = (durations, size, count)
        shifts = stbl["ctts"].flatMap { ListedRuns($0) }
        hasLongOffsets = places.type == "co64"
    }

    /// Reads all samples. The parts differ in their sample descriptions.
    mutating func parts(ofTrack id: UInt32) -> [FragmentReader.Track] {
        var parts: [FragmentReader.Track] = []
        var (number, time) = (UInt32(0), UInt64(0))
        var (perChunk, description) = (UInt32(0), UInt32(1))
        var nextEntry = map.u32()
        while left > 0, number < Self.mostChunks, let offset = nextOffset() {
            number += 1
            if nextEntry == number, let samples = map.u32(), let entry = map.u32() {
                (perChunk, description) = (samples, max(1, entry))
                nextEntry = map.u32()
            }
            let chunk = nextChunk(of: min(perChunk, left), at: offset)
            guard !chunk.runs.isEmpty else { break }
            if parts.last?.description != description {
                parts.append(FragmentReader.Track(id: id, decodeTime: time, chunks: [], description: description))
            }
            parts[parts.count - 1].chunks.append(chunk)
            for run in chunk.runs { time &+= UInt64(run.duration) &* UInt64(run.count) }
        }
        return parts
    }

    private mutating func nextOffset() -> UInt64? {
        hasLongOffsets ? offsets.u64() : offsets.u32().map(UInt64.init)
    }

    /// Reads the samples of one chunk; fewer only if a table ends.
    private mutating func nextChunk(of count: UInt32, at offset: UInt64) -> FragmentReader.Chunk {
        var chunk = FragmentReader.Chunk(dataOffset: Int64(clamping: offset), runs: [])
        var rest = count
        while rest > 0, durations.fill() {
            var run = FragmentReader.Run(
                count: min(rest, durations.left), duration: durations.value, size: size, compositionOffset: 0,
                isKeyframe: true)
            if shifts?.fill() == true, let shifts {
                run.count = min(run.count, shifts.left)
                run.compositionOffset = Int32(bitPattern: shifts.value)
            }
            if keys != nil {
                // A number that is not larger than the one before it is invalid, and is skipped.
                while let key = nextKey, key <= sample { nextKey = keys?.u32() }
                run.isKeyframe = nextKey == sample &+ 1
                let others = nextKey.map { $0 &- sample &- 1 } ?? run.count
                run.count = run.isKeyframe ? 1 : min(run.count, others)
            }
            if size == 0 {
                guard let own = sizes.u32() else { break }
                (run.count, run.size) = (1, own)
            }
            chunk.add(run)
            durations.take(run.count)
            shifts?.take(run.count)
            sample &+= run.count
            left -= run.count
            rest -= run.count
        }
        return chunk
    }
}

/// The runs of a table in memory. Each run has a number of samples, and one value for all of them.
private struct ListedRuns {
    private var reader: ByteReader
    private var entries: UInt32
    /// The number of samples that remain in the current run.
    private(set) var left: UInt32 = 0
    private(set) var value: UInt32 = 0

    init?(_ table: Atom) {
        var reader = ByteReader(table.payload)
        guard reader.skip(4), let count = reader.u32() else { return nil }
        (self.reader, entries) = (reader, count)
    }

    /// Moves to the next run if the current one is used up. Returns false at the end.
    mutating func fill() -> Bool {
        while left == 0 {
            guard entries > 0, let count = reader.u32(), let value = reader.u32() else { return false }
            entries -= 1
            (left, self.value) = (count, value)
        }
        return true
    }

    mutating func take(_ count: UInt32) { left -= min(left, count) }
}
