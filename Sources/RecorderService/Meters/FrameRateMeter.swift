import MediaTypes

/// How many frames a second really come, from their own times.
struct FrameRateMeter {
    private var recent: [MediaTime] = []
    private var first: MediaTime?
    private var last: MediaTime?
    private var count = 0
    private let window = MediaTime(value: 2, timescale: 1)

    mutating func add(_ time: MediaTime) {
        recent.append(time)
        // Cut in larger steps, so that a frame costs no copying.
        if recent.count >= 512, let wanted = recent.firstIndex(where: { $0 > time - window }) {
            recent.removeFirst(max(wanted, recent.count - 256))
        }
        if first == nil { first = time }
        last = time
        count += 1
    }

    /// Over the last two seconds; nil below two frames.
    var current: Double? {
        guard let last else { return nil }
        // Without another array: the camera's thread may want the lock that this is behind.
        var (first, frames): (MediaTime?, Int) = (nil, 0)
        for time in recent where time > last - window {
            first = first ?? time
            frames += 1
        }
        guard let first, frames > 1, last > first else { return nil }
        return Double(frames - 1) / (last - first).seconds
    }

    /// Over everything; nil below two frames.
    var average: Double? {
        guard let first, let last, count > 1, last > first else { return nil }
        return Double(count - 1) / (last - first).seconds
    }
}
