import MediaTypes

/// Measures the interval between the frames of a camera whose packets have no duration, such as a network camera. A pure
/// value.
///
/// No frame follows the last frame of a file. Without a duration, players do not show that frame.
struct FrameInterval {
    /// The time from one frame to the next; before the second frame, that of a usual camera.
    private(set) var value = MediaTime(value: 1, timescale: 30)
    private var last: MediaTime?

    /// Records the decode time of a frame.
    mutating func record(_ time: MediaTime) {
        if let last, time > last { value = time - last }
        last = time
    }

    /// Records that the camera was disconnected, so that the next frame does not show the interval.
    mutating func interrupt() { last = nil }
}
