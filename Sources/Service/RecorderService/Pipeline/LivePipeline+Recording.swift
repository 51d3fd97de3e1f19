import MediaTypes
import RealTime

/// The session's interface to the pipeline. Thread-safe.
extension LivePipeline {
    /// Waits for the microphone's first block, at most for the given time. Called before the camera starts, so that the
    /// first frame has its audio.
    func waitForAudio(atMost nanoseconds: Int64) {
        _ = state.waiting(atMost: nanoseconds) { $0.hasHeardAudio ? true : nil }
    }

    /// Begins a recording at the current time minus the pre-roll. If no sample was captured yet, the recording begins
    /// with the first sample.
    ///
    /// - Parameters:
    ///   - wanted: A time of the devices' clock that replaces the current time minus the pre-roll.
    ///   - stop: The time of the devices' clock at which a stop was requested before; nil if there was none. A later
    ///     call of `stop(at:)` could be too late for the next frame.
    ///   - accounts: The accounts that count every frame of the recording.
    func begin(
        duration: MediaTime?, preRoll: MediaTime?, at wanted: MediaTime? = nil, stop: MediaTime? = nil,
        limits: PacketDispatcher.Limits, accounts: TrackAccounts
    ) {
        let now = MediaTime(nanoseconds: clock.nanoseconds)
        let moment = state.withLock { state -> MediaTime? in
            let moment = wanted.map(state.line.moment) ?? state.line.moment(of: now) - (preRoll ?? .zero)
            let start = state.starter.start.map { max($0, moment) }
            var ender = SessionEnder(
                hasVideo: video != nil && state.away[.video] == nil,
                hasAudio: audio != nil && state.away[.audio] == nil, frameDuration: frameDuration, duration: duration)
            if let start { ender.sessionStarted(at: start) }
            if let stop { ender.stop(at: state.line.moment(of: stop)) }
            state.ender = ender
            state.isBeginning = true
            return start.map { state.lapse?.played($0) ?? $0 }
        }
        dispatcher.begin(at: moment, limits: limits, accounts: accounts)
        // Must follow `begin`, because the limits of a new file replace earlier requests for keyframes.
        changing { state in
            state.requiresFrame = true
            state.isBeginning = false
        }
    }

    /// Ends the recording at this time of the devices' clock.
    func stop(at time: MediaTime) {
        changing { state in
            let moment = state.line.moment(of: time)
            state.ender?.stop(at: moment)
            state.line.resume(at: time)
        }
    }

    /// Declares that packets are needed from now on. Called before a recording begins, and before a viewer starts.
    func wake() {
        let now = clock.nanoseconds
        // Tracks wake and rest under the lock, so that they do so in the order of the decisions.
        need.withLock { need in
            if need.require(at: now) { for track in [video, audio] { track?.wake() } }
        }
    }

    /// Stops the encoders once packets have not been needed for some time. Packets that a camera compressed itself
    /// still pass through, because a recording that begins at a requested time needs the packets before that time.
    ///
    /// - Parameter isNeeded: True while there is a recording or a viewer.
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

    /// Updates the open file's counts with the samples that were dropped before they became packets.
    func publishLosses() { for track in [video, audio] { track?.publishLosses() } }

    /// Pauses the recording.
    ///
    /// - Returns: false if it is already paused.
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

    /// Converts a time of the devices' clock to a time of the recording. In a time-lapse, that is the movie's time.
    func moment(of time: MediaTime) -> MediaTime { state.withLock { $0.moment(of: time) } }

    /// Converts a time of the devices' clock to a time of the recording. The sub-stream uses times of the recording,
    /// even in a time-lapse.
    func recordingTime(of time: MediaTime) -> MediaTime { state.withLock { $0.line.moment(of: time) } }

    /// Converts a time of the recording to a time of the devices' clock.
    func time(of moment: MediaTime) -> MediaTime { state.withLock { $0.time(of: moment) } }

    /// Returns the pauses between two times of the recording. `time` is the devices' clock at `start`. In a time-lapse,
    /// the time ranges between frames are returned as pauses, once the end is known.
    func pauses(
        from start: MediaTime, at time: MediaTime, to end: MediaTime
    ) -> [(moment: MediaTime, duration: MediaTime)] {
        state.withLock { state in
            guard let lapse = state.lapse else { return state.line.pauses(from: start, at: time, to: end) }
            return end.isNumeric ? lapse.pauses(from: start, at: time, to: end) : []
        }
    }

    /// The timeline of a time-lapse; nil in an ordinary recording.
    var lapse: TimeLapseLine? { state.withLock { $0.lapse } }

    /// Handles a change of masks. A snapshot, a viewer or a recording that begins after this call gets only frames with
    /// the new masks.
    ///
    /// - Parameter last: The time of the last frame that may have the former masks, in the devices' clock. That frame
    ///   may not have reached the pipeline yet, and its timestamp may be later than now. nil if there was no frame.
    func masksChanged(after last: MediaTime?) {
        let now = MediaTime(nanoseconds: clock.nanoseconds)
        // The added time is longer than any rounding error, and shorter than a frame.
        let end = last.map { $0 + MediaTime(value: 1, timescale: 1_000_000) }
        let tolerance = Self.tolerance(frameDuration)
        let (moment, time) = state.withLock { state in
            state.maskedFrom = end
            let moment = state.line.moment(of: max(now, end ?? now))
            return (moment, state.lapse?.afterLast(moment, tolerance: tolerance) ?? moment)
        }
        video?.masksChanged(at: time)
        subStream?.masksChanged(at: moment)
    }

    /// Removes the state of the recording that has ended. In an armed process the pipeline continues without a
    /// recording.
    func forget() { state.withLock { $0.ender = nil } }

    /// Ends the encoders, after every device has stopped.
    func finish() {
        appendWaitingAudio()
        video?.finish()
        audio?.finish()
        subStream?.finish()
    }

    /// Appends the audio that still waits for a later block. Must be called only after the microphone's thread has
    /// ended, or on that thread.
    func appendWaitingAudio() {
        for block in state.withLock({ $0.starter.releaseWaiting() }) { audio?.append(block) }
    }

    /// Passes the next frame to `receiver`, on the camera's thread. A frame that still has former masks is skipped.
    func nextFrame(_ receiver: @escaping @Sendable (SampleBuffer) -> Void) {
        state.withLock { $0.snapshots.append(receiver) }
    }

    // MARK: Figures

    /// True if the recording has begun, and does not end within the next second.
    var isSteady: Bool {
        let now = MediaTime(nanoseconds: clock.nanoseconds)
        return state.withLock { state in
            guard state.starter.start != nil else { return false }
            let soon = state.line.moment(of: now) + MediaTime(value: 1, timescale: 1)
            return state.ender?.isOpen(until: soon) ?? true
        }
    }

    /// The end of the recording; nil until all frames of the recording have arrived. Once it is known, the camera may
    /// be closed. `isEnded` is true once all audio of the recording has arrived too.
    var ending: (end: MediaTime?, isEnded: Bool) { state.withLock { ($0.end, $0.ender?.isEnded ?? false) } }
    var isPaused: Bool { state.withLock { $0.line.isPaused } }
    /// The start of the session: the time of its first sample.
    var start: MediaTime? { state.withLock { $0.starter.start } }
    /// The end of the newest sample, or the end of the recording once it is known.
    var newest: MediaTime? { state.withLock { $0.end ?? $0.newest } }
    /// The time at which the last sample of any device arrived, in nanoseconds of the monotonic clock.
    var lastSampleAt: Int64? { state.withLock { $0.lastSampleAt } }
    /// Returns the nanoseconds since a device disconnected; nil while it is connected.
    func awayFor(_ type: MediaType) -> Int64? {
        let now = clock.nanoseconds
        return state.withLock { $0.away[type] }.map { now - $0 }
    }
    func timesLost(_ type: MediaType) -> Int64 { state.withLock { $0.timesLost[type] ?? 0 } }

    var frameRates: (current: Double?, average: Double?) {
        state.withLock { ($0.frameRate.current, $0.frameRate.average) }
    }
    /// The audio level, and the number of overruns of the microphone's ring buffer; nil without a microphone.
    var audioMeter: (level: LevelMeter.Level?, overruns: Int64)? {
        levels.map { levels in (levels.withLock { $0.level }, overruns.withLock { $0 }) }
    }
}
