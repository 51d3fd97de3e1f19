import Capture
import MediaTypes
import RealTime

/// Joins camera and microphone to one movie: takes their samples on their own threads, lets `SessionStarter` and
/// `SessionEnder` decide, and hands on what belongs to the recording. There is no queue in here.
///
/// `camera(_:)` runs on the camera's thread only, `microphone(_:)` on the microphone's; everything else on any.
/// Locks are held for constant work, and never while the sink is called.
final class SessionJoiner: Sendable {
    /// What the one who supervises the recording must know; never sent for an ordinary sample.
    enum Notice: Sendable {
        case sessionStarted(at: MediaTime)
        case cameraFailed(MediaError)
        case microphoneFailed(MediaError)
        case sinkFailed(MediaError)
        /// `isVideoComplete` or `isEnded` may have become true.
        case endIsNearer
    }

    private struct State {
        var starter: SessionStarter
        var ender: SessionEnder
        /// The end of the newest sample that was taken.
        var newest: MediaTime?
        var hasHeardSound = false
    }

    private let sink: any MovieSink
    private let duration: MediaTime?
    private let notify: @Sendable (Notice) -> Void
    private let state: Locked<State>
    private let frameRate = Locked(FrameRateMeter())
    private let levels: Locked<LevelMeter>?
    private let overruns = Locked(Int64(0))

    init(
        sink: any MovieSink, video: VideoFormat?, frameDuration: MediaTime?, audio: AudioFormat?, duration: MediaTime?,
        notify: @escaping @Sendable (Notice) -> Void
    ) {
        self.sink = sink
        self.duration = duration
        self.notify = notify
        let ender =
            frameDuration.map { SessionEnder(hasVideo: video != nil, hasAudio: audio != nil, frameDuration: $0) }
            ?? SessionEnder(hasVideo: video != nil, hasAudio: audio != nil)
        state = Locked(State(starter: SessionStarter(expectsVideo: video != nil), ender: ender))
        levels = audio.map { Locked(LevelMeter(format: $0)) }
    }

    // MARK: The devices' threads

    func camera(_ event: CaptureEvent) {
        switch event {
        case .sample(let frame):
            let time = frame.presentationTime
            let action: SessionStarter.VideoAction? = changing { state in
                guard state.ender.video(at: time, duration: frame.duration) else { return nil }
                state.newest = max(state.newest ?? time, frame.endTime)
                return state.starter.video(at: time)
            }
            guard let action else { return }
            if case .startSession(let start) = action { startSession(at: start) }
            sink.video?.append(frame)
            frameRate.withLock { $0.add(time) }
        case .lost(let count, let cause, let near):
            if isInSession(near) { sink.video?.noteLoss(count: count, cause: cause) }
        case .failed(let error): notify(.cameraFailed(error))
        }
    }

    func microphone(_ event: CaptureEvent) {
        switch event {
        case .sample(let block):
            if let measure = LevelMeter.measure(block) { levels?.withLock { $0.add(measure) } }
            let action: SessionStarter.AudioAction? = changing { state in
                guard state.ender.audio(from: block.presentationTime, to: block.endTime) else { return nil }
                state.newest = max(state.newest ?? block.endTime, block.endTime)
                state.hasHeardSound = true
                return state.starter.audio(block)
            }
            state.signal()
            switch action {
            case .append(let blocks): for block in blocks { sink.audio?.append(block) }
            case .startSession(let start):
                startSession(at: start)
                appendKeptSound()
            case .keep, nil: break
            }
        case .lost(let count, let cause, let near):
            guard isInSession(near) else { return }
            sink.audio?.noteLoss(count: count, cause: cause)
            if cause == .device { overruns.withLock { $0 += 1 } }
        case .failed(let error): notify(.microphoneFailed(error))
        }
    }

    private func startSession(at start: MediaTime) {
        do { try sink.startSession(at: start) } catch { return notify(.sinkFailed(error)) }
        changing { state in
            state.starter.sessionStarted()
            state.ender.sessionStarted(at: start, duration: duration)
        }
        notify(.sessionStarted(at: start))
    }

    // MARK: The supervisor

    /// Blocks until the microphone has delivered something, or for so long. Before the camera is started, so that the
    /// first picture finds its sound.
    func waitForSound(atMost nanoseconds: Int64) {
        _ = state.waiting(atMost: nanoseconds) { $0.hasHeardSound ? true : nil }
    }

    func stop(at time: MediaTime) { changing { $0.ender.stop(at: time) } }

    func tick(now: MediaTime) { changing { $0.ender.tick(now: now) } }

    /// The camera will deliver nothing more; sound goes on, or begins the session by itself.
    func cameraGone() {
        changing { state in
            state.starter.cameraGone()
            state.ender.videoGone()
        }
    }

    func microphoneGone() { changing { $0.ender.audioGone() } }

    /// Hands on sound that no later block has fetched. Only when the microphone's thread has ended.
    func appendKeptSound() {
        for block in state.withLock({ $0.starter.releaseKept() }) { sink.audio?.append(block) }
    }

    /// The camera may be closed: every picture that belongs to the movie is in.
    var isVideoComplete: Bool { state.withLock { $0.ender.isVideoComplete } }
    var isEnded: Bool { state.withLock { $0.ender.isEnded } }
    var start: MediaTime? { state.withLock { $0.starter.start } }
    var end: MediaTime? { state.withLock { $0.ender.end } }

    /// What was recorded until now; nil before the session.
    var recorded: MediaTime? {
        state.withLock { state in
            guard let start = state.starter.start else { return nil }
            return (state.ender.end ?? state.newest).map { max(.zero, $0 - start) }
        }
    }

    var frameRates: (current: Double?, average: Double?) { frameRate.withLock { ($0.current, $0.average) } }
    /// How loud it is, and how often the microphone's ring ran over; nil without a microphone.
    var sound: (level: LevelMeter.Level?, overruns: Int64)? {
        levels.map { levels in (levels.withLock { $0.level }, overruns.withLock { $0 }) }
    }

    // MARK: -

    private func isInSession(_ time: MediaTime) -> Bool {
        state.withLock { state in
            guard let start = state.starter.start, time >= start else { return false }
            return time < state.ender.end ?? .positiveInfinity
        }
    }

    /// Changes the state, and tells the supervisor when that brought the end nearer.
    @discardableResult
    private func changing<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, isNearer) = state.withLock { state in
            let before = (state.ender.isVideoComplete, state.ender.isEnded)
            let result = body(&state)
            return (result, before != (state.ender.isVideoComplete, state.ender.isEnded))
        }
        if isNearer { notify(.endIsNearer) }
        return result
    }
}
