import MediaTypes
import RecorderStorage

/// The activity of one recording on the timeline, at the resolution of a screen. A pure value.
struct TimelineActivity: Encodable, Sendable, Equatable {
    /// The time of the first value, in seconds since 1970.
    let begin: Double
    /// The number of seconds that one value covers.
    let step: Double
    /// The largest activity of each step, 0 to 100.
    let values: [Int]

    /// The longest range whose activity is read. The values of a week take a megabyte for each recorder.
    private static let longest = 7.0 * 86_400

    /// Returns true if a timeline of this range contains the activity.
    static func isShown(_ question: TimelineQuestion) -> Bool {
        question.range.upperBound - question.range.lowerBound <= longest
    }

    /// Creates the value for the part of a recording's activity that is in a range; nil if there is none.
    ///
    /// - Parameters:
    ///   - begin: The recording's start in seconds since 1970.
    ///   - step: The duration of one point of the screen, in seconds.
    init?(_ series: ActivitySeries, begin: Double, in range: ClosedRange<Double>, step: Double) {
        let own = Double(series.step)
        // A group has at least one value. The conversion cannot overflow, because a step of the screen is at most a
        // year.
        let group = max(1, Int(clamping: (step / own).rounded(.up)))
        let first = Int(clamping: max(0, (range.lowerBound - begin) / own)) / group * group
        let last = min(series.values.count, Int(clamping: max(0, (range.upperBound - begin) / own).rounded(.up)))
        guard first < last else { return nil }
        self.begin = begin + Double(first) * own
        self.step = own * Double(group)
        values = stride(from: first, to: last, by: group).map { index in
            Int(series.values[index..<min(index + group, last)].max() ?? 0)
        }
    }
}

extension TimelineAnswer {
    /// Returns this answer, with the activity of its recorders added.
    func adding(
        _ activity: [String: [RecordingCatalogue.Activity]], for question: TimelineQuestion
    ) -> TimelineAnswer {
        let lines = lines.map { line in
            var line = line
            line.activity = (activity[line.name] ?? []).compactMap { recording in
                TimelineActivity(
                    recording.series, begin: recording.started, in: question.range, step: question.step)
            }
            return line
        }
        return TimelineAnswer(first: first, last: last, lines: lines, indexing: indexing)
    }
}
