import MediaTypes

/// The bytes of a header, with a gap of known length for each large table. The gaps are filled later, piece by piece.
struct HeaderAssembly {
    struct Gap {
        /// The position of the gap in `bytes`.
        var position: Int
        var length: UInt64
        var track: UInt32
        var table: SampleTable.Kind
    }

    private(set) var writer = AtomWriter()
    private(set) var gaps: [Gap] = []
    private var gapLength: UInt64 = 0

    /// The length of bytes and gaps together.
    var length: UInt64 { UInt64(writer.count) + gapLength }

    mutating func add(_ atom: Atom) { atom.write(into: &writer) }

    /// Adds the atom of one table, with a gap for its entries.
    mutating func add(_ table: SampleTableLayout.Table, track: UInt32) {
        writer.raw(table.header)
        guard table.entriesLength > 0 else { return }
        gaps.append(Gap(position: writer.count, length: table.entriesLength, track: track, table: table.kind))
        gapLength += table.entriesLength
    }

    /// Adds an atom that may contain gaps.
    mutating func atom<Failure>(_ type: FourCharCode, _ content: (inout HeaderAssembly) throws(Failure) -> Void)
        throws(Failure)
    {
        let (start, before) = (writer.count, length)
        writer.u32(0)
        writer.code(type)
        try content(&self)
        writer.patch(UInt32(clamping: length - before), at: start)
    }

    /// Returns the position of each gap of a track in the file, for a header that begins at `start`.
    func places(ofTrack id: UInt32, from start: UInt64) -> [SampleTable.Kind: Range<UInt64>] {
        var places: [SampleTable.Kind: Range<UInt64>] = [:]
        var offset = start
        for gap in gaps {
            let place = offset + UInt64(gap.position)
            if gap.track == id { places[gap.table] = place..<(place + gap.length) }
            offset += gap.length
        }
        return places
    }

    /// Writes everything except the contents of the gaps.
    func write(to storage: any MovieStorage, at start: UInt64) throws(MediaError) {
        var (position, offset) = (0, start)
        for gap in gaps {
            try storage.write(Array(writer.bytes[position..<gap.position]), at: offset + UInt64(position))
            position = gap.position
            offset += gap.length
        }
        try storage.write(Array(writer.bytes[position...]), at: offset + UInt64(position))
    }
}
