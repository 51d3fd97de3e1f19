import MediaTypes

/// The frame that is on screen at the start of a range: the last one before it. A plain value.
///
/// It is returned as a frame of the range, from the start until the next frame.
struct HeldFrame {
    /// The shortest visible time of a frame. A shorter one is left out, because it is within the rounding of times.
    static let shortest = MediaTime(value: 1, timescale: 2000)

    private var frame: SampleBuffer?

    mutating func hold(_ frame: SampleBuffer) { self.frame = frame }

    mutating func forget() { frame = nil }

    /// The end of the held frame by its own duration; nil without a frame, or if the duration is unknown.
    var ownEnd: MediaTime? {
        guard let frame, let duration = frame.duration, duration.isNumeric else { return nil }
        return frame.presentationTime + duration
    }

    /// Returns the held frame, moved to `start`; nil if there is none, or if it is not on screen at that time.
    ///
    /// - Parameter end: the timestamp of the next frame or the end of the track; infinite if unknown.
    mutating func take(from start: MediaTime, until end: MediaTime) -> SampleBuffer? {
        defer { frame = nil }
        guard let frame, end - start >= Self.shortest else { return nil }
        return frame.at(start).lasting(end.isNumeric ? end - start : nil)
    }
}
