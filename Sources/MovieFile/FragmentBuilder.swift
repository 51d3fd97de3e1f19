import MediaTypes

/// Lays out one fragment: a `moof` atom and the `mdat` with its samples (ISO/IEC 14496-12, 8.8).
///
/// Each track's samples stand together, so that they become one chunk of the final header.
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
    }

    struct Track {
        var id: UInt32
        /// Decode time of the first sample, in ticks since the track's zero.
        var decodeTime: UInt64
        var runs: [Run]

        var byteCount: Int { runs.reduce(0) { $0 + $1.data.count } }
        var sampleCount: Int { runs.reduce(0) { $0 + Int($1.count) } }
    }

    private static let keyFlags: UInt32 = 0x0200_0000  // depends on no other sample
    private static let otherFlags: UInt32 = 0x0101_0000  // depends on others, not a sync sample

    /// Appends the fragment's bytes to `writer`.
    static func write(_ tracks: [Track], sequenceNumber: UInt32, into writer: inout AtomWriter) {
        let start = writer.count
        var offsetFields: [(position: Int, dataOffset: Int)] = []
        var dataOffset = 0
        writer.atom("moof") { moof in
            moof.fullAtom("mfhd") { $0.u32(sequenceNumber) }
            for track in tracks {
                moof.atom("traf") { traf in
                    let position = writeTrack(track, into: &traf)
                    offsetFields.append((position, dataOffset))
                }
                dataOffset += track.byteCount
            }
        }
        // `mdat`: its header is 8 bytes, or 16 when a fragment passes 4 GiB.
        let isLarge = dataOffset + 8 > Int(UInt32.max)
        let headerSize = writer.count - start + (isLarge ? 16 : 8)
        for (position, offset) in offsetFields { writer.patch(UInt32(clamping: headerSize + offset), at: position) }
        writer.u32(isLarge ? 1 : UInt32(dataOffset + 8))
        writer.code("mdat")
        if isLarge { writer.u64(UInt64(dataOffset + 16)) }
        for track in tracks {
            for run in track.runs { writer.raw(run.data.bytes) }
        }
    }

    /// Writes the body of a `traf`; returns where its data offset is to be filled in.
    private static func writeTrack(_ track: Track, into traf: inout AtomWriter) -> Int {
        let first = track.runs[0]
        let hasOneSize = track.runs.allSatisfy { $0.size == first.size }
        let hasOneDuration = track.runs.allSatisfy { $0.duration == first.duration }
        let hasOffsets = track.runs.contains { $0.compositionOffset != 0 }
        let later = track.runs.dropFirst().first?.isKeyFrame ?? first.isKeyFrame
        let hasOneLaterFlag =
            track.runs.dropFirst().allSatisfy { $0.isKeyFrame == later } && first.count == 1
            || track.runs.allSatisfy { $0.isKeyFrame == first.isKeyFrame }
        let defaultKey = track.runs.allSatisfy { $0.isKeyFrame == first.isKeyFrame } ? first.isKeyFrame : later

        // Offsets count from the start of the moof (0x020000); a default stands for every value that is the same.
        traf.fullAtom(
            "tfhd",
            flags: 0x020000 | (hasOneDuration ? 0x08 : 0) | (hasOneSize ? 0x10 : 0) | (hasOneLaterFlag ? 0x20 : 0)
        ) { tfhd in
            tfhd.u32(track.id)
            if hasOneDuration { tfhd.u32(first.duration) }
            if hasOneSize { tfhd.u32(first.size) }
            if hasOneLaterFlag { tfhd.u32(defaultKey ? keyFlags : otherFlags) }
        }
        traf.fullAtom("tfdt", version: 1) { $0.u64(track.decodeTime) }
        let hasFirstFlag = hasOneLaterFlag && first.isKeyFrame != defaultKey
        var position = 0
        traf.fullAtom(
            "trun", version: 1,
            flags: 0x01 | (hasFirstFlag ? 0x04 : 0) | (hasOneDuration ? 0 : 0x100) | (hasOneSize ? 0 : 0x200)
                | (hasOneLaterFlag ? 0 : 0x400) | (hasOffsets ? 0x800 : 0)
        ) { trun in
            trun.u32(UInt32(track.sampleCount))
            position = trun.count
            trun.u32(0)
            if hasFirstFlag { trun.u32(first.isKeyFrame ? keyFlags : otherFlags) }
            guard !(hasOneDuration && hasOneSize && hasOneLaterFlag && !hasOffsets) else { return }
            for run in track.runs {
                for _ in 0..<run.count {
                    if !hasOneDuration { trun.u32(run.duration) }
                    if !hasOneSize { trun.u32(run.size) }
                    if !hasOneLaterFlag { trun.u32(run.isKeyFrame ? keyFlags : otherFlags) }
                    if hasOffsets { trun.s32(run.compositionOffset) }
                }
            }
        }
        return position
    }
}
