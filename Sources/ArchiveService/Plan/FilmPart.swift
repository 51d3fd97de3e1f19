package import MediaTypes

extension ArchivePlan {
    /// What a task does with its films.
    package enum Work: Sendable, Hashable {
        /// Each film as a whole, one after the other.
        case films
        /// The pictures of a stretch of the one film that it has. `to` is nil for the last: it goes to the film's end, wherever that is.
        case pictures(from: MediaTime, to: MediaTime?)
        /// The sound of the film, over its whole length.
        case sound
        /// Joins what those tasks made, and so makes the film's copy.
        case join(after: [Int])

        /// Tasks that must be done before.
        package var after: [Int] { if case .join(let tasks) = self { tasks } else { [] } }

        /// It makes copies; others make what is joined to one.
        package var makesCopies: Bool {
            switch self {
            case .films, .join: true
            case .pictures, .sound: false
            }
        }

        /// As a plan names it; nil for whole films.
        var word: String? {
            switch self {
            case .films: nil
            case .pictures: "pictures"
            case .sound: "sound"
            case .join: "join"
            }
        }
    }
}

/// A time as it stands in a plan: exact, as "61440/12800" of a second, or a whole number of seconds.
enum PlanTime {
    static func text(_ time: MediaTime) -> String {
        let divisor = divisor(Int64(clamping: time.value.magnitude), Int64(time.timescale))
        let (value, scale) = (time.value / divisor, Int64(time.timescale) / divisor)
        return scale == 1 ? "\(value)" : "\(value)/\(scale)"
    }

    /// nil for what is none, and for one before the beginning.
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
