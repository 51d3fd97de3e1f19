/// The index of one track: where each sample is, how large, when it is decoded and shown.
///
/// Times and sizes are kept as runs, so that constant frame rates and PCM cost next to nothing
/// (QTFF, "Sample Table Atoms").
struct SampleTable {
    private struct Run<Value: Equatable> {
        var count: UInt32
        var value: Value
    }

    private var durations: [Run<UInt32>] = []
    private var offsets: [Run<Int32>] = []
    private var sizes: [UInt32] = []
    /// Set while every sample has one size; `sizes` stays empty then.
    private var uniformSize: UInt32?
    /// Numbers of the key frames, from 1; empty while every sample is one, as in sound.
    private var keyFrames: [UInt32] = []
    private var isEveryKeyFrame = true
    private var chunks: [UInt64] = []
    private var samplesPerChunk: [Run<UInt32>] = []
    private(set) var sampleCount: UInt32 = 0
    /// Ticks from the first sample's decode time to the end of the last sample.
    private(set) var duration: UInt64 = 0
    private var lastDuration: UInt32 = 0

    /// Whether the format's 32-bit count of samples has room for more: 24 hours of PCM at 48 kHz.
    func hasRoom(for count: UInt64) -> Bool { UInt64(sampleCount) + count <= UInt64(UInt32.max) }

    /// Adds `count` samples of one kind, in decode order.
    ///
    /// - Precondition: there is room for them.
    mutating func append(count: UInt32 = 1, duration: UInt32, size: UInt32, compositionOffset: Int32, isKeyFrame: Bool) {
        guard count > 0 else { return }
        Self.extend(&durations, count, duration)
        Self.extend(&offsets, count, compositionOffset)
        appendSize(size, count: count)
        appendKeyFrames(count, isKeyFrame)
        sampleCount += count
        // Durations come from a file and may be nonsense: they wrap around rather than end the program.
        self.duration &+= UInt64(duration) * UInt64(count)
        lastDuration = duration
    }

    /// Ends the chunk of the `count` samples appended last; their bytes begin at `offset` in the file.
    mutating func endChunk(offset: UInt64, count: UInt32) {
        guard count > 0 else { return }
        chunks.append(offset)
        Self.extend(&samplesPerChunk, 1, count)
    }

    /// Corrects the last sample's duration, once the next sample's decode time is known.
    mutating func setLastDuration(_ ticks: UInt32) {
        guard sampleCount > 0, ticks != lastDuration, let run = durations.last else { return }
        if run.count > 1 {
            durations[durations.count - 1].count -= 1
        } else {
            durations.removeLast()
        }
        Self.extend(&durations, 1, ticks)
        duration = duration &- UInt64(lastDuration) &+ UInt64(ticks)
        lastDuration = ticks
    }

    func write(into stbl: inout AtomWriter) {
        stbl.fullAtom("stts") { Self.writeRuns(durations, into: &$0) { $1.u32($0) } }
        if offsets.contains(where: { $0.value != 0 }) {
            let isSigned = offsets.contains { $0.value < 0 }
            stbl.fullAtom("ctts", version: isSigned ? 1 : 0) { Self.writeRuns(offsets, into: &$0) { $1.s32($0) } }
        }
        if !isEveryKeyFrame {
            stbl.fullAtom("stss") { stss in
                stss.u32(UInt32(keyFrames.count))
                for number in keyFrames { stss.u32(number) }
            }
        }
        writeChunkMap(into: &stbl)
        stbl.fullAtom("stsz") { stsz in
            stsz.u32(uniformSize ?? 0)
            stsz.u32(sampleCount)
            for size in sizes { stsz.u32(size) }
        }
        if let last = chunks.last, last > UInt64(UInt32.max) {
            stbl.fullAtom("co64") { co64 in
                co64.u32(UInt32(chunks.count))
                for offset in chunks { co64.u64(offset) }
            }
        } else {
            stbl.fullAtom("stco") { stco in
                stco.u32(UInt32(chunks.count))
                for offset in chunks { stco.u32(UInt32(offset)) }
            }
        }
    }

    /// The tables of a header without samples: those are in the fragments.
    static func writeEmpty(into stbl: inout AtomWriter) { SampleTable().write(into: &stbl) }

    private func writeChunkMap(into stbl: inout AtomWriter) {
        stbl.fullAtom("stsc") { stsc in
            stsc.u32(UInt32(samplesPerChunk.count))
            var first: UInt32 = 1
            for run in samplesPerChunk {
                stsc.u32(first)
                stsc.u32(run.value)
                stsc.u32(1)  // sample description
                first += run.count
            }
        }
    }

    private mutating func appendKeyFrames(_ count: UInt32, _ isKeyFrame: Bool) {
        if isEveryKeyFrame {
            if isKeyFrame { return }
            isEveryKeyFrame = false
            keyFrames = sampleCount > 0 ? Array(1...sampleCount) : []
        } else if isKeyFrame {
            for index in 0..<count { keyFrames.append(sampleCount + index + 1) }
        }
    }

    private mutating func appendSize(_ size: UInt32, count: UInt32) {
        if sampleCount == 0 { uniformSize = size > 0 ? size : nil }
        if let uniform = uniformSize {
            if uniform == size { return }
            sizes = Array(repeating: uniform, count: Int(sampleCount))
            uniformSize = nil
        }
        for _ in 0..<count { sizes.append(size) }
    }

    private static func extend<Value: Equatable>(_ runs: inout [Run<Value>], _ count: UInt32, _ value: Value) {
        if let last = runs.indices.last, runs[last].value == value {
            runs[last].count += count
        } else {
            runs.append(Run(count: count, value: value))
        }
    }

    private static func writeRuns<Value>(
        _ runs: [Run<Value>], into atom: inout AtomWriter, value: (Value, inout AtomWriter) -> Void
    ) {
        atom.u32(UInt32(runs.count))
        for run in runs {
            atom.u32(run.count)
            value(run.value, &atom)
        }
    }
}
