import MediaTypes

/// The frame that is on screen where a range begins: the last one before the start of the range. A plain value.
///
/// It is given as a frame of the range, from the start until the next frame.
struct HeldFrame {
    /// A frame that would be seen for less time is left out: times that were rounded differ by as much.
    static let shortest = MediaTime(value: 1, timescale: 2000)

    private var frame: SampleBuffer?

    mutating func keep(_ frame: SampleBuffer) { self.frame = frame }

    mutating func forget() { frame = nil }

    /// When the kept frame ends by its own duration; nil without a frame, and where nobody knows the duration.
    var ownEnd: MediaTime? {
        guard let frame, let duration = frame.duration, duration.isNumeric else { return nil }
        return frame.presentationTime + duration
    }

    /// Returns the kept frame, moved to `start`; nil where there is none, or it is not on screen then.
    ///
    /// - Parameter end: when the next frame is shown, or the track ends; infinite where nobody knows.
    mutating func take(from start: MediaTime, until end: MediaTime) -> SampleBuffer? {
        defer { frame = nil }
        guard let frame, end - start >= Self.shortest else { return nil }
        return frame.at(start).lasting(end.isNumeric ? end - start : nil)
    }
}
