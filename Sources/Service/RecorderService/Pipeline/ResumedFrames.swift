import MediaTypes

/// Selects the frames that can be decoded although other frames were left out by a pause. Keeps the decode times in
/// order. A pure value.
///
/// Packets of a camera depend on earlier ones, so a recording resumes with the first keyframe after a pause. The decode
/// times of the frames after that keyframe may be in the pause, and the entire pause is only one time of the recording.
struct ResumedFrames {
    /// The assumed time between the last decode time and a pause, if no frame was recorded before the pause.
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

    /// Returns a frame with its times in the recording; nil if decoding it requires frames of a pause.
    ///
    /// - Parameter moment: The frame's time in the recording.
    mutating func place(_ frame: SampleBuffer, at moment: MediaTime, on line: PauseLine) -> SampleBuffer? {
        guard entry.admits(frame) else { return nil }
        if frame.isKeyframe { keyframe = frame.presentationTime }
        let placed = moment == frame.presentationTime ? frame : frame.at(moment)
        guard let captured = frame.decodeTime else { return placed }
        var time = line.moment(of: captured)
        if line.place(captured, frames: 1, rate: nil) == .paused {
            // The number of such frames is unknown, so each gets the middle between the last decode time and the time
            // of the pause.
            let last = lastDecodeTime ?? time - Self.lead
            time = last + MediaTime(nanoseconds: (time - last).nanoseconds / 2)
        }
        lastDecodeTime = time
        return time == placed.decodeTime ? placed : placed.decoded(at: time)
    }
}
