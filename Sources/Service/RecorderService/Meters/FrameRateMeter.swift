import MediaTypes

/// Measures the actual frame rate from the frames' timestamps.
struct FrameRateMeter {
    private var recent: [MediaTime] = []
    private var first: MediaTime?
    private var last: MediaTime?
    private var count = 0
    private let window = MediaTime(value: 2, timescale: 1)

    mutating func add(_ time: MediaTime) {
        recent.append(time)
        // Removes many times at once, so that the array is rarely copied.
        if recent.count >= 512, let wanted = recent.firstIndex(where: { $0 > time - window }) {
            recent.removeFirst(max(wanted, recent.count - 256))
        }
        if first == nil { first = time }
        last = time
        count += 1
    }

    /// Frames per second over the last two seconds; nil if there are fewer than two frames.
    var current: Double? {
        guard let last else { return nil }
        // No array is allocated here, because the camera's thread may wait for the lock that protects this value.
        var (first, frames): (MediaTime?, Int) = (nil, 0)
        for time in recent where time > last - window {
            first = first ?? time
            frames += 1
        }
        guard let first, frames > 1, last > first else { return nil }
        return Double(frames - 1) / (last - first).seconds
    }

    /// Frames per second over the entire time; nil if there are fewer than two frames.
    var average: Double? {
        guard let first, let last, count > 1, last > first else { return nil }
        return Double(count - 1) / (last - first).seconds
    }
}
