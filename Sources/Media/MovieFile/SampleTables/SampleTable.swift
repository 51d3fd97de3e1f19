import MediaTypes

/// The tables that contain the position, the size and the decode and presentation times of each sample of a track
/// (QTFF, "Sample Table Atoms").
///
/// They are never completely in memory. `SampleTableRuns` creates their entries from the samples, one after the other,
/// and passes them to a sink. In the first pass the sink counts (`SampleTableLayout`), in the second it writes
/// (`SampleTableWriter`).
enum SampleTable {
    /// The tables in file order.
    enum Kind: Int, CaseIterable {
        case durations, offsets, keyframes, chunkMap, sizes, chunkOffsets
    }

    /// The maximum time from one sample to the next, in ticks. The field has 32 bits, but programs interpret the upper
    /// half in different ways. GStreamer loses the samples after such a time, and FFmpeg treats values close to the
    /// maximum as negative.
    static let longestDuration = UInt32(Int32.max)

    /// Writes empty tables, for a header whose samples are in the fragments.
    static func writeEmpty(into stbl: inout AtomWriter) {
        for table in SampleTableLayout().tables(hasLongOffsets: false) { stbl.raw(table.header) }
    }
}

/// Receives the entries of one track's tables. The entries of each table come in order.
protocol SampleTableSink {
    mutating func durations(_ ticks: UInt32, count: UInt32) throws(MediaError)
    mutating func compositionOffsets(_ ticks: Int32, count: UInt32) throws(MediaError)
    /// - Parameter first: the number of the first of these samples, from 1.
    mutating func keyframes(from first: UInt32, count: UInt32) throws(MediaError)
    mutating func sizes(_ bytes: UInt32, count: UInt32) throws(MediaError)
    mutating func chunk(at offset: UInt64) throws(MediaError)
    /// - Parameters:
    ///   - samples: the number of samples in each chunk.
    ///   - description: the number, from 1, of the samples' entry in the sample description table.
    ///   - first: the number of the first chunk with this number of samples, from 1.
    mutating func samplesPerChunk(_ samples: UInt32, description: UInt32, from first: UInt32) throws(MediaError)
}

/// Creates table entries from samples. Equal neighbors share one entry, so constant rates and PCM need almost no space.
struct SampleTableRuns<Sink: SampleTableSink> {
    private struct Run<Value: Equatable> {
        var count: UInt32
        var value: Value
    }

    private(set) var sink: Sink
    /// The last two runs. The duration of the last sample may still change, and the sample may then join the previous
    /// run.
    private var durations: [Run<UInt32>] = []
    private var offsets: Run<Int32>?
    private var samplesPerChunk: (count: UInt32, description: UInt32)?
    private var chunkCount: UInt32 = 0
    private(set) var sampleCount: UInt32 = 0
    /// Ticks from the first sample's decode time to the end of the last sample.
    private(set) var duration: UInt64 = 0
    private var lastDuration: UInt32 = 0

    init(_ sink: Sink) { self.sink = sink }

    /// Returns true if the format's 32-bit sample count has room for `count` more.
    func hasRoom(for count: UInt64) -> Bool { count <= UInt64(UInt32.max - sampleCount) }

    /// Adds `count` equal samples, in decode order.
    ///
    /// - Precondition: there is room for them.
    mutating func append(
        count: UInt32 = 1, duration: UInt32, size: UInt32, compositionOffset: Int32, isKeyframe: Bool
    ) throws(MediaError) {
        guard count > 0 else { return }
        try extendDurations(count, duration)
        if let run = offsets, run.value == compositionOffset {
            offsets?.count += count
        } else {
            if let run = offsets { try sink.compositionOffsets(run.value, count: run.count) }
            offsets = Run(count: count, value: compositionOffset)
        }
        try sink.sizes(size, count: count)
        if isKeyframe { try sink.keyframes(from: sampleCount + 1, count: count) }
        sampleCount += count
        // Durations come from a file and may be invalid: they wrap around rather than trap.
        self.duration &+= UInt64(duration) * UInt64(count)
        lastDuration = duration
    }

    /// Ends the chunk that consists of the last `count` samples. Their bytes begin at `offset` in the file.
    mutating func endChunk(offset: UInt64, count: UInt32, description: UInt32 = 1) throws(MediaError) {
        guard count > 0 else { return }
        try sink.chunk(at: offset)
        chunkCount += 1
        if let last = samplesPerChunk, last == (count, description) { return }
        try sink.samplesPerChunk(count, description: description, from: chunkCount)
        samplesPerChunk = (count, description)
    }

    /// Corrects the last sample's duration, once the next sample's decode time is known.
    mutating func setLastDuration(_ ticks: UInt32) throws(MediaError) {
        guard sampleCount > 0, ticks != lastDuration, let run = durations.last else { return }
        if run.count > 1 {
            durations[durations.count - 1].count -= 1
        } else {
            durations.removeLast()
        }
        try extendDurations(1, ticks)
        duration = duration &- UInt64(lastDuration) &+ UInt64(ticks)
        lastDuration = ticks
    }

    /// Passes the open runs to the sink. Nothing may be added afterwards.
    mutating func finish() throws(MediaError) {
        for run in durations { try sink.durations(run.value, count: run.count) }
        if let run = offsets { try sink.compositionOffsets(run.value, count: run.count) }
        durations = []
        offsets = nil
    }

    private mutating func extendDurations(_ count: UInt32, _ value: UInt32) throws(MediaError) {
        if let last = durations.indices.last, durations[last].value == value {
            durations[last].count += count
            return
        }
        if durations.count == 2 {
            let run = durations.removeFirst()
            try sink.durations(run.value, count: run.count)
        }
        durations.append(Run(count: count, value: value))
    }
}
