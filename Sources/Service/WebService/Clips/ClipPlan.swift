import Foundation

/// The parts of recordings between two times. A pure value; all times are seconds.
struct ClipPlan: Sendable {
    struct Part: Sendable {
        let recording: IndexedRecording
        /// The time range, in seconds of the movie.
        let range: ClosedRange<Double>

        var duration: Double { range.upperBound - range.lowerBound }
    }

    /// The parts in time order. All but the first and the last are complete.
    private(set) var parts: [Part] = []
    /// Texts for the user: the recordings that no part contains, and why.
    private(set) var leftOut: [String] = []

    /// The minimum length of a part in seconds. Shorter parts, which can result where one file ends and the next
    /// begins, are left out.
    private static let least = 0.001

    /// Creates a plan.
    ///
    /// - Parameter recordings: The recordings of one recorder, ordered by their beginnings.
    init(_ recordings: [IndexedRecording], _ range: ClosedRange<Double>) {
        var covered = -Double.infinity
        var doubled = 0.0
        for recording in recordings {
            let clock = recording.clock
            // Skip a recording whose time is already covered by earlier recordings. An example is a pre-roll that
            // `recorder save` wrote to a separate file.
            guard clock.end > covered + Self.least else { continue }
            let (start, end) = (clock.time(at: range.lowerBound), clock.time(at: range.upperBound))
            guard end - start >= Self.least else { continue }
            guard recording.info.hasVideo || recording.info.hasAudio else {
                leftOut.append("\(recording.file): \(recording.info.problem ?? "no playable video or audio")")
                continue
            }
            doubled += max(0, min(covered, range.upperBound) - max(recording.begin, range.lowerBound))
            covered = clock.end
            parts.append(Part(recording: recording, range: start...end))
        }
        if doubled >= 0.1 {
            leftOut.append(
                "\(String(format: "%.1f", doubled)) s occur twice: a recording began with the end of the previous one"
            )
        }
    }

    /// The playing time in seconds.
    var duration: Double { parts.reduce(0) { $0 + $1.duration } }

    /// The approximate size of the clip in bytes. It is limited to `largest`, because a file may claim to be larger
    /// than any disk.
    var bytes: Int64 {
        let sum = parts.reduce(0.0) { sum, part in
            let share = part.recording.duration > 0 ? min(1, part.duration / part.recording.duration) : 1
            return sum + Double(part.recording.identity.size) * share
        }
        return Int64(min(sum, Self.largest))
    }

    /// The limit of the estimated size: 64 PiB.
    private static let largest = 0x1p56
}
