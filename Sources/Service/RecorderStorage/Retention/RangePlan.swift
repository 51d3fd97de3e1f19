/// The plan of a clip of a time range: the parts of a recorder's files that the clip contains. A pure value; all times
/// are seconds.
package struct RangePlan: Sendable, Equatable {
    /// A recording file, and when it was recorded.
    package struct Source: Sendable, Equatable {
        package let file: String
        package let clock: MovieClock

        package init(file: String, clock: MovieClock) { (self.file, self.clock) = (file, clock) }
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

    /// Creates a plan. Two files contain the same time if the pre-roll of a recording is the end of the previous
    /// recording. The first file then provides that time.
    ///
    /// - Parameter range: Wall clock times in seconds since 1970.
    package init(_ sources: [Source], _ range: ClosedRange<Double>) {
        var covered = range.lowerBound
        for source in sources.sorted(by: { $0.clock.begin < $1.clock.begin }) {
            let clock = source.clock
            let follows = !parts.isEmpty && clock.begin > covered - Self.overlap
            let start = follows ? 0 : clock.time(at: covered)
            let end = clock.time(at: range.upperBound)
            guard clock.begin < range.upperBound, clock.end > covered, end - start >= Self.least else { continue }
            let isToTheEnd = range.upperBound >= clock.end
            if !parts.isEmpty, start >= Self.least || parts.last?.isToTheEnd == false { isSeamless = false }
            parts.append(
                Part(
                    file: source.file, range: start...end, isToTheEnd: isToTheEnd, begin: clock.moment(of: start),
                    share: clock.duration > 0 ? min(1, (end - start) / clock.duration) : 1))
            covered = max(covered, min(clock.end, range.upperBound))
        }
    }
}
