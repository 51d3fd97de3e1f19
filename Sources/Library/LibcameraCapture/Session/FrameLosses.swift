/// Counts the frames that were lost before each frame, from sequence numbers and from times. A plain value; times are
/// nanoseconds.
///
/// Neither sequence numbers nor times are sufficient alone. Some pipelines count only frames for which they had a
/// buffer, so the sequence numbers have no gap if buffers are returned late. If a camera adapts its exposure, the
/// interval varies, and the times alone would show losses that never happened.
struct FrameLosses: Sendable {
    /// The fixed time between two frames; nil if it varies or is unknown.
    private let fixedInterval: Int64?
    private var lastTime: Int64?
    private var lastDuration: Int64?
    /// The latest distances between frames with consecutive sequence numbers, in a ring.
    private var distances: [Int64] = []
    private var nextDistance = 0

    private static let mostDistances = 15
    /// The minimum number of distances from which an interval is estimated.
    private static let fewestDistances = 5

    /// - Parameter fixedInterval: The configured time between two frames; nil if it varies or is unknown.
    init(fixedInterval: Int64?) {
        self.fixedInterval = fixedInterval.flatMap { $0 > 0 ? $0 : nil }
        distances.reserveCapacity(Self.mostDistances)
    }

    /// The expected time from the last frame to the next one; nil if unknown.
    var expectedInterval: Int64? { lastDuration ?? fixedInterval ?? median }

    /// Returns the number of frames that are missing between the last frame and this one.
    ///
    /// - Parameters:
    ///   - time: The time of the frame; later than that of the last frame.
    ///   - duration: The duration that the camera reports for the frame; nil if it reports none.
    ///   - skipped: The number of missing frames according to the sequence numbers.
    ///   - wasEmpty: true if the camera had no buffer at some time since the last frame.
    mutating func count(at time: Int64, duration: Int64?, skipped: Int64, wasEmpty: Bool) -> Int64 {
        defer {
            lastTime = time
            lastDuration = duration.flatMap { $0 > 0 ? $0 : nil }
        }
        guard let lastTime, time > lastTime else { return skipped }
        let distance = time - lastTime
        let byTime = missing(in: distance, duration: duration, wasEmpty: wasEmpty)
        if skipped == 0, byTime == 0 { remember(distance) }
        return max(skipped, byTime)
    }

    private func missing(in distance: Int64, duration: Int64?, wasEmpty: Bool) -> Int64 {
        // If the camera made this frame longer than the last one, that explains the distance without a missing frame.
        if let known = lastDuration ?? fixedInterval {
            let interval = max(known, duration ?? 0)
            // Up to three quarters of an interval count as jitter.
            return max(0, (distance + interval / 4) / interval - 1)
        }
        // An estimate proves a loss only if the camera had no buffer to fill.
        guard wasEmpty, let interval = median else { return 0 }
        return max(0, (distance + interval / 4) / interval - 1)
    }

    private mutating func remember(_ distance: Int64) {
        if distances.count < Self.mostDistances {
            distances.append(distance)
        } else {
            distances[nextDistance] = distance
            nextDistance = (nextDistance + 1) % Self.mostDistances
        }
    }

    private var median: Int64? {
        guard distances.count >= Self.fewestDistances else { return nil }
        return distances.sorted()[distances.count / 2]
    }
}
