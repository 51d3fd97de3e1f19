package import MediaTypes

/// Requests a keyframe if the maximum time from one keyframe to the next has passed. A pure value.
///
/// Encoders count this time in frames of the expected rate, so it would be longer if frames come more slowly: in dim
/// light, or in a slide show. A frame is due if neither a request nor the encoder's count has made a keyframe in time.
/// Keyframes that an encoder chooses itself, such as at a change of scene, are not known here, because packets come
/// later than frames. So the time after such a keyframe may be up to twice as long. Two passes with the same frames
/// request the same keyframes.
package struct KeyframeLimit: Sendable {
    private let interval: MediaTime
    /// The number of frames after which the encoder makes a keyframe without a request.
    private let count: Int
    private var last: MediaTime?
    private var frames = 0

    /// - Returns: nil for a codec whose frames all are keyframes.
    package init?(_ settings: VideoSettings) {
        guard [.h264, .hevc, .av1].contains(settings.codec) else { return nil }
        interval = settings.longestKeyframeInterval ?? settings.keyframeInterval
        let rate = settings.expectedFrameRate ?? 30
        count = Int(clamping: max(1, (min(settings.keyframeInterval.seconds, 1e6) * rate).rounded()))
    }

    /// Returns true if the next frame, with this time, must be requested as a keyframe.
    ///
    /// - Parameter isRequested: true if the frame is requested as a keyframe anyway.
    package mutating func requests(at time: MediaTime, isRequested: Bool) -> Bool {
        guard let last, !isRequested else {
            (self.last, frames) = (time, 0)
            return isRequested
        }
        frames += 1
        let isCounted = frames >= count
        guard isCounted || time - last >= interval else { return false }
        (self.last, frames) = (time, 0)
        return !isCounted
    }

    /// Records that the next frame is the first one of another encoder, and so a keyframe.
    package mutating func restart() { last = nil }
}
