import MediaTypes

/// Selects the decoded frames that a range shows: each frame inside it once, and the one on screen at its start. A
/// plain value that the track's reader owns.
///
/// Frames may have to be decoded again. Returned frames are then identified by their times, and decoding begins again
/// at the last returned frame. If a time may occur more than once, decoding begins again at the start of the range, and
/// the returned frames are counted.
struct ShownFrames {
    private let range: TimeRange
    private let showsHeldFrame: Bool
    private let mayRepeatTimes: Bool
    private var held = HeldFrame()
    /// The timestamp of the last returned frame. While rereading, frames up to it are not returned again.
    private var lastGiven: MediaTime?
    private var isRereading = false
    /// The number of returned frames, and how many of them are still to be decoded again without being returned again.
    private var givenCount = 0
    private var repeatedCount = 0
    /// True once times have restarted, as in joined streams. A time then occurs more than once, so it does not identify
    /// a place from which to read again.
    private(set) var hasRestarted = false
    /// True once frames were lost. Another decoder may lose different frames, so counting does not identify a frame.
    private var hasLost = false
    /// True once the decoder has returned a frame after the range.
    private(set) var isPastEnd = false

    /// - Parameter mayRepeatTimes: true if a time may occur more than once in the file.
    init(in range: TimeRange, showsHeldFrame: Bool, mayRepeatTimes: Bool = false) {
        self.range = range
        self.showsHeldFrame = showsHeldFrame
        self.mayRepeatTimes = mayRepeatTimes
    }

    /// True if frames can be decoded again.
    var canReread: Bool { countsFrames || !hasRestarted }

    private var countsFrames: Bool { mayRepeatTimes && !hasLost }

    /// The end of the held frame by its own duration; nil if there is no held frame, or if its duration is unknown.
    var heldEnd: MediaTime? { held.ownEnd }

    /// Records that decoding begins, or begins again, before the range.
    mutating func restart() {
        isPastEnd = false
        held.forget()
    }

    /// Records that the last frames will be decoded again. Returns the time from which to read.
    mutating func reread() -> MediaTime {
        guard !countsFrames else {
            repeatedCount = givenCount
            return range.start
        }
        isRereading = true
        return lastGiven ?? range.start
    }

    /// Records that frames are lost. The frame on screen at the start of the range may be one of them.
    mutating func lose(at time: MediaTime) {
        // After a loss, counting no longer identifies the returned frames that were not decoded again yet. From now on
        // they are identified by their times.
        if repeatedCount > 0, !hasRestarted { isRereading = true }
        (hasLost, repeatedCount) = (true, 0)
        if time <= range.start { held.forget() }
    }

    /// Accepts the next decoded frame. Passes on the held frame, because its end is known now. Then passes on the new
    /// frame if it is inside the range.
    mutating func take(_ frame: SampleBuffer, output: (SampleBuffer) -> Void) {
        let time = frame.presentationTime
        if time >= range.end { isPastEnd = true }
        if range.start > .zero, time < range.start {
            if showsHeldFrame { held.hold(frame) }
            return
        }
        giveHeld(until: min(time, range.end), output: output)
        guard time < range.end else { return }
        if isRereading, let lastGiven {
            // Times may restart after the last frame that was returned.
            if time >= lastGiven { isRereading = false }
            if time <= lastGiven { return }
        }
        give(frame, at: time, output: output)
    }

    /// Passes on the frame that is on screen at the start of the range.
    ///
    /// - Parameter end: the timestamp of the next frame.
    mutating func giveHeld(until end: MediaTime, output: (SampleBuffer) -> Void) {
        guard let frame = held.take(from: range.start, until: end) else { return }
        if isRereading, let lastGiven, range.start <= lastGiven { return }
        give(frame, at: range.start, output: output)
    }

    private mutating func give(_ frame: SampleBuffer, at time: MediaTime, output: (SampleBuffer) -> Void) {
        guard repeatedCount == 0 else {
            repeatedCount -= 1
            return
        }
        if let lastGiven, time < lastGiven { hasRestarted = true }
        lastGiven = time
        givenCount += 1
        output(frame)
    }
}
