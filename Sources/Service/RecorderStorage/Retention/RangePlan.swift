/// The plan of a clip of a time range: the parts of a recorder's files that the clip contains. A pure value; all times
/// are seconds.
package struct RangePlan: Sendable, Equatable {
    /// A recording file, and when it was recorded.
    package struct Source: Sendable, Equatable {
        package let file: String
        package let clock: MovieClock
        /// True for a clip of an earlier request, which repeats a part of the recordings.
        package let isClip: Bool

        package init(file: String, clock: MovieClock, isClip: Bool = false) {
            (self.file, self.clock, self.isClip) = (file, clock, isClip)
        }

        fileprivate var range: ClosedRange<Double> { clock.begin...max(clock.begin, clock.end) }
    }

    package struct Part: Sendable, Equatable {
        package let file: String
        /// The time range of the movie.
        package let range: ClosedRange<Double>
        /// True if the part ends with the file.
        package let isToTheEnd: Bool
        /// The wall clock time at which the part begins, in seconds since 1970.
        package let begin: Double
        /// The part's share of the file, from 0 to 1.
        package let share: Double

        package var duration: Double { range.upperBound - range.lowerBound }
    }

    /// The parts in time order.
    package private(set) var parts: [Part] = []
    /// True if the files can be joined. Then each part except the first begins at the start of its file, and each part
    /// except the last extends to the end of its file.
    package private(set) var isSeamless = true

    /// The minimum length of a part. Shorter parts, which can result where one file ends and the next begins, are left
    /// out.
    private static let least = 0.001
    /// The maximum overlap, in seconds, of two consecutive files. The files only seem to overlap, because the wall
    /// clock was read separately for each file.
    private static let overlap = 0.1
    /// The minimum time, in seconds, that is taken from a clip beside other files. The date of a clip has full seconds.
    private static let leastOfClip = 1.0

    /// A source, and the wall clock times for which it is used.
    private struct Piece {
        let source: Source
        let limits: ClosedRange<Double>
        /// The position in the order of the pieces.
        let begin: Double
    }

    /// Creates a plan. Two files contain the same time if the pre-roll of a recording is the end of the previous
    /// recording. The first file then provides that time. An earlier clip provides only times that are in no recording
    /// any more.
    ///
    /// - Parameter range: Wall clock times in seconds since 1970.
    package init(_ sources: [Source], _ range: ClosedRange<Double>) {
        var covered = range.lowerBound
        for piece in Self.pieces(sources, range).sorted(by: { $0.begin < $1.begin }) {
            let (source, clock) = (piece.source, piece.source.clock)
            let first = max(covered, piece.limits.lowerBound)
            let follows = !parts.isEmpty && clock.begin > first - Self.overlap
            let start = follows ? 0 : clock.time(at: first)
            let end = clock.time(at: piece.limits.upperBound)
            guard clock.begin < range.upperBound, clock.end > first, end - start >= Self.least else { continue }
            let isToTheEnd = piece.limits.upperBound >= clock.end
            if !parts.isEmpty, start >= Self.least || parts.last?.isToTheEnd == false { isSeamless = false }
            parts.append(
                Part(
                    file: source.file, range: start...end, isToTheEnd: isToTheEnd, begin: clock.moment(of: start),
                    share: clock.duration > 0 ? min(1, (end - start) / clock.duration) : 1))
            covered = max(covered, min(clock.end, piece.limits.upperBound))
        }
    }

    private static func pieces(_ sources: [Source], _ range: ClosedRange<Double>) -> [Piece] {
        let recordings = sources.filter { !$0.isClip }
        var pieces = recordings.map { Piece(source: $0, limits: range, begin: $0.clock.begin) }
        var covered = recordings.map(\.range)
        for clip in sources.filter(\.isClip).sorted(by: { $0.clock.begin < $1.clock.begin })
        where clip.range.overlaps(range) {
            let own = clip.range.clamped(to: range)
            let least = covered.isEmpty ? Self.least : leastOfClip
            for gap in gaps(in: own, between: covered) where gap.upperBound - gap.lowerBound >= least {
                pieces.append(Piece(source: clip, limits: gap, begin: gap.lowerBound))
            }
            covered.append(own)
        }
        return pieces
    }

    /// Returns the parts of a range that none of the covered ranges contains.
    private static func gaps(
        in range: ClosedRange<Double>, between covered: [ClosedRange<Double>]
    ) -> [ClosedRange<Double>] {
        var gaps: [ClosedRange<Double>] = []
        var start = range.lowerBound
        for next in covered.sorted(by: { $0.lowerBound < $1.lowerBound }) where next.upperBound > start {
            guard next.lowerBound < range.upperBound else { break }
            if next.lowerBound > start { gaps.append(start...next.lowerBound) }
            start = next.upperBound
        }
        if start < range.upperBound { gaps.append(start...range.upperBound) }
        return gaps
    }
}
