import MediaTypes

/// Creates one track's tables and times from its parts of the fragments, in their order. Used twice: to count and to
/// write.
struct TrackIndexer<Sink: SampleTableSink> {
    enum Unit {
        case sample
        /// A chunk of audio is one sample of the tables. PCM samples are frames of equal duration. If the tables
        /// counted them one by one, a track could have at most 2^32 of them, and could not represent the time of a
        /// disconnect.
        case chunk
    }

    private let unit: Unit
    private let isAudio: Bool
    private let timeScale: Int32
    /// Time ranges that are not shown, on the recording's timeline, and that were not reached yet.
    private var cuts: [ClosedRange<Int64>]
    private(set) var runs: SampleTableRuns<Sink>
    private(set) var times = TrackTimes()
    /// True if the tables are full; later samples are left out.
    private(set) var isFull = false
    /// True if PCM blocks are not contiguous. Tables of single frames would then lose sync.
    private(set) var isIrregular = false
    private(set) var isPCM = false
    /// The number of the recording's samples in the tables, whatever unit the tables count.
    private(set) var sampleCount: Int64 = 0

    init(_ sink: Sink, unit: Unit, isAudio: Bool, timeScale: Int32, cuts: [ClosedRange<Int64>] = []) {
        self.cuts = cuts
        runs = SampleTableRuns(sink)
        self.unit = unit
        self.isAudio = isAudio
        self.timeScale = timeScale
    }

    /// - Parameter fragment: the start of the fragment's `moof`, to which data offsets are relative.
    mutating func add(_ part: FragmentReader.Track, fragment offset: UInt64) throws(MediaError) {
        guard !isFull, part.sampleCount > 0 else { return }
        if times.isEmpty { isPCM = isAudio && part.chunks.allSatisfy { $0.runs.allSatisfy { $0.duration == 1 } } }
        // Times that passed the plausibility check are far from the limits of the type.
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
                    compositionOffset: run.compositionOffset, isKeyframe: run.isKeyframe)
                times.record(
                    decodeTime: time, compositionOffset: run.compositionOffset, count: run.count,
                    duration: run.duration)
                time += Int64(run.duration) * Int64(run.count)
            }
            sampleCount &+= Int64(clamping: chunk.sampleCount)
            try runs.endChunk(
                offset: offset &+ UInt64(max(0, chunk.dataOffset)), count: UInt32(count), description: part.description)
        }
    }

    /// Finishes the open run and chunk.
    ///
    /// - Parameters:
    ///   - end: the end of the last sample; if nil, its own duration determines it.
    ///   - shownEnd: the time until which the edit list shows the track. The last sample is extended to it, because an
    ///     edit must not be longer than its media.
    mutating func finish(lastUntil end: Int64? = nil, shownUntil shownEnd: Int64? = nil) throws(MediaError) {
        if let end, !times.isEmpty, end > times.lastDecodeTime {
            try runs.setLastDuration(UInt32(clamping: min(end - times.lastDecodeTime, Self.longest)))
            times.extendLast(until: end)
        } else if let shownEnd, !times.isEmpty, shownEnd > times.presentationEnd {
            let own = times.decodeEnd - times.lastDecodeTime
            let missing = shownEnd - times.presentationEnd
            try runs.setLastDuration(UInt32(clamping: min(own + missing, Self.longest)))
            times.extendLast(until: shownEnd)
        }
        try runs.finish()
    }

    private static var longest: Int64 { Int64(SampleTable.longestDuration) }

    /// Begins a part: lets the previous sample last until the part begins, or leaves a gap between the two.
    ///
    /// - Parameter shown: the presentation time of the part's first sample.
    private mutating func join(_ time: Int64, shown: Int64) throws(MediaError) {
        if times.isEmpty { return times.beginSection(decodeTime: time, mediaTime: 0) }
        if isPCM, unit == .sample {
            // `AudioTimeline` leaves up to 40 ms uncorrected.
            let (counted, measured) = (times.firstDecodeTime + mediaTime, time)
            isIrregular = isIrregular || measured - counted > Int64(timeScale) / 25
            return
        }
        guard time > times.lastDecodeTime else { return }
        let distance = time - times.lastDecodeTime
        if time > times.decodeEnd, times.hasRoomForSection {
            let crossed = cuts.filter { times.lastPresentation < $0.upperBound && time > $0.lowerBound }
            if !crossed.isEmpty {
                // Each cut is used once. A frame that is decoded before the end of a cut, and shown after it, does not
                // cross the cut again.
                cuts.removeAll { crossed.contains($0) }
                let own = times.decodeEnd - times.lastDecodeTime
                let held = timeHeld(over: crossed, until: shown)
                try runs.setLastDuration(UInt32(clamping: min(own + held, Self.longest)))
                return times.beginSection(decodeTime: time, mediaTime: mediaTime)
            }
        }
        // A frame is shown until the next one. A packet of audio is not.
        let isGap = isAudio ? time - times.decodeEnd > 3 * Int64(timeScale) : distance > Self.longest
        try runs.setLastDuration(UInt32(clamping: min(distance, Self.longest)))
        if isGap || distance > Self.longest, times.hasRoomForSection {
            times.beginSection(decodeTime: time, mediaTime: mediaTime)
        }
    }

    /// Returns the time to add to the duration of the sample before one or more cuts. The sample must last until the
    /// first cut, and again from the end of the last cut to `shown`, when the next sample is shown.
    ///
    /// The tables leave out the cuts. FFmpeg calculates an edit from the sample that is decoded first in it, and loses
    /// sync if the tables have a gap there.
    private func timeHeld(over crossed: [ClosedRange<Int64>], until shown: Int64) -> Int64 {
        let start = times.presentationEnd
        var seen = shown - start
        for cut in crossed { seen -= max(0, min(shown, cut.upperBound) - max(start, cut.lowerBound)) }
        // One second is enough, because edits can show it repeatedly. The added 40 ms are more than the distance that
        // an edit keeps from the next sample (`TrackEdits`).
        return seen > 0 ? min(seen, Int64(timeScale)) + Int64(timeScale) / 25 : 0
    }

    /// The end of the tables' timeline. It is clamped, so that calculations with invalid values do not overflow.
    private var mediaTime: Int64 { Int64(min(runs.duration, 1 << 61)) }

    /// Returns a chunk as one sample.
    private static func merged(_ runs: [FragmentReader.Run]) -> [FragmentReader.Run] {
        var (size, duration) = (UInt64(0), UInt64(0))
        for run in runs {
            size += UInt64(run.size) * UInt64(run.count)
            duration += UInt64(run.duration) * UInt64(run.count)
        }
        return [
            .init(
                count: 1, duration: UInt32(clamping: duration), size: UInt32(clamping: size), compositionOffset: 0,
                isKeyframe: true)
        ]
    }
}
