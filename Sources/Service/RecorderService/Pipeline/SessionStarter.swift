import MediaTypes

/// Decides the start of a recording, so that both tracks begin together.
///
/// The microphone starts first and delivers first. Its blocks are kept, at most 3 s of them, until the first frame.
/// That frame's time is time 0 of the movie, and audio that ends before it is released. Without a camera the first
/// block of audio begins the session. A silent microphone does not delay the camera.
///
/// A pure value. The caller protects it by a lock, carries out the returned actions outside that lock, and confirms
/// with `sessionStarted()`. Kept audio is returned in response to the next block, so only the microphone's own thread
/// ever appends audio.
struct SessionStarter {
    enum Phase: Equatable {
        case waiting
        /// A caller has to start the session at this time and has not confirmed yet.
        case starting(MediaTime)
        case started(MediaTime)
    }

    enum VideoAction: Equatable {
        /// Start the session at this frame's time, confirm, then append the frame.
        case startSession(at: MediaTime)
        case append
    }

    enum AudioAction {
        case keep
        /// Start the session, confirm, then call `releaseKept()`.
        case startSession(at: MediaTime)
        case append(SampleBuffer)
        /// The kept blocks and the new one, in this order.
        case appendAll([SampleBuffer])
    }

    private(set) var phase = Phase.waiting
    private var expectsVideo: Bool
    private var kept: [SampleBuffer] = []
    private let longestKept: MediaTime

    init(expectsVideo: Bool, longestKept: MediaTime = MediaTime(value: 3, timescale: 1)) {
        self.expectsVideo = expectsVideo
        self.longestKept = longestKept
    }

    /// The start of the session, once it has one.
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
            keep(block)
            let first = kept[0].presentationTime
            phase = .starting(first)
            return .startSession(at: first)
        case .waiting, .starting:
            keep(block)
            return .keep
        case .started(let start):
            // The usual case allocates no array.
            if kept.isEmpty, block.endTime > start { return .append(block) }
            kept.append(block)
            return .appendAll(release(since: start))
        }
    }

    /// Confirms that the session has started at the time of the last action.
    mutating func sessionStarted() {
        if case .starting(let time) = phase { phase = .started(time) }
    }

    /// Returns the kept blocks that belong to the session. Used at the end, when no further block will release them.
    mutating func releaseKept() -> [SampleBuffer] {
        start.map { release(since: $0) } ?? []
    }

    /// Records that no frame will arrive: audio alone may begin the session.
    mutating func cameraGone() { expectsVideo = false }
    mutating func cameraBack() { expectsVideo = true }

    private mutating func keep(_ block: SampleBuffer) {
        kept.append(block)
        let horizon = block.endTime - longestKept
        if let firstWanted = kept.firstIndex(where: { $0.endTime > horizon }) { kept.removeFirst(firstWanted) }
    }

    private mutating func release(since start: MediaTime) -> [SampleBuffer] {
        defer { kept = [] }
        return kept.filter { $0.endTime > start }
    }
}
