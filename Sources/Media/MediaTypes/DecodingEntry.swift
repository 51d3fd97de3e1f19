/// Decides which frames can be decoded after others were left out. The next keyframe can be decoded, and so can all
/// frames after it, except its leading frames. Leading frames depend on frames before the keyframe (ITU-T H.265, RASL
/// pictures). A pure value.
package struct DecodingEntry: Sendable {
    private var needsKeyframe: Bool
    /// The timestamp of the keyframe with which decoding began; nil once another keyframe has come.
    private var entry: MediaTime?

    /// - Parameter needsKeyframe: true if the frames before the first one are missing.
    package init(needsKeyframe: Bool = false) { self.needsKeyframe = needsKeyframe }

    /// Records that frames are missing from now on.
    package mutating func leaveOut() { needsKeyframe = true }

    /// Returns true if a frame can be decoded. Called for each frame that is not left out, in decode order.
    package mutating func admits(_ time: MediaTime, isKeyframe: Bool) -> Bool {
        if isKeyframe {
            entry = needsKeyframe ? time : nil
            needsKeyframe = false
            return true
        }
        guard !needsKeyframe else { return false }
        return entry.map { time >= $0 } ?? true
    }

    /// Returns true if a frame can be decoded, like the function above.
    package mutating func admits(_ frame: SampleBuffer) -> Bool {
        admits(frame.presentationTime, isKeyframe: frame.isKeyframe)
    }
}
