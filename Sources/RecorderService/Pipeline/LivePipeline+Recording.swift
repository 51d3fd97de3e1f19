import MediaTypes
import RealTime

/// What the session asks of the pipeline: any thread.
extension LivePipeline {
    /// Blocks until the microphone has delivered something, or for so long. Before the camera is started, so that the
    /// first picture finds its sound.
    func waitForSound(atMost nanoseconds: Int64) {
        _ = state.waiting(atMost: nanoseconds) { $0.hasHeardSound ? true : nil }
    }

    /// A recording begins: with the first sample there is, or, where packets are kept, so much before this moment.
    ///
    /// - Parameter wanted: a moment of the devices' clock in place of this one less the pre-roll.
    func begin(
        duration: MediaTime?, preRoll: MediaTime?, at wanted: MediaTime? = nil, limits: PacketDispatcher.Limits
    ) {
        let now = MediaTime(nanoseconds: clock.nanoseconds)
        let moment = state.withLock { state -> MediaTime? in
            let moment = wanted.map(state.line.moment) ?? state.line.moment(of: now) - (preRoll ?? .zero)
            let start = state.starter.start.map { max($0, moment) }
            var ender = SessionEnder(
                hasVideo: video != nil && state.away[.video] == nil,
                hasAudio: audio != nil && state.away[.audio] == nil, frameDuration: frameDuration, duration: duration)
            if let start { ender.sessionStarted(at: start) }
            state.ender = ender
            return start
        }
        dispatcher.begin(at: moment, limits: limits)
    }

    /// It ends at this moment of the devices' clock.
    func stop(at time: MediaTime) {
        changing { state in
            let moment = state.line.moment(of: time)
            state.ender?.stop(at: moment)
            state.line.resume(at: time)
        }
    }

    /// Packets are needed from now on. Before a recording begins, and before somebody watches.
    func wake() {
        let now = clock.nanoseconds
        // Under the lock, so that tracks wake and rest in the order of what was decided.
        need.withLock { need in
            if need.require(at: now) { for track in [video, audio] { track?.wake() } }
        }
    }

    /// Lets the encoders rest once nobody has needed packets for a while. A camera's own packets are let through: only with
    /// those before it can a recording begin at the moment it is asked for.
    ///
    /// - Parameter isNeeded: a recording or a viewer is there.
    func rest(unless isNeeded: Bool) {
        guard keepsGoing, start != nil, let video else { return }
        let (now, encodes) = (clock.nanoseconds, video.encodes)
        need.withLock { need in
            if need.look(isNeeded: isNeeded || !encodes, at: now) { for track in [video, audio] { track?.rest() } }
        }
    }

    func tick(now: MediaTime) {
        changing { state in
            let moment = state.line.moment(of: now)
            state.ender?.tick(now: moment)
        }
        publishLosses()
    }

    /// Tells the open file what was lost before it became a packet.
    func publishLosses() { for track in [video, audio] { track?.publishLosses() } }

    /// - Returns: false when it is paused already.
    func pause(at time: MediaTime) -> Bool {
        state.withLock { state in
            guard !state.line.isPaused else { return false }
            state.line.pause(at: time)
            return true
        }
    }

    func resume(at time: MediaTime) -> Bool {
        state.withLock { state in
            guard state.line.isPaused else { return false }
            state.line.resume(at: time)
            return true
        }
    }

    /// Where a moment of the devices' clock lies in the recording.
    func moment(of time: MediaTime) -> MediaTime { state.withLock { $0.line.moment(of: time) } }

    /// When a moment of the recording was, by the devices' clock.
    func time(of moment: MediaTime) -> MediaTime { state.withLock { $0.line.time(of: moment) } }

    /// What was paused between two moments of the recording; `time` is when the first of them was.
    func pauses(
        from start: MediaTime, at time: MediaTime, to end: MediaTime
    ) -> [(moment: MediaTime, duration: MediaTime)] {
        state.withLock { $0.line.pauses(from: start, at: time, to: end) }
    }

    /// The recording is over; an armed process goes on without.
    func forget() { state.withLock { $0.ender = nil } }

    /// No device delivers any more: lets the encoders end.
    func finish() {
        appendKeptSound()
        video?.finish()
        audio?.finish()
    }

    /// Hands on sound that no later block has fetched. Only when the microphone's thread has ended.
    func appendKeptSound() {
        for block in state.withLock({ $0.starter.releaseKept() }) { audio?.append(block) }
    }

    /// Hands the next picture to `receiver`, on the camera's thread.
    func nextPicture(_ receiver: @escaping @Sendable (SampleBuffer) -> Void) {
        state.withLock { $0.snapshots.append(receiver) }
    }

    // MARK: Figures

    /// Nothing begins, and nothing ends within a second.
    var isSteady: Bool {
        let now = MediaTime(nanoseconds: clock.nanoseconds)
        return state.withLock { state in
            guard state.starter.start != nil else { return false }
            let soon = state.line.moment(of: now) + MediaTime(value: 1, timescale: 1)
            return state.ender?.isOpen(until: soon) ?? true
        }
    }

    /// Where the recording ends, once that is known: then every picture that belongs to it is in, and the camera may be
    /// closed. And whether all its sound is in too.
    var ending: (end: MediaTime?, isEnded: Bool) { state.withLock { ($0.ender?.end, $0.ender?.isEnded ?? false) } }
    var isPaused: Bool { state.withLock { $0.line.isPaused } }
    /// When the session began: the first sample that counted.
    var start: MediaTime? { state.withLock { $0.starter.start } }
    /// The end of the newest sample.
    var newest: MediaTime? { state.withLock { $0.ender?.end ?? $0.newest } }
    /// The clock when a device last delivered something.
    var lastSampleAt: Int64? { state.withLock { $0.lastSampleAt } }
    /// Nanoseconds since a device went away; nil while it is there.
    func awayFor(_ type: MediaType) -> Int64? {
        let now = clock.nanoseconds
        return state.withLock { $0.away[type] }.map { now - $0 }
    }
    func timesLost(_ type: MediaType) -> Int64 { state.withLock { $0.timesLost[type] ?? 0 } }

    var frameRates: (current: Double?, average: Double?) {
        state.withLock { ($0.frameRate.current, $0.frameRate.average) }
    }
    /// How loud it is, and how often the microphone's ring ran over; nil without a microphone.
    var sound: (level: LevelMeter.Level?, overruns: Int64)? {
        levels.map { levels in (levels.withLock { $0.level }, overruns.withLock { $0 }) }
    }
}
