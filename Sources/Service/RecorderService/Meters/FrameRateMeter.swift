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
        // Removes many at once, so that most frames cost no copying.
        if recent.count >= 512, let wanted = recent.firstIndex(where: { $0 > time - window }) {
            recent.removeFirst(max(wanted, recent.count - 256))
        }
        if first == nil { first = time }
        last = time
        count += 1
    }

    /// Frames per second over the last two seconds; nil below two frames.
    var current: Double? {
        guard let last else { return nil }
        // Allocates no array: the camera's thread may wait for the lock that protects this.
        var (first, frames): (MediaTime?, Int) = (nil, 0)
        for time in recent where time > last - window {
            first = first ?? time
            frames += 1
        }
        guard let first, frames > 1, last > first else { return nil }
        return Double(frames - 1) / (last - first).seconds
    }

    /// Frames per second over the entire time; nil below two frames.
    var average: Double? {
        guard let first, let last, count > 1, last > first else { return nil }
        return Double(count - 1) / (last - first).seconds
    }
}
