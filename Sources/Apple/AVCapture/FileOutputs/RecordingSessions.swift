import DequeModule
import MediaTypes

/// The times of a recording: when it began, and which time ranges pauses cut out. A plain value.
///
/// A recording begins with a frame of video, and so does each continuation after a pause. Earlier audio waits for this
/// frame. A recording without video begins with audio.
struct RecordingSessions: Sendable {
    /// The decision about a sample.
    enum Step: Sendable {
        case leaveOut
        /// Append the sample.
        case append
        /// Begin a session at this time, append the audio that waited, then the sample.
        case begin(MediaTime, held: [SampleBuffer])
    }

    private enum Phase: Sendable {
        case beginning
        case running(since: MediaTime)
        case paused, ended
    }

    /// The maximum number of blocks of audio that wait for video: some seconds of the shortest blocks. If there are
    /// more, the oldest are not recorded.
    static let mostHeld = 256

    let hasVideo: Bool
    private var phase = Phase.beginning
    private var held: Deque<SampleBuffer> = []
    /// The total duration of the sessions that have ended.
    private var earlier = MediaTime.zero
    /// The end of the last session that has ended. The next session cannot begin before this time.
    private var lastEnd: MediaTime?
    /// The end of the latest sample.
    private var newest = MediaTime.invalid
    /// The time of the latest frame. `interval` is the time from the previous frame to this one.
    private var lastFrame: MediaTime?
    private var interval = MediaTime.zero
    /// The time at which the first session began.
    private(set) var start: MediaTime?

    init(hasVideo: Bool) { self.hasVideo = hasVideo }

    /// True if samples are appended.
    var isRunning: Bool { if case .running = phase { true } else { false } }
    var isPaused: Bool { if case .paused = phase { true } else { false } }
    var isEnded: Bool { if case .ended = phase { true } else { false } }

    /// The duration of the movie so far.
    var recorded: MediaTime {
        guard case .running(let since) = phase, newest.isNumeric, newest > since else { return earlier }
        return earlier + (newest - since)
    }

    mutating func add(_ sample: SampleBuffer) -> Step {
        let isVideo = sample.format.mediaType == .video
        switch phase {
        case .paused, .ended: return .leaveOut
        case .running:
            note(sample)
            return .append
        case .beginning:
            guard isVideo == hasVideo else {
                if !isVideo { hold(sample) }
                return .leaveOut
            }
            // H.264 packets can be shown only from a keyframe on.
            guard sample.isKeyframe else { return .leaveOut }
            let time = max(sample.presentationTime, lastEnd ?? sample.presentationTime)
            // Frames may still arrive that were captured before the pause began, because a frame arrives later than
            // audio. They are kept only if later packets may depend on them, as in H.264.
            if isVideo, sample.format.video?.codec != .h264, sample.presentationTime < time { return .leaveOut }
            phase = .running(since: time)
            start = start ?? time
            note(sample)
            defer { held = [] }
            return .begin(time, held: Array(held))
        }
    }

    /// - Returns: the time at which the session ends; nil if none is open.
    mutating func pause() -> MediaTime? {
        switch phase {
        case .running(let since):
            earlier = recorded
            phase = .paused
            let end = max(newest, since)
            lastEnd = end
            return end
        case .beginning:
            held = []
            phase = .paused
            return nil
        case .paused, .ended: return nil
        }
    }

    /// - Returns: false if the recording is not paused.
    mutating func resume() -> Bool {
        guard isPaused else { return false }
        phase = .beginning
        newest = .invalid
        lastFrame = nil
        return true
    }

    /// Cuts the open session so that the movie does not exceed `length`. Returns the new end; nil if the movie is not
    /// longer.
    mutating func cut(to length: MediaTime) -> MediaTime? {
        guard case .running(let since) = phase, length > earlier, recorded > length else { return nil }
        newest = since + (length - earlier)
        return newest
    }

    /// - Returns: false if the recording has already ended.
    mutating func end() -> Bool {
        guard !isEnded else { return false }
        earlier = recorded
        held = []
        phase = .ended
        return true
    }

    private mutating func hold(_ block: SampleBuffer) {
        if held.count == Self.mostHeld { held.removeFirst() }
        held.append(block)
    }

    private mutating func note(_ sample: SampleBuffer) {
        let time = sample.presentationTime
        if sample.format.mediaType == .video {
            // A camera's frames have no duration. The last frame before a pause is shown for the latest interval.
            if let lastFrame, time > lastFrame { interval = time - lastFrame }
            lastFrame = time
        }
        let end = time + (sample.duration ?? (sample.format.mediaType == .video ? interval : .zero))
        newest = newest.isNumeric ? max(newest, end) : end
    }
}
