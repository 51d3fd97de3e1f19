import MediaTypes

/// Decides where a recording begins, so that both tracks begin together.
///
/// The microphone is started first and heard first. Its blocks are kept, 3 s of them at most, until the first picture;
/// that picture's time is time 0 of the movie, and what was heard wholly before it is let go. Without a camera the first
/// block of sound begins the session. A microphone that says nothing does not hold up the camera.
///
/// A pure value: the caller holds it behind a lock, carries out what it says outside that lock, and reports back with
/// `sessionStarted()`. Kept sound is handed out in answer to the next block, so only the microphone's own thread ever
/// appends sound.
struct SessionStarter {
    enum Phase: Equatable {
        case waiting
        /// Somebody was told to start the session at this time and has not reported yet.
        case starting(MediaTime)
        case started(MediaTime)
    }

    enum VideoAction: Equatable {
        /// Start the session at this frame's time, report, then append the frame.
        case startSession(at: MediaTime)
        case append
    }

    enum AudioAction {
        case keep
        /// Start the session, report, then ask `releaseKept()`.
        case startSession(at: MediaTime)
        case append(SampleBuffer)
        /// What was kept and what came, in this order.
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

    /// A picture came. Called by the camera's thread alone, which is also the one that reports.
    mutating func video(at time: MediaTime) -> VideoAction {
        guard phase == .waiting else { return .append }
        phase = .starting(time)
        return .startSession(at: time)
    }

    /// A block of sound came. Called by the microphone's thread alone.
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
            // The ordinary case makes no array.
            if kept.isEmpty, block.endTime > start { return .append(block) }
            kept.append(block)
            return .appendAll(release(since: start))
        }
    }

    /// The session has begun where the last action said.
    mutating func sessionStarted() {
        if case .starting(let time) = phase { phase = .started(time) }
    }

    /// What is kept and belongs to the session: for the end, when no further block will fetch it.
    mutating func releaseKept() -> [SampleBuffer] {
        start.map { release(since: $0) } ?? []
    }

    /// No picture will come: sound alone may begin the session.
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
