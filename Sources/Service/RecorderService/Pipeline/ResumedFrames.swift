import MediaTypes

/// Selects the frames that can be decoded although a pause left others out, and keeps their decode times in order. A
/// pure value.
///
/// Packets of a camera depend on earlier ones, so a recording resumes with the first keyframe after a pause. The decode
/// times of the frames that follow it may be in the pause, where the recording's timeline has only one time.
struct ResumedFrames {
    /// The time before the first frame that is used for decode times in a pause.
    private static let lead = MediaTime(value: 1, timescale: 1)

    private var entry = DecodingEntry()
    /// The time of the latest recorded keyframe, in the devices' clock.
    private var keyframe: MediaTime?
    private var lastDecodeTime: MediaTime?

    /// Records a frame that the pause leaves out.
    mutating func leaveOut(_ frame: SampleBuffer) {
        // No frame after the keyframe depends on its leading frames.
        if let keyframe, frame.presentationTime < keyframe, !frame.isKeyframe { return }
        entry.leaveOut()
    }

    /// Returns a frame with its times in the recording; nil if it cannot be decoded without frames of a pause.
    ///
    /// - Parameter moment: The frame's time in the recording.
    mutating func place(_ frame: SampleBuffer, at moment: MediaTime, on line: PauseLine) -> SampleBuffer? {
        guard entry.admits(frame) else { return nil }
        if frame.isKeyframe { keyframe = frame.presentationTime }
        let placed = moment == frame.presentationTime ? frame : frame.at(moment)
        guard let captured = frame.decodeTime else { return placed }
        var time = line.moment(of: captured)
        if line.place(captured, frames: 1, rate: nil) == .paused {
            // How many such frames follow is unknown, so each uses half of the time that is left before the pause.
            let last = lastDecodeTime ?? time - Self.lead
            time = last + MediaTime(nanoseconds: (time - last).nanoseconds / 2)
        }
        lastDecodeTime = time
        return time == placed.decodeTime ? placed : placed.decoded(at: time)
    }
}
