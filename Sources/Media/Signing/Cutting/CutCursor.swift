import MediaTypes
import MovieFile

/// Finds the samples of one track of a cut in the recording from which the cut was made. In the recording, these
/// samples are consecutive.
struct CutCursor {
    /// The track's entry in the statement: its position on the recording's timeline, and the samples that cannot be
    /// proven.
    private(set) var claim: CutStatement.Track
    /// True once the track of the recording was found.
    private(set) var isFound = false
    /// True once the search has ended, so that no further samples of the cut are found.
    private(set) var isDone = false
    let description: TrackDescription
    let isShown: Bool

    private let samples: [StoredTrack.Sample]
    private let count: Int
    /// The number of the next sample of the cut; for PCM, of the next audio frame.
    private var next = 0
    /// The time at which the recording shows a sample, minus the sample's time in the cut's table. In ticks, accurate
    /// except for rounding.
    private let later: Int64

    /// - Parameter from: the start of the cut, on the recording's timeline.
    init(_ track: StoredTrack, movieScale: UInt32, from: MediaTime) {
        (description, isShown) = (track.description, track.isShown)
        samples = track.samples
        count = samples.reduce(0) { $0 + $1.count }
        let zero = from.converted(to: Int32(clamping: max(1, track.description.timeScale))).value
        // The media time that is shown when the movie begins.
        let edit = track.edits.first
        let begins = (edit?.mediaTime ?? 0) &- Self.ticks(edit?.start ?? 0, track.description.timeScale, movieScale)
        later = zero &- begins
        claim = CutStatement.Track(
            id: track.id, source: 0, zero: zero, decodeTime: 0, compositionOffset: 0, before: 0, after: 0)
    }

    private static func ticks(_ time: UInt64, _ scale: UInt32, _ movieScale: UInt32) -> Int64 {
        Int64(clamping: (Double(time) * Double(scale) / Double(max(1, movieScale))).rounded())
    }

    /// The leaves of the recording's track in one fragment, divided into three groups: the leaves that are the next
    /// samples of the cut, and the leaves before and after these.
    struct Match: Equatable {
        var before: Int
        /// The number of samples that the cut contains; for PCM, of audio frames.
        var kept: Int
        var after: Int

        /// The leaves that the cut contains, at least in part.
        var range: Range<Int> { before..<before + (isOne ? min(1, kept) : kept) }
        var isOne = false
        /// The number of audio frames of a PCM leaf before those that the cut contains. `rest` is the number after
        /// them.
        var lead = 0
        var rest = 0
    }

    /// Returns a match for a fragment with this number of leaves, none of which is in the cut.
    static func none(_ leaves: Int) -> Match { Match(before: leaves, kept: 0, after: 0) }

    /// Matches the samples of a fragment with the next samples of the cut.
    ///
    /// - Parameters:
    ///   - track: a track of the recording: the one that was found, or one with the same description.
    ///   - facts: the signed description of the track.
    ///   - isSame: returns true if a sample of the cut has the same bytes as a leaf, from a given frame of the leaf on.
    /// - Returns: nil if `track` is not the right track.
    mutating func match(
        _ track: SealedFragments.Track, _ facts: SignedHead.Track.Description,
        isSame: (StoredTrack.Sample, SealedFragments.Sample, Int) throws(MediaError) -> Bool
    ) throws(MediaError) -> Match? {
        let leaves = track.samples(isOne: facts.isOneLeaf)
        guard !isDone, next < count else { return isFound ? Self.none(leaves.count) : nil }
        if facts.isOneLeaf {
            guard let leaf = leaves.first else { return isFound ? Self.none(0) : nil }
            return try matchFrames(leaf, track.id, facts, isSame)
        }
        return try matchSamples(leaves, track.id, facts, isSame)
    }

    /// Ends the search. The remaining samples of the cut are not in the recording.
    mutating func end() {
        claim.after = count - next
        isDone = true
    }

    // MARK: Samples

    private mutating func matchSamples(
        _ leaves: [SealedFragments.Sample], _ id: UInt32, _ facts: SignedHead.Track.Description,
        _ isSame: (StoredTrack.Sample, SealedFragments.Sample, Int) throws(MediaError) -> Bool
    ) throws(MediaError) -> Match? {
        var first = 0
        if !isFound {
            while first < leaves.count {
                if try begins(with: leaves[first], facts, isSame) { break }
                first += 1
            }
            guard first < leaves.count else { return nil }
            found(id, leaves[first].contents)
        }
        var reached = first
        while reached < leaves.count, next < count, isNext(leaves[reached]) {
            reached += 1
            next += 1
        }
        if reached < leaves.count || next == count { end() }
        return Match(before: first, kept: reached - first, after: leaves.count - reached)
    }

    private func begins(
        with leaf: SealedFragments.Sample, _ facts: SignedHead.Track.Description,
        _ isSame: (StoredTrack.Sample, SealedFragments.Sample, Int) throws(MediaError) -> Bool
    ) throws(MediaError) -> Bool {
        let shown = Int64(clamping: leaf.contents.decodeTime) &+ Int64(leaf.contents.compositionOffset) &- facts.start
        guard (shown &- samples[0].presentation &- later).magnitude <= Self.rounding,
            size(leaf) == samples[0].byteCount,
            leaf.contents.isKeyframe == samples[0].isKeyframe
        else { return false }
        return try isSame(samples[0], leaf, 0)
    }

    /// The number of ticks that the writer's rounding may add.
    private static let rounding: UInt64 = 2

    private mutating func found(_ id: UInt32, _ sample: FragmentContents.Sample) {
        isFound = true
        claim.source = id
        claim.decodeTime = Int64(clamping: sample.decodeTime) &- samples[0].decodeTime
        claim.compositionOffset = sample.compositionOffset &- samples[0].compositionOffset
    }

    /// Returns true if a leaf is the cut's next sample: with the same times, keyframe flag and size.
    private func isNext(_ leaf: SealedFragments.Sample) -> Bool {
        let own = samples[next]
        return Int64(clamping: leaf.contents.decodeTime) == own.decodeTime &+ claim.decodeTime
            && leaf.contents.compositionOffset == own.compositionOffset &+ claim.compositionOffset
            && leaf.contents.isKeyframe == own.isKeyframe && size(leaf) == own.byteCount
    }

    private func size(_ leaf: SealedFragments.Sample) -> UInt64 {
        leaf.pieces.reduce(0) { $0 + ($1.range.upperBound - $1.range.lowerBound) }
    }

    // MARK: PCM

    /// Matches the frames of one PCM leaf. For a leaf that is only partly in the cut, the statement contains the rest,
    /// because only a complete leaf proves its frames.
    private mutating func matchFrames(
        _ leaf: SealedFragments.Sample, _ id: UInt32, _ facts: SignedHead.Track.Description,
        _ isSame: (StoredTrack.Sample, SealedFragments.Sample, Int) throws(MediaError) -> Bool
    ) throws(MediaError) -> Match? {
        let (time, frames) = (Int64(clamping: leaf.contents.decodeTime), Int(leaf.contents.count))
        var first = 0
        if !isFound {
            // The first frame of the cut, counted from the start of the leaf.
            let guess = samples[0].presentation &+ later &+ facts.start &- time
            var frame: Int?
            for step in [0, 1, -1, 2, -2] as [Int64] where frame == nil {
                guard let place = Int(exactly: guess &+ step), 0..<frames ~= place else { continue }
                if try isSame(samples[0], leaf, place) { frame = place }
            }
            guard let frame else { return nil }
            isFound = true
            claim.source = id
            claim.decodeTime = time &+ Int64(frame) &- samples[0].decodeTime
            first = frame
        }
        guard frames > first, decodeTime(ofFrame: next) &+ claim.decodeTime == time &+ Int64(first),
            size(leaf) == UInt64(frames) &* frameSize
        else {
            end()
            return Self.none(1)
        }
        let kept = min(frames - first, count - next)
        next += kept
        if next == count { end() }
        return Match(before: 0, kept: kept, after: 0, isOne: true, lead: first, rest: frames - first - kept)
    }

    private var frameSize: UInt64 { samples[0].byteCount / UInt64(max(1, samples[0].count)) }

    private func decodeTime(ofFrame number: Int) -> Int64 {
        var first = 0
        for chunk in samples {
            if number < first + chunk.count { return chunk.decodeTime &+ Int64(number - first) }
            first += chunk.count
        }
        return -1
    }
}
