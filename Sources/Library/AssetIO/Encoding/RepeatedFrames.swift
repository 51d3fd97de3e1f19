import MediaCodecs
import MediaTypes

/// Decides which frames of a track are left out, because they repeat the frame that was encoded last. A pure value.
///
/// - The first frame is encoded, and so is every frame that has to be a keyframe.
/// - The first frame at or after the end of a keyframe interval is encoded as a keyframe. Encoders count this interval
///   in frames, but most frames are left out here.
struct RepeatedFrames {
    enum Decision: Equatable {
        case encode(asKeyframe: Bool)
        case leaveOut
    }

    private let interval: MediaTime
    private var lastKeyframe: MediaTime?

    /// The maximum time from one encoded frame to the next. It must be well below a minute, because a repair treats a
    /// jump of a minute as damage (`DueTimes.longestJump`).
    static let longestStill = MediaTime(value: 10, timescale: 1)

    init(keyframeInterval: MediaTime) { interval = min(keyframeInterval, Self.longestStill) }

    /// Returns the decision about the next frame.
    ///
    /// - Parameters:
    ///   - isKeyframe: true if the frame has to be a keyframe.
    ///   - repeats: returns true if the frame equals the one that was encoded last. Called only if the decision depends
    ///     on it.
    func decide(at time: MediaTime, asKeyframe isKeyframe: Bool, repeats: () -> Bool) -> Decision {
        let isDue = lastKeyframe.map { time - $0 >= interval } ?? true
        if isKeyframe || isDue { return .encode(asKeyframe: true) }
        return repeats() ? .leaveOut : .encode(asKeyframe: false)
    }

    /// Records a keyframe, which the encoder may have chosen itself.
    mutating func recordKeyframe(at time: MediaTime) { lastKeyframe = max(lastKeyframe ?? time, time) }
}

/// Compares the frames of an encoder with the last frame that it encoded. Only one thread at a time may call.
struct RepeatedFrameFilter {
    private var rule: RepeatedFrames
    private var comparison = FrameComparison()
    private let mayLeaveOut: @Sendable () -> Bool
    /// The answer of `mayLeaveOut` for the current frame.
    private var mayLeaveOutNow = false

    /// - Parameter mayLeaveOut: returns true if frames may be left out now; called for each frame.
    init(keyframeInterval: MediaTime, mayLeaveOut: @escaping @Sendable () -> Bool) {
        rule = RepeatedFrames(keyframeInterval: keyframeInterval)
        self.mayLeaveOut = mayLeaveOut
    }

    /// Returns the decision about a frame. The frame must have the form that the encoder gets.
    mutating func decide(_ frame: PixelBuffer, at time: MediaTime, asKeyframe: Bool) -> RepeatedFrames.Decision {
        mayLeaveOutNow = mayLeaveOut()
        let (isAllowed, comparison) = (mayLeaveOutNow, comparison)
        return rule.decide(at: time, asKeyframe: asKeyframe) { isAllowed && comparison.equals(frame) }
    }

    /// Records a frame that was encoded. The next frames are compared with it.
    mutating func recordEncoded(_ frame: PixelBuffer, at time: MediaTime, asKeyframe: Bool) {
        if asKeyframe { rule.recordKeyframe(at: time) }
        // While every frame is encoded, no frame is kept, because keeping one may mean copying it.
        if mayLeaveOutNow { comparison.keep(frame) } else { comparison.forget() }
    }

    mutating func recordKeyframe(at time: MediaTime) { rule.recordKeyframe(at: time) }
}
