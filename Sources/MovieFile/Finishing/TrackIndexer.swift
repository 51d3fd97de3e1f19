import MediaTypes

/// Makes one track's tables and times of its parts of the fragments, in their order. Used twice: to count and to write.
struct TrackIndexer<Sink: SampleTableSink> {
    enum Unit {
        case sample
        /// A chunk of sound stands in the tables as one sample. PCM's samples are its frames, each as long as the next,
        /// and of those a track holds no more than 2^32, and none where the device was away.
        case chunk
    }

    private let unit: Unit
    private let isSound: Bool
    private let timeScale: Int32
    /// What is not shown, on the recording's time line, and was not come to yet.
    private var cuts: [ClosedRange<Int64>]
    private(set) var runs: SampleTableRuns<Sink>
    private(set) var times = TrackTimes()
    /// The tables hold no more samples; what came later is left out.
    private(set) var isFull = false
    /// PCM whose blocks do not follow each other closely: counted in frames it would come out of step.
    private(set) var isIrregular = false
    private(set) var isPCM = false
    /// Samples of the recording in the tables, whatever they are counted in there.
    private(set) var sampleCount: Int64 = 0

    init(_ sink: Sink, unit: Unit, isSound: Bool, timeScale: Int32, cuts: [ClosedRange<Int64>] = []) {
        self.cuts = cuts
        runs = SampleTableRuns(sink)
        self.unit = unit
        self.isSound = isSound
        self.timeScale = timeScale
    }

    /// - Parameter fragment: where the fragment's `moof` begins, from which data offsets count.
    mutating func add(_ part: FragmentReader.Track, fragment offset: UInt64) throws(MediaError) {
        guard !isFull, part.sampleCount > 0 else { return }
        if times.isEmpty { isPCM = isSound && part.chunks.allSatisfy { $0.runs.allSatisfy { $0.duration == 1 } } }
        // Times that passed the plausibility test are far from the ends of the type.
        var time = Int64(clamping: part.decodeTime)
        let firstOffset = part.chunks.first(where: { !$0.runs.isEmpty })?.runs.first?.compositionOffset ?? 0
        try join(time, shown: time + Int64(firstOffset))
        for chunk in part.chunks where !chunk.runs.isEmpty {
            let entries = unit == .chunk ? Self.merged(chunk.runs) : chunk.runs
            var count: UInt64 = 0
            for run in entries { count += UInt64(run.count) }
            guard runs.hasRoom(for: count) else {
                isFull = true
                return
            }
            for run in entries {
                try runs.append(
                    count: run.count, duration: run.duration, size: run.size,
                    compositionOffset: run.compositionOffset, isKeyFrame: run.isKeyFrame)
                times.note(
                    decodeTime: time, compositionOffset: run.compositionOffset, count: run.count,
                    duration: run.duration)
                time += Int64(run.duration) * Int64(run.count)
            }
            sampleCount &+= Int64(clamping: chunk.sampleCount)
            try runs.endChunk(
                offset: offset &+ UInt64(max(0, chunk.dataOffset)), count: UInt32(count), description: part.description)
        }
    }

    /// Hands over what is still open.
    ///
    /// - Parameter end: until when the last sample lasts; nil for as long as it says itself.
    mutating func finish(lastUntil end: Int64? = nil) throws(MediaError) {
        if let end, !times.isEmpty, end > times.lastDecodeTime {
            try runs.setLastDuration(UInt32(clamping: min(end - times.lastDecodeTime, Self.longest)))
            times.extendLast(until: end)
        }
        try runs.finish()
    }

    private static var longest: Int64 { Int64(SampleTable.longestDuration) }

    /// Begins a part: the sample before lasts until it, or a gap lies between them.
    ///
    /// - Parameter shown: when the part's first sample is shown.
    private mutating func join(_ time: Int64, shown: Int64) throws(MediaError) {
        if times.isEmpty { return times.beginStretch(decodeTime: time, mediaTime: 0) }
        if isPCM, unit == .sample {
            // 40 ms are what `AudioTimeline` leaves uncorrected.
            let (counted, measured) = (times.firstDecodeTime + mediaTime, time)
            isIrregular = isIrregular || measured - counted > Int64(timeScale) / 25
            return
        }
        guard time > times.lastDecodeTime else { return }
        let distance = time - times.lastDecodeTime
        if time > times.decodeEnd, times.hasRoomForStretch {
            let crossed = cuts.filter { times.lastPresentation < $0.upperBound && time > $0.lowerBound }
            if !crossed.isEmpty {
                // Once: what is decoded before a cut's end, to be shown behind it, is no second way over it.
                cuts.removeAll { crossed.contains($0) }
                let own = times.decodeEnd - times.lastDecodeTime
                let held = timeHeld(over: crossed, until: shown)
                try runs.setLastDuration(UInt32(clamping: min(own + held, Self.longest)))
                return times.beginStretch(decodeTime: time, mediaTime: mediaTime)
            }
        }
        // A picture stays until the next one comes. A packet of sound does not.
        let isGap = isSound ? time - times.decodeEnd > 3 * Int64(timeScale) : distance > Self.longest
        try runs.setLastDuration(UInt32(clamping: min(distance, Self.longest)))
        if isGap || distance > Self.longest, times.hasRoomForStretch {
            times.beginStretch(decodeTime: time, mediaTime: mediaTime)
        }
    }

    /// Cuts lie before the sample that is shown at `shown`: the tables go on without them. FFmpeg reckons an edit from the sample
    /// that is decoded first in it, and comes out of step where the tables have a gap there.
    ///
    /// - Returns: how much longer the sample before must last, so that there is something to show until the cut and from its
    ///   end to the next sample.
    private func timeHeld(over crossed: [ClosedRange<Int64>], until shown: Int64) -> Int64 {
        let start = times.presentationEnd
        var seen = shown - start
        for cut in crossed { seen -= max(0, min(shown, cut.upperBound) - max(start, cut.lowerBound)) }
        // A second of it can be shown again and again, and 40 ms are more than what edits keep away from samples.
        return seen > 0 ? min(seen, Int64(timeScale)) + Int64(timeScale) / 25 : 0
    }

    /// Where the tables' time line ends. Nonsense stays small enough to be reckoned with.
    private var mediaTime: Int64 { Int64(min(runs.duration, 1 << 61)) }

    /// A chunk as one sample.
    private static func merged(_ runs: [FragmentReader.Run]) -> [FragmentReader.Run] {
        var (size, duration) = (UInt64(0), UInt64(0))
        for run in runs {
            size += UInt64(run.size) * UInt64(run.count)
            duration += UInt64(run.duration) * UInt64(run.count)
        }
        return [
            .init(
                count: 1, duration: UInt32(clamping: duration), size: UInt32(clamping: size), compositionOffset: 0,
                isKeyFrame: true)
        ]
    }
}
