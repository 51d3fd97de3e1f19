import DequeModule
import MediaTypes

/// The times of a recording: when it began, and what pauses cut out. A plain value.
///
/// A recording begins, and continues after a pause, with a frame of video; audio that comes earlier waits for it.
/// Without video it begins with audio.
struct RecordingSessions: Sendable {
    /// The decision about a sample.
    enum Step: Sendable {
        case leaveOut
        /// Append it.
        case append
        /// Begin a session at this time, append the audio that waited, then the sample.
        case begin(MediaTime, held: [SampleBuffer])
    }

    private enum Phase: Sendable {
        case beginning
        case running(since: MediaTime)
        case paused, ended
    }

    /// The most blocks of audio that wait for video: some seconds of the shortest blocks. Older ones are left out.
    static let mostHeld = 256

    let hasVideo: Bool
    private var phase = Phase.beginning
    private var held: Deque<SampleBuffer> = []
    /// The length of the sessions that have ended.
    private var earlier = MediaTime.zero
    /// The end of the session that ended last. The next one cannot begin before it.
    private var lastEnd: MediaTime?
    /// The end of the latest sample.
    private var newest = MediaTime.invalid
    /// The time of the latest frame; `interval` is its distance from the frame before.
    private var lastFrame: MediaTime?
    private var interval = MediaTime.zero
    /// The time at which the first session began.
    private(set) var start: MediaTime?

    init(hasVideo: Bool) { self.hasVideo = hasVideo }

    /// True if samples are appended.
    var isRunning: Bool { if case .running = phase { true } else { false } }
    var isPaused: Bool { if case .paused = phase { true } else { false } }
    var isEnded: Bool { if case .ended = phase { true } else { false } }

    /// The length of the movie so far.
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
            // Packets of H.264 can be shown from a keyframe on.
            guard sample.isKeyframe else { return .leaveOut }
            let time = max(sample.presentationTime, lastEnd ?? sample.presentationTime)
            // Soon after a pause began, frames may come from before its beginning, since a frame takes longer than
            // audio to arrive. They are kept only if later packets may depend on them, as in H.264.
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

    /// Cuts the open session, so that the movie is no longer than `length`.
    mutating func cut(to length: MediaTime) -> MediaTime? {
        guard case .running(let since) = phase, length > earlier, recorded > length else { return nil }
        newest = since + (length - earlier)
        return newest
    }

    /// - Returns: false if it has ended before.
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
            // Frames of a camera have no duration, but the last one before a pause is shown as long as the others.
            if let lastFrame, time > lastFrame { interval = time - lastFrame }
            lastFrame = time
        }
        let end = time + (sample.duration ?? (sample.format.mediaType == .video ? interval : .zero))
        newest = newest.isNumeric ? max(newest, end) : end
    }
}
