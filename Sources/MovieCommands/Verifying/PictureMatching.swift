import MediaTypes

/// The pictures of two tracks beside each other, by their times: which have no counterpart, and some that are each other's,
/// spread over the film.
struct PictureMatching {
    /// A picture of the copy and the one of the source that it was made of.
    struct Pair {
        let copy: MediaTime
        let source: MediaTime
        /// Those before and behind it in the source; nil at its ends.
        var before: MediaTime?
        var after: MediaTime?
    }

    /// How much later the copy's time line begins.
    let offset: MediaTime
    private(set) var match: TimeMatch
    private(set) var pictures: Int64 = 0
    private(set) var sourcePictures: Int64 = 0
    /// At most as many as were wanted; of a short film fewer.
    private(set) var pairs: [Pair] = []
    private var wanted: ArraySlice<MediaTime>
    private var candidate: Pair?
    private var lastSource: MediaTime?

    /// - Parameters:
    ///   - tolerance: between two times that mean the same.
    ///   - wanted: times of the source, ascending, near which a pair is wanted.
    init(offset: MediaTime, tolerance: MediaTime, wanted: [MediaTime]) {
        (self.offset, self.wanted) = (offset, wanted[...])
        match = TimeMatch(tolerance: tolerance)
    }

    /// Pictures without a counterpart, in either.
    var mismatches: Int64 { match.missing.count + match.added.count }

    /// The next of both lists; nil at the end of one.
    mutating func take(copy: MediaTime?, source: MediaTime?) -> TimeMatch.Step {
        let step = match.take(copy: copy.map { $0 - offset }, source: source)
        if step != .source { pictures += 1 }
        if step != .copy {
            sourcePictures += 1
            if let source { see(source) }
        }
        if step == .both, let copy, let source {
            candidate = Pair(copy: copy, source: source, before: lastSource)
        }
        if step != .copy { lastSource = source }
        return step
    }

    /// Both lists are at their end.
    mutating func finish() {
        if !wanted.isEmpty, let candidate { pairs.append(candidate) }
        wanted = []
        candidate = nil
    }

    /// What was shown until now is followed by another picture.
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
