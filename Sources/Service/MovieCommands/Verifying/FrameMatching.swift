import MediaTypes

/// Matches the frames of two tracks by their times. Counts the frames without a counterpart, and picks some matching
/// pairs, spread over the movie.
struct FrameMatching {
    /// A frame of the copy and its counterpart in the source.
    struct Pair {
        let copy: MediaTime
        let source: MediaTime
        /// The times of the source's frames before and after this one; nil at the ends of the source.
        var before: MediaTime?
        var after: MediaTime?
    }

    /// The offset by which the copy's timeline begins later.
    let offset: MediaTime
    private(set) var match: TimeMatch
    private(set) var frames: Int64 = 0
    private(set) var sourceFrames: Int64 = 0
    /// The chosen pairs: at most as many as were requested, fewer in a short movie.
    private(set) var pairs: [Pair] = []
    private var wanted: ArraySlice<MediaTime>
    private var candidate: Pair?
    private var lastSource: MediaTime?

    /// Creates a matching.
    ///
    /// - Parameters:
    ///   - tolerance: The maximum difference between two equal times.
    ///   - wanted: Ascending times of the source near which a pair is wanted.
    init(offset: MediaTime, tolerance: MediaTime, wanted: [MediaTime]) {
        (self.offset, self.wanted) = (offset, wanted[...])
        match = TimeMatch(tolerance: tolerance)
    }

    /// Frames without a counterpart, in either track.
    var mismatches: Int64 { match.missing.count + match.added.count }

    /// Compares the next time of each track, which is nil at the end of that track. Returns which of the tracks to
    /// advance.
    mutating func take(copy: MediaTime?, source: MediaTime?) -> TimeMatch.Step {
        let step = match.take(copy: copy.map { $0 - offset }, source: source)
        if step != .source { frames += 1 }
        if step != .copy {
            sourceFrames += 1
            if let source { see(source) }
        }
        if step == .both, let copy, let source {
            candidate = Pair(copy: copy, source: source, before: lastSource)
        }
        if step != .copy { lastSource = source }
        return step
    }

    /// Completes the pairs when both tracks have ended.
    mutating func finish() {
        if !wanted.isEmpty, let candidate { pairs.append(candidate) }
        wanted = []
        candidate = nil
    }

    /// Records the next frame of the source. It is the frame after the last pair, and completes that pair.
    private mutating func see(_ next: MediaTime) {
        guard var last = candidate else { return }
        if last.after == nil {
            last.after = next
            candidate = last
        }
        guard let first = wanted.first, first < next else { return }
        pairs.append(last)
        wanted = wanted.drop { $0 < next }
    }
}
