package import MediaTypes

extension ArchivePlan {
    /// The work of a task.
    package enum Work: Sendable, Hashable {
        /// Encode each movie completely, one after the other.
        case movies
        /// Encode the video of one chunk of the task's only movie. `to` is nil for the last chunk, which extends to the
        /// movie's end.
        case frames(from: MediaTime, to: MediaTime?)
        /// Encode the audio of the task's only movie, over the full duration.
        case audio
        /// Join the parts that these tasks made, to make the copy of the movie.
        case join(after: [Int])

        /// The tasks that must be done before this one.
        package var after: [Int] { if case .join(let tasks) = self { tasks } else { [] } }

        /// True if the task makes copies, false if it makes parts that are joined later.
        package var makesCopies: Bool {
            switch self {
            case .movies, .join: true
            case .frames, .audio: false
            }
        }

        /// The name of the work in a plan; nil for complete movies.
        var word: String? {
            switch self {
            case .movies: nil
            case .frames: "frames"
            case .audio: "audio"
            case .join: "join"
            }
        }
    }
}

/// An exact time in a plan: a fraction of a second, such as "61440/12800", or an integer number of seconds.
enum PlanTime {
    static func text(_ time: MediaTime) -> String {
        let divisor = divisor(Int64(clamping: time.value.magnitude), Int64(time.timescale))
        let (value, scale) = (time.value / divisor, Int64(time.timescale) / divisor)
        return scale == 1 ? "\(value)" : "\(value)/\(scale)"
    }

    /// Parses a time. Returns nil if the text is invalid or the time is negative.
    static func parse(_ text: String) -> MediaTime? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count < 3, let value = Int64(parts[0]), value >= 0, parts.count == 1 || parts[1].first != "+" else {
            return nil
        }
        guard parts.count == 2 else { return value < 1 << 32 ? MediaTime(value: value, timescale: 1) : nil }
        guard let scale = Int32(parts[1]), scale > 0 else { return nil }
        return MediaTime(value: value, timescale: scale)
    }

    private static func divisor(_ one: Int64, _ other: Int64) -> Int64 {
        var (one, other) = (one, other)
        while other != 0 { (one, other) = (other, one % other) }
        return max(1, one)
    }
}
