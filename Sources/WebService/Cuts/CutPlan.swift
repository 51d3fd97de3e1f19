import Foundation

/// Which parts of which recordings lie between two moments. A pure value; all times are seconds.
struct CutPlan: Sendable {
    struct Part: Sendable {
        let recording: IndexedRecording
        /// Of its film.
        let range: ClosedRange<Double>

        var duration: Double { range.upperBound - range.lowerBound }
    }

    /// In the order of time. All but the first and the last are whole.
    private(set) var parts: [Part] = []
    /// What is in none of them, and why, for whoever gets the cut.
    private(set) var leftOut: [String] = []

    /// What is shorter is no part: a moment that is the end of one file is the beginning of the next.
    private static let least = 0.001

    /// - Parameter recordings: of one recorder, in the order of their beginnings.
    init(_ recordings: [IndexedRecording], _ range: ClosedRange<Double>) {
        var covered = -Double.infinity
        var doubled = 0.0
        for recording in recordings {
            let clock = recording.clock
            // A part that was saved beside the recording that has it too.
            guard clock.end > covered + Self.least else { continue }
            let (start, end) = (clock.time(at: range.lowerBound), clock.time(at: range.upperBound))
            guard end - start >= Self.least else { continue }
            guard recording.facts.hasPicture || recording.facts.hasSound else {
                leftOut.append("\(recording.file): \(recording.facts.problem ?? "nothing of it can be shown")")
                continue
            }
            doubled += max(0, min(covered, range.upperBound) - max(recording.begin, range.lowerBound))
            covered = clock.end
            parts.append(Part(recording: recording, range: start...end))
        }
        if doubled >= 0.1 {
            leftOut.append(
                "\(String(format: "%.1f", doubled)) s are there twice: one recording began with what the one before ended with"
            )
        }
    }

    /// Seconds that it plays.
    var duration: Double { parts.reduce(0) { $0 + $1.duration } }

    /// How large it will be, about. Of files that say they are larger than any disk, as large as one.
    var bytes: Int64 {
        let sum = parts.reduce(0.0) { sum, part in
            let share = part.recording.duration > 0 ? min(1, part.duration / part.recording.duration) : 1
            return sum + Double(part.recording.identity.size) * share
        }
        return Int64(min(sum, Self.largest))
    }

    /// 64 PiB.
    private static let largest = 0x1p56
}
