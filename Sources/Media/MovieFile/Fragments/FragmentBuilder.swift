import MediaTypes

/// Writes one fragment: a `moof` atom and the `mdat` with its samples (ISO/IEC 14496-12, 8.8).
///
/// Every `trun` of a track is one chunk, and becomes a chunk of the final header.
struct FragmentBuilder {
    /// Consecutive samples with the same properties: one packet, or a block of PCM frames.
    struct Run {
        var data: MediaData
        var count: UInt32
        /// The size of one sample in bytes.
        var size: UInt32
        /// The duration of one sample in ticks.
        var duration: UInt32
        var compositionOffset: Int32
        var isKeyframe: Bool
        /// The start of the first sample in `data`.
        var offset = 0
    }

    struct Track {
        var id: UInt32
        /// The decode time of the first sample on the track's timeline, in ticks.
        var decodeTime: UInt64
        var runs: [Run]
        /// Ticks per second.
        var timeScale: Int32 = 1
        /// The start of the session on the track's timeline, in ticks of the track.
        var lead: Int64 = 0
        /// The maximum duration of a chunk; if nil, the samples form one chunk.
        var chunkDuration: MediaTime?
        /// The alignment of each chunk in the file, in bytes; at most 16 MiB.
        var chunkAlignment = 1
        /// The number, from 1, of the entry of the sample description table that describes the samples.
        var description: UInt32 = 1
    }

    /// The values that `tfhd` stores once for all samples of a track.
    private struct Defaults {
        let hasOneDuration: Bool
        let hasOneSize: Bool
        let hasOffsets: Bool
        /// True if `tfhd` stores the flags of keyframes for all samples; false for the flags of other samples. The
        /// flags are stored only if `hasOneFlag` is true.
        let isKeyframe: Bool
        /// True if all samples agree with `isKeyframe`, except perhaps the first of each chunk.
        let hasOneFlag: Bool

        init(_ runs: [Run], chunks: [ChunkLayout.Chunk], track: Int) {
            let first = runs[0]
            hasOneSize = runs.allSatisfy { $0.size == first.size }
            hasOneDuration = runs.allSatisfy { $0.duration == first.duration }
            hasOffsets = runs.contains { $0.compositionOffset != 0 }
            let key = runs.last?.isKeyframe ?? true
            isKeyframe = key
            hasOneFlag = chunks.allSatisfy { chunk in
                chunk.track != track
                    || chunk.runs.dropFirst().allSatisfy { $0.isKeyframe == key }
                        && (chunk.runs[0].isKeyframe == key || chunk.runs[0].count == 1)
            }
        }
    }

    private static let keyFlags: UInt32 = 0x0200_0000  // depends on no other sample
    private static let otherFlags: UInt32 = 0x0101_0000  // depends on others, not a sync sample

    /// Appends the fragment's bytes to `writer`, except those that are still in another file.
    ///
    /// - Parameters:
    ///   - offset: the start of the fragment in the file, for chunks with an alignment.
    ///   - seal: stored before the samples.
    ///   - stored: collects the pieces of other files, which the caller inserts between the bytes in `writer`.
    static func write(
        _ tracks: [Track], sequenceNumber: UInt32, at offset: UInt64 = 0, seal: [UInt8] = [],
        into writer: inout AtomWriter, stored: inout StoredPieces
    ) {
        let start = writer.count
        var layout = ChunkLayout(tracks)
        writer.atom("moof") { moof in
            moof.fullAtom("mfhd") { $0.u32(sequenceNumber) }
            for index in tracks.indices {
                moof.atom("traf") { writeTrack(tracks[index], index: index, layout: &layout, into: &$0) }
            }
        }
        // The header of `mdat` has 8 bytes, or 16 if a fragment exceeds 4 GiB.
        let moofSize = writer.count - start
        layout.place(at: offset + UInt64(moofSize + seal.count) + 8, tracks: tracks)
        let isLarge = layout.byteCount + seal.count + 8 > Int(UInt32.max)
        if isLarge { layout.place(at: offset + UInt64(moofSize + seal.count) + 16, tracks: tracks) }
        let headerSize = moofSize + (isLarge ? 16 : 8) + seal.count
        for chunk in layout.chunks {
            writer.patch(UInt32(clamping: headerSize + chunk.offset), at: chunk.offsetField)
        }
        writer.u32(isLarge ? 1 : UInt32(layout.byteCount + seal.count + 8))
        writer.code("mdat")
        if isLarge { writer.u64(UInt64(layout.byteCount + seal.count + 16)) }
        writer.raw(seal)
        for chunk in layout.chunks {
            writer.zeros(chunk.padding)
            for run in chunk.runs where !stored.take(run, at: writer.count) { writer.raw(run.bytes) }
        }
    }

    /// Appends all bytes of the fragment, including those in other files.
    static func write(_ tracks: [Track], sequenceNumber: UInt32, at offset: UInt64 = 0, into writer: inout AtomWriter) {
        var none = StoredPieces(isUsed: false)
        write(tracks, sequenceNumber: sequenceNumber, at: offset, into: &writer, stored: &none)
    }

    /// Writes the body of a `traf`, and records the positions of its chunks' data offsets.
    private static func writeTrack(
        _ track: Track, index: Int, layout: inout ChunkLayout, into traf: inout AtomWriter
    ) {
        let first = track.runs[0]
        let defaults = Defaults(track.runs, chunks: layout.chunks, track: index)
        // Offsets are relative to the start of the `moof` (0x020000). A value that all samples share is stored once as
        // a default.
        traf.fullAtom(
            "tfhd",
            flags: 0x020000 | UInt32(track.description == 1 ? 0 : 0x02) | UInt32(defaults.hasOneDuration ? 0x08 : 0)
                | UInt32(defaults.hasOneSize ? 0x10 : 0) | UInt32(defaults.hasOneFlag ? 0x20 : 0)
        ) { tfhd in
            tfhd.u32(track.id)
            if track.description != 1 { tfhd.u32(track.description) }
            if defaults.hasOneDuration { tfhd.u32(first.duration) }
            if defaults.hasOneSize { tfhd.u32(first.size) }
            if defaults.hasOneFlag { tfhd.u32(defaults.isKeyframe ? keyFlags : otherFlags) }
        }
        traf.fullAtom("tfdt", version: 1) { $0.u64(track.decodeTime) }
        for place in layout.chunks.indices where layout.chunks[place].track == index {
            let position = writeChunk(layout.chunks[place], defaults: defaults, into: &traf)
            layout.setOffsetField(position, ofChunk: place)
        }
    }

    /// Writes a `trun`. Returns the position of its data offset.
    private static func writeChunk(
        _ chunk: ChunkLayout.Chunk, defaults: Defaults, into traf: inout AtomWriter
    ) -> Int {
        let first = chunk.runs[0]
        let hasFirstFlag = defaults.hasOneFlag && first.isKeyframe != defaults.isKeyframe
        let fields: UInt32 =
            (defaults.hasOneDuration ? 0 : 0x100) | (defaults.hasOneSize ? 0 : 0x200)
            | (defaults.hasOneFlag ? 0 : 0x400) | (defaults.hasOffsets ? 0x800 : 0)
        var position = 0
        traf.fullAtom("trun", version: 1, flags: 0x01 | (hasFirstFlag ? 0x04 : 0) | fields) { trun in
            trun.u32(UInt32(clamping: chunk.sampleCount))
            position = trun.count
            trun.u32(0)
            if hasFirstFlag { trun.u32(first.isKeyframe ? keyFlags : otherFlags) }
            guard fields != 0 else { return }
            for run in chunk.runs {
                for _ in 0..<run.count {
                    if !defaults.hasOneDuration { trun.u32(run.duration) }
                    if !defaults.hasOneSize { trun.u32(run.size) }
                    if !defaults.hasOneFlag { trun.u32(run.isKeyframe ? keyFlags : otherFlags) }
                    if defaults.hasOffsets { trun.s32(run.compositionOffset) }
                }
            }
        }
        return position
    }
}
