import MediaTypes

/// Decides the start of a recording, so that both tracks begin together.
///
/// The microphone starts first and delivers first. Its blocks wait for the first frame; at most 3 s of audio are kept.
/// The time of the first frame is time 0 of the movie. Audio that ends before that time is discarded. Without a camera,
/// the first block of audio begins the session. A microphone that sends nothing does not delay the camera.
///
/// A pure value. The caller protects it by a lock, carries out the returned actions outside that lock, and confirms
/// with `sessionStarted()`. Waiting audio is returned when the next block arrives, so only the microphone's own thread
/// appends audio.
struct SessionStarter {
    enum Phase: Equatable {
        case waiting
        /// An action has requested that the session starts at this time, and the caller has not confirmed the start
        /// yet.
        case starting(MediaTime)
        case started(MediaTime)
    }

    enum VideoAction: Equatable {
        /// Start the session at the time of the frame, confirm the start, then append the frame.
        case startSession(at: MediaTime)
        case append
    }

    enum AudioAction {
        /// The block waits for the first frame.
        case wait
        /// Start the session at this time, confirm the start, then append the blocks of `releaseWaiting()`.
        case startSession(at: MediaTime)
        case append(SampleBuffer)
        /// Append the waiting blocks and the new one, in this order.
        case appendAll([SampleBuffer])
    }

    private(set) var phase = Phase.waiting
    private var expectsVideo: Bool
    private var waiting: [SampleBuffer] = []
    private let longestWait: MediaTime

    init(expectsVideo: Bool, longestWait: MediaTime = MediaTime(value: 3, timescale: 1)) {
        self.expectsVideo = expectsVideo
        self.longestWait = longestWait
    }

    /// The start of the session; nil before it is known.
    var start: MediaTime? {
        if case .started(let time) = phase { time } else { nil }
    }

    /// Handles a frame. Called only by the camera's thread, which also confirms the start.
    mutating func video(at time: MediaTime) -> VideoAction {
        guard phase == .waiting else { return .append }
        phase = .starting(time)
        return .startSession(at: time)
    }

    /// Handles a block of audio. Called only by the microphone's thread.
    mutating func audio(_ block: SampleBuffer) -> AudioAction {
        switch phase {
        case .waiting where !expectsVideo:
            hold(block)
            let first = waiting[0].presentationTime
            phase = .starting(first)
            return .startSession(at: first)
        case .waiting, .starting:
            hold(block)
            return .wait
        case .started(let start):
            // In the usual case no array is allocated.
            if waiting.isEmpty, block.endTime > start { return .append(block) }
            waiting.append(block)
            return .appendAll(release(since: start))
        }
    }

    /// Confirms that the session has started at the time of the last action.
    mutating func sessionStarted() {
        if case .starting(let time) = phase { phase = .started(time) }
    }

    /// Returns the waiting blocks that belong to the session. Used at the end, when no further block will release them.
    mutating func releaseWaiting() -> [SampleBuffer] {
        start.map { release(since: $0) } ?? []
    }

    /// Records that no frame will arrive. From now on audio alone may begin the session.
    mutating func cameraGone() { expectsVideo = false }
    mutating func cameraBack() { expectsVideo = true }

    private mutating func hold(_ block: SampleBuffer) {
        waiting.append(block)
        let horizon = block.endTime - longestWait
        if let firstWanted = waiting.firstIndex(where: { $0.endTime > horizon }) { waiting.removeFirst(firstWanted) }
    }

    private mutating func release(since start: MediaTime) -> [SampleBuffer] {
        defer { waiting = [] }
        return waiting.filter { $0.endTime > start }
    }
}
