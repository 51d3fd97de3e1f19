import MediaTypes

/// Writes the entries of one track's tables, each at its position in the file, through a small buffer for each table.
struct SampleTableWriter: SampleTableSink {
    /// The range of one table in the file. Receives numbers in order and writes them in large pieces.
    private struct TableRange {
        let end: UInt64
        var position: UInt64
        var bytes: [UInt8] = []

        init(_ range: Range<UInt64>) {
            position = range.lowerBound
            end = range.upperBound
        }

        mutating func put<Value: FixedWidthInteger>(_ value: Value, _ storage: any MovieStorage, capacity: Int)
            throws(MediaError)
        {
            if bytes.count + 8 > capacity { try flush(storage) }
            if bytes.capacity < capacity { bytes.reserveCapacity(capacity) }
            withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
        }

        mutating func flush(_ storage: any MovieStorage) throws(MediaError) {
            guard !bytes.isEmpty else { return }
            // The counts were made from the same fragments. If they differ now, another program is writing to the file.
            guard UInt64(bytes.count) <= end - position else {
                throw MediaError(
                    .ioFailure, "cannot finalize the movie", reason: "the file changed meanwhile")
            }
            try storage.write(bytes, at: position)
            position += UInt64(bytes.count)
            bytes.removeAll(keepingCapacity: true)
        }
    }

    private let storage: any MovieStorage
    private let capacity: Int
    private let hasLongOffsets: Bool
    /// The number to add to every chunk's offset, modulo 2^64, because it may be negative.
    private let shift: UInt64
    /// The tables by `SampleTable.Kind.rawValue`; nil for one that is left out.
    private var tables: [TableRange?]

    /// - Parameters:
    ///   - places: the ranges of the tables' entries in the file.
    ///   - capacity: the size of each table's buffer in bytes.
    init(
        _ storage: any MovieStorage, places: [SampleTable.Kind: Range<UInt64>], hasLongOffsets: Bool, shift: UInt64 = 0,
        capacity: Int = 64 << 10
    ) {
        self.storage = storage
        self.capacity = max(16, capacity)
        self.hasLongOffsets = hasLongOffsets
        self.shift = shift
        // Nothing is written to a table without entries, such as a size table for samples of one size.
        tables = SampleTable.Kind.allCases.map { kind in
            places[kind].flatMap { $0.isEmpty ? nil : TableRange($0) }
        }
    }

    mutating func durations(_ ticks: UInt32, count: UInt32) throws(MediaError) {
        try put(.durations, count)
        try put(.durations, ticks)
    }

    mutating func compositionOffsets(_ ticks: Int32, count: UInt32) throws(MediaError) {
        try put(.offsets, count)
        try put(.offsets, UInt32(bitPattern: ticks))
    }

    mutating func keyframes(from first: UInt32, count: UInt32) throws(MediaError) {
        guard tables[SampleTable.Kind.keyframes.rawValue] != nil else { return }
        for index in 0..<count { try put(.keyframes, first + index) }
    }

    mutating func sizes(_ bytes: UInt32, count: UInt32) throws(MediaError) {
        guard tables[SampleTable.Kind.sizes.rawValue] != nil else { return }
        for _ in 0..<count { try put(.sizes, bytes) }
    }

    mutating func chunk(at offset: UInt64) throws(MediaError) {
        if hasLongOffsets {
            try put(.chunkOffsets, offset &+ shift)
        } else {
            try put(.chunkOffsets, UInt32(clamping: offset &+ shift))
        }
    }

    mutating func samplesPerChunk(_ samples: UInt32, description: UInt32, from first: UInt32) throws(MediaError) {
        try put(.chunkMap, first)
        try put(.chunkMap, samples)
        try put(.chunkMap, description)
    }

    /// Writes the rest of the buffers.
    mutating func flush() throws(MediaError) {
        for index in tables.indices {
            try tables[index]?.flush(storage)
            guard let table = tables[index], table.position != table.end else { continue }
            throw MediaError(
                .ioFailure, "cannot finalize the movie", reason: "the file changed meanwhile")
        }
    }

    private mutating func put<Value: FixedWidthInteger>(_ kind: SampleTable.Kind, _ value: Value) throws(MediaError) {
        try tables[kind.rawValue]?.put(value, storage, capacity: capacity)
    }
}
