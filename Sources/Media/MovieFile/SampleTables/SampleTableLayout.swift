import MediaTypes

/// Counts the entries of one track's tables. The counts determine each table's form and length before any table is
/// written.
struct SampleTableLayout: SampleTableSink {
    /// The atom of one table: the bytes before its entries, and the size of the entries.
    struct Table {
        var kind: SampleTable.Kind
        /// The atom's header, version, flags and counts.
        var header: [UInt8]
        var entriesLength: UInt64
    }

    private(set) var sampleCount: UInt32 = 0
    private(set) var largestChunkOffset: UInt64 = 0
    private var durationRuns: UInt64 = 0
    private var offsetRuns: UInt64 = 0
    private var hasOffsets = false
    private var hasNegativeOffsets = false
    private var keyframeCount: UInt32 = 0
    private var firstSize: UInt32 = 0
    private var hasOneSize = true
    private var chunkCount: UInt64 = 0
    private var chunkRuns: UInt64 = 0

    mutating func durations(_ ticks: UInt32, count: UInt32) { durationRuns += 1 }

    mutating func compositionOffsets(_ ticks: Int32, count: UInt32) {
        offsetRuns += 1
        hasOffsets = hasOffsets || ticks != 0
        hasNegativeOffsets = hasNegativeOffsets || ticks < 0
    }

    mutating func keyframes(from first: UInt32, count: UInt32) { keyframeCount += count }

    mutating func sizes(_ bytes: UInt32, count: UInt32) {
        if sampleCount == 0 { firstSize = bytes }
        hasOneSize = hasOneSize && bytes == firstSize && bytes > 0
        sampleCount += count
    }

    mutating func chunk(at offset: UInt64) {
        chunkCount += 1
        largestChunkOffset = max(largestChunkOffset, offset)
    }

    mutating func samplesPerChunk(_ samples: UInt32, description: UInt32, from first: UInt32) { chunkRuns += 1 }

    /// Returns the tables that are needed, in file order.
    ///
    /// - Parameter hasLongOffsets: true if chunk offsets have 64 bits (`co64`).
    func tables(hasLongOffsets: Bool) -> [Table] {
        var tables = [Self.table(.durations, "stts", entries: durationRuns, of: 8)]
        if hasOffsets {
            tables.append(
                Self.table(.offsets, "ctts", version: hasNegativeOffsets ? 1 : 0, entries: offsetRuns, of: 8))
        }
        // Without this table every sample is a keyframe.
        if keyframeCount < sampleCount {
            tables.append(Self.table(.keyframes, "stss", entries: UInt64(keyframeCount), of: 4))
        }
        tables.append(Self.table(.chunkMap, "stsc", entries: chunkRuns, of: 12))
        let isUniform = hasOneSize && sampleCount > 0
        tables.append(
            Self.table(
                .sizes, "stsz", size: isUniform ? firstSize : 0, entries: UInt64(sampleCount), of: isUniform ? 0 : 4))
        tables.append(
            Self.table(
                .chunkOffsets, hasLongOffsets ? "co64" : "stco", entries: chunkCount, of: hasLongOffsets ? 8 : 4))
        return tables
    }

    private static func table(
        _ kind: SampleTable.Kind, _ type: FourCharCode, version: UInt8 = 0, size: UInt32? = nil, entries: UInt64,
        of length: UInt64
    ) -> Table {
        var header = AtomWriter()
        header.fullAtom(type, version: version) { atom in
            if let size { atom.u32(size) }
            atom.u32(UInt32(clamping: entries))
        }
        // No table exceeds 4 GiB, because the header's total length is checked before anything is written.
        header.patch(UInt32(clamping: UInt64(header.count) + entries * length), at: 0)
        return Table(kind: kind, header: header.bytes, entriesLength: entries * length)
    }
}
