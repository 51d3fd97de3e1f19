import MediaTypes

/// The tables that say where each sample of a track is, how large, when it is decoded and shown
/// (QTFF, "Sample Table Atoms").
///
/// Nobody holds them in memory: `SampleTableRuns` makes their entries of the samples, one after the other, and hands
/// them to a sink. The first time the sink counts (`SampleTableLayout`), the second time it writes (`SampleTableWriter`).
enum SampleTable {
    /// In the order in which they stand in the file.
    enum Kind: Int, CaseIterable {
        case durations, offsets, keyFrames, chunkMap, sizes, chunkOffsets
    }

    /// The longest time from one sample to the next, in ticks. The field has 32 bits, but programs differ in how they take
    /// the upper half: GStreamer loses the samples behind, FFmpeg takes what is close to the top for a negative number.
    static let longestDuration = UInt32(Int32.max)

    /// The tables of a header without samples: those are in the fragments.
    static func writeEmpty(into stbl: inout AtomWriter) {
        for table in SampleTableLayout().tables(hasLongOffsets: false) { stbl.raw(table.header) }
    }
}

/// Takes the entries of one track's tables, each table's in their order.
protocol SampleTableSink {
    mutating func durations(_ ticks: UInt32, count: UInt32) throws(MediaError)
    mutating func compositionOffsets(_ ticks: Int32, count: UInt32) throws(MediaError)
    /// - Parameter first: the number of the first of these samples, from 1.
    mutating func keyFrames(from first: UInt32, count: UInt32) throws(MediaError)
    mutating func sizes(_ bytes: UInt32, count: UInt32) throws(MediaError)
    mutating func chunk(at offset: UInt64) throws(MediaError)
    /// - Parameters:
    ///   - description: which entry of the sample description table they have, from 1.
    ///   - first: the number of the first chunk that holds this many samples, from 1.
    mutating func samplesPerChunk(_ samples: UInt32, description: UInt32, from first: UInt32) throws(MediaError)
}

/// Makes table entries of samples: equal neighbours share one, so that constant rates and PCM cost next to nothing.
struct SampleTableRuns<Sink: SampleTableSink> {
    private struct Run<Value: Equatable> {
        var count: UInt32
        var value: Value
    }

    private(set) var sink: Sink
    /// The last two runs: the last sample's duration may still change, and then belong to the run before.
    private var durations: [Run<UInt32>] = []
    private var offsets: Run<Int32>?
    private var samplesPerChunk: (count: UInt32, description: UInt32)?
    private var chunkCount: UInt32 = 0
    private(set) var sampleCount: UInt32 = 0
    /// Ticks from the first sample's decode time to the end of the last sample.
    private(set) var duration: UInt64 = 0
    private var lastDuration: UInt32 = 0

    init(_ sink: Sink) { self.sink = sink }

    /// Whether the format's 32-bit count of samples has room for more.
    func hasRoom(for count: UInt64) -> Bool { count <= UInt64(UInt32.max - sampleCount) }

    /// Adds `count` samples of one kind, in decode order.
    ///
    /// - Precondition: there is room for them.
    mutating func append(
        count: UInt32 = 1, duration: UInt32, size: UInt32, compositionOffset: Int32, isKeyFrame: Bool
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
        if isKeyFrame { try sink.keyFrames(from: sampleCount + 1, count: count) }
        sampleCount += count
        // Durations come from a file and may be nonsense: they wrap around rather than end the program.
        self.duration &+= UInt64(duration) * UInt64(count)
        lastDuration = duration
    }

    /// Ends the chunk of the `count` samples appended last; their bytes begin at `offset` in the file.
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

    /// Hands over what is still open. Nothing is added afterwards.
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
