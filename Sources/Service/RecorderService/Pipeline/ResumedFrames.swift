import MediaTypes

/// Selects the frames that can be decoded although a pause left others out, and keeps their decode times in order. A
/// pure value.
///
/// Packets of a camera depend on earlier ones, so a recording resumes with the first keyframe after a pause. Decode
/// times of the frames that follow it may be in the pause or before it. On the recording's timeline, which has no
/// pauses, those times would not increase.
struct ResumedFrames {
    private var entry = DecodingEntry()
    private var isAfterPause = false
    /// The first keyframe after the latest pause: its time by the devices' clock and in the recording. nil once no frame
    /// is decoded before it is shown.
    private var keyframe: (captured: MediaTime, moment: MediaTime)?
    private var lastDecodeTime: MediaTime?

    /// Records a frame that the pause leaves out.
    mutating func leaveOut() {
        entry.leaveOut()
        isAfterPause = true
    }

    /// Returns a frame at its time in the recording; nil if it cannot be decoded without frames of the pause.
    mutating func place(_ frame: SampleBuffer, at moment: MediaTime) -> SampleBuffer? {
        guard entry.admits(frame) else { return nil }
        let captured = frame.presentationTime
        if isAfterPause { keyframe = (captured, moment) }
        isAfterPause = false
        let placed = moment == captured ? frame : frame.at(moment)
        guard let decodeTime = frame.decodeTime else { return placed }
        guard let keyframe, let lastDecodeTime, decodeTime < keyframe.captured else {
            self.keyframe = nil
            self.lastDecodeTime = placed.decodeTime
            return placed
        }
        // How many such frames follow is unknown, so each uses half of the time that is left before the keyframe.
        let rest = (keyframe.moment - lastDecodeTime).nanoseconds
        let time = lastDecodeTime + MediaTime(nanoseconds: rest / 2)
        self.lastDecodeTime = time
        return placed.decoded(at: time)
    }
}
