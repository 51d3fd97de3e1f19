import Foundation
import RecorderStorage

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

    /// The time in seconds that a recording must add to the others. The times of two files differ a little, because the
    /// wall clock is read for each of them. The date of a kept clip has full seconds.
    private static let (leastOfRecording, leastOfClip) = (0.1, 1.0)

    /// Creates a plan.
    ///
    /// - Parameter recordings: The recordings of one recorder, ordered by their beginnings.
    init(_ recordings: [IndexedRecording], _ range: ClosedRange<Double>) {
        let repeated = Self.repeated(recordings, range)
        var covered = -Double.infinity
        var doubled = 0.0
        for recording in recordings where !repeated.contains(recording.number) {
            let clock = recording.clock
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

    /// Returns the numbers of the recordings whose times are in other recordings too, such as a kept clip, or a
    /// pre-roll that `recorder save` wrote to a separate file. Joined with the others, they would show these times
    /// twice.
    private static func repeated(_ recordings: [IndexedRecording], _ range: ClosedRange<Double>) -> Set<Int64> {
        let playable = recordings.filter { $0.info.hasVideo || $0.info.hasAudio }
        let isClip = Dictionary(playable.map { ($0.number, RangeRequest.isClip($0.path)) }) { $1 }
        var needed = Dictionary(playable.map { ($0.number, $0.clock.ranges) }) { $1 }
        var repeated: Set<Int64> = []
        // Clips come first, then the shortest recordings.
        let order = playable.sorted { one, other in
            let (isFirst, isSecond) = (isClip[one.number] == true, isClip[other.number] == true)
            return isFirst == isSecond ? one.duration < other.duration : isFirst
        }
        for recording in order {
            guard let own = needed.removeValue(forKey: recording.number) else { continue }
            let others = needed.values.joined().sorted { $0.lowerBound < $1.lowerBound }
            let least = isClip[recording.number] == true ? leastOfClip : leastOfRecording
            let isRepeated = own.filter { $0.overlaps(range) }.allSatisfy { part in
                uncovered(part.clamped(to: range), by: others) < least
            }
            if isRepeated, !others.isEmpty {
                repeated.insert(recording.number)
            } else {
                needed[recording.number] = own
            }
        }
        return repeated
    }

    /// Returns the length of the longest part of a range that none of the others contains.
    ///
    /// - Parameter others: Ranges in the order of their beginnings.
    private static func uncovered(_ range: ClosedRange<Double>, by others: [ClosedRange<Double>]) -> Double {
        var (longest, start) = (0.0, range.lowerBound)
        for other in others where other.upperBound > start && other.lowerBound < range.upperBound {
            longest = max(longest, other.lowerBound - start)
            start = other.upperBound
        }
        return max(longest, range.upperBound - start)
    }

    /// Returns the plan with only its first parts.
    func prefix(_ count: Int) -> ClipPlan {
        var plan = self
        plan.parts = Array(parts.prefix(count))
        return plan
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
