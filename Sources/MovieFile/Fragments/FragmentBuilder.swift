import MediaTypes

/// Writes one fragment: a `moof` atom and the `mdat` with its samples (ISO/IEC 14496-12, 8.8).
///
/// Every `trun` of a track is one chunk, and becomes one of the final header.
struct FragmentBuilder {
    /// Samples of one kind that follow each other: one packet, or a block of PCM frames.
    struct Run {
        var data: MediaData
        var count: UInt32
        /// Bytes of one sample.
        var size: UInt32
        /// Ticks of one sample.
        var duration: UInt32
        var compositionOffset: Int32
        var isKeyFrame: Bool
        /// Where in `data` the first sample begins.
        var offset = 0
    }

    struct Track {
        var id: UInt32
        /// Decode time of the first sample, in ticks since the track's zero.
        var decodeTime: UInt64
        var runs: [Run]
        /// Ticks per second.
        var timeScale: Int32 = 1
        /// Where on the track's time line the session starts, in ticks.
        var lead: Int64 = 0
        /// nil: one chunk.
        var chunkDuration: MediaTime?
        /// Each chunk begins at a multiple of so many bytes of the file, 16 MiB at most.
        var chunkAlignment = 1
        /// Which entry of the sample description table the samples have, from 1.
        var description: UInt32 = 1
    }

    /// What the `tfhd` says once for all samples of a track.
    private struct Defaults {
        let hasOneDuration: Bool
        let hasOneSize: Bool
        let hasOffsets: Bool
        /// Whether samples are key frames, where the `tfhd` says it.
        let isKeyFrame: Bool
        /// No sample but a chunk's first one differs from that.
        let hasOneFlag: Bool

        init(_ runs: [Run], chunks: [ChunkLayout.Chunk], track: Int) {
            let first = runs[0]
            hasOneSize = runs.allSatisfy { $0.size == first.size }
            hasOneDuration = runs.allSatisfy { $0.duration == first.duration }
            hasOffsets = runs.contains { $0.compositionOffset != 0 }
            let key = runs.last?.isKeyFrame ?? true
            isKeyFrame = key
            hasOneFlag = chunks.allSatisfy { chunk in
                chunk.track != track
                    || chunk.runs.dropFirst().allSatisfy { $0.isKeyFrame == key }
                        && (chunk.runs[0].isKeyFrame == key || chunk.runs[0].count == 1)
            }
        }
    }

    private static let keyFlags: UInt32 = 0x0200_0000  // depends on no other sample
    private static let otherFlags: UInt32 = 0x0101_0000  // depends on others, not a sync sample

    /// Appends the fragment's bytes to `writer`, but for those that still stand in another file.
    ///
    /// - Parameters:
    ///   - offset: where in the file the fragment begins, for chunks that want a place of their own.
    ///   - seal: stands in front of the samples.
    ///   - stored: takes note of bytes of another file, which the caller writes among the others.
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
        // `mdat`: its header is 8 bytes, or 16 when a fragment passes 4 GiB.
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

    /// The same with all bytes.
    static func write(_ tracks: [Track], sequenceNumber: UInt32, at offset: UInt64 = 0, into writer: inout AtomWriter) {
        var none = StoredPieces(isUsed: false)
        write(tracks, sequenceNumber: sequenceNumber, at: offset, into: &writer, stored: &none)
    }

    /// Writes the body of a `traf`, and takes note of where the data offsets of its chunks are to be filled in.
    private static func writeTrack(
        _ track: Track, index: Int, layout: inout ChunkLayout, into traf: inout AtomWriter
    ) {
        let first = track.runs[0]
        let defaults = Defaults(track.runs, chunks: layout.chunks, track: index)
        // Offsets count from the start of the moof (0x020000); a default stands for every value that is the same.
        traf.fullAtom(
            "tfhd",
            flags: 0x020000 | UInt32(track.description == 1 ? 0 : 0x02) | UInt32(defaults.hasOneDuration ? 0x08 : 0)
                | UInt32(defaults.hasOneSize ? 0x10 : 0) | UInt32(defaults.hasOneFlag ? 0x20 : 0)
        ) { tfhd in
            tfhd.u32(track.id)
            if track.description != 1 { tfhd.u32(track.description) }
            if defaults.hasOneDuration { tfhd.u32(first.duration) }
            if defaults.hasOneSize { tfhd.u32(first.size) }
            if defaults.hasOneFlag { tfhd.u32(defaults.isKeyFrame ? keyFlags : otherFlags) }
        }
        traf.fullAtom("tfdt", version: 1) { $0.u64(track.decodeTime) }
        for place in layout.chunks.indices where layout.chunks[place].track == index {
            let position = writeChunk(layout.chunks[place], defaults: defaults, into: &traf)
            layout.setOffsetField(position, ofChunk: place)
        }
    }

    /// Writes a `trun`; returns where its data offset is to be filled in.
    private static func writeChunk(
        _ chunk: ChunkLayout.Chunk, defaults: Defaults, into traf: inout AtomWriter
    ) -> Int {
        let first = chunk.runs[0]
        let hasFirstFlag = defaults.hasOneFlag && first.isKeyFrame != defaults.isKeyFrame
        let fields: UInt32 =
            (defaults.hasOneDuration ? 0 : 0x100) | (defaults.hasOneSize ? 0 : 0x200)
            | (defaults.hasOneFlag ? 0 : 0x400) | (defaults.hasOffsets ? 0x800 : 0)
        var position = 0
        traf.fullAtom("trun", version: 1, flags: 0x01 | (hasFirstFlag ? 0x04 : 0) | fields) { trun in
            trun.u32(UInt32(clamping: chunk.sampleCount))
            position = trun.count
            trun.u32(0)
            if hasFirstFlag { trun.u32(first.isKeyFrame ? keyFlags : otherFlags) }
            guard fields != 0 else { return }
            for run in chunk.runs {
                for _ in 0..<run.count {
                    if !defaults.hasOneDuration { trun.u32(run.duration) }
                    if !defaults.hasOneSize { trun.u32(run.size) }
                    if !defaults.hasOneFlag { trun.u32(run.isKeyFrame ? keyFlags : otherFlags) }
                    if defaults.hasOffsets { trun.s32(run.compositionOffset) }
                }
            }
        }
        return position
    }
}
