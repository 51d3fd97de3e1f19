import Capture
import Foundation
import MediaTypes
import RealTime
import RecorderStorage

/// Connects the devices to the encoders. The pipeline receives samples on the devices' own threads. Pure values decide
/// which samples belong to the recording, and the pipeline passes those samples to the encoders. It has no queue.
///
/// `camera(_:)` runs on the camera's thread only, and `microphone(_:)` on the microphone's thread only. Everything else
/// can run on any thread. Locks are held for constant work, and never while an encoder is called.
final class LivePipeline: Sendable {
    /// Events for the supervisor (`CaptureSession`). Never sent per sample.
    enum Notice: Sendable {
        case sessionStarted
        /// A device is disconnected.
        ///
        /// - Parameter isNews: False if the notice only adds the reason why the device is still disconnected.
        case away(MediaType, MediaError, isNews: Bool)
        case back(MediaType, summary: String)
        case trackFailed(MediaType, MediaError)
        /// No encoder can be opened for a device that has reconnected.
        case encoderRefused(MediaType, MediaError)
        /// The recording has come closer to its end: `isVideoComplete` or `isEnded` may be true now.
        case endIsNearer
    }

    struct State {
        var starter: SessionStarter
        var line = PauseLine()
        /// Selects the frames that can be decoded after a pause.
        var resumed = ResumedFrames()
        /// The timeline of a time-lapse; nil in an ordinary recording, whose movie uses the recording's times.
        var lapse: TimeLapseLine?
        /// Decides the end of the current recording.
        var ender: SessionEnder?
        /// True until the dispatcher knows the recording that begins. Its end is announced after that.
        var isBeginning = false
        /// The end of the newest accepted sample, in the recording's time.
        var newest: MediaTime?
        var hasHeardAudio = false
        var lastSampleAt: Int64?
        var snapshots: [@Sendable (SampleBuffer) -> Void] = []
        /// A time of the devices' clock before which frames have former masks. Set only while the next frame may be
        /// such a frame.
        var maskedFrom: MediaTime?
        /// True if the next frame must be stored, even if it repeats the one before: after a pause or for a snapshot, or
        /// because a recording has begun.
        var requiresFrame = false
        var timesLost: [MediaType: Int64] = [:]
        /// For each disconnected device, the time at which it disconnected, in nanoseconds of the monotonic clock.
        var away: [MediaType: Int64] = [:]
        /// True if the audio track was ended because both devices were disconnected.
        var isAudioEnded = false
        var frameRate = FrameRateMeter()

        /// The end of the current recording in the movie's time, once it is known.
        var end: MediaTime? { ender?.end.map { lapse?.end($0) ?? $0 } }

        /// True if no further frames are needed; nil without a recording.
        var isVideoComplete: Bool? { isBeginning ? false : ender?.isVideoComplete }
        /// True if the recording has ended; nil without a recording.
        var isEnded: Bool? { isBeginning ? false : ender?.isEnded }

        /// Converts a time of the devices' clock to a time of the movie.
        func moment(of time: MediaTime) -> MediaTime {
            let moment = line.moment(of: time)
            return lapse?.played(moment) ?? moment
        }

        /// Converts a time of the movie to a time of the devices' clock.
        func time(of moment: MediaTime) -> MediaTime { line.time(of: lapse?.moment(of: moment) ?? moment) }
    }

    let dispatcher: PacketDispatcher
    let video: LiveTrack?
    let audio: LiveTrack?
    /// A small stream of the recorded frames for viewers, with the recording's times; nil without a sub-stream.
    let subStream: SubStream?
    let frameDuration: MediaTime?
    let keepsGoing: Bool
    /// True if frames that repeat the one before are not encoded.
    let leavesOutRepeats: Bool
    let timeLapse: TimeLapse?
    let clock: any HostClock
    let notify: @Sendable (Notice) -> Void
    let state: Locked<State>
    let need: Locked<EncodingNeed>
    let levels: Locked<LevelMeter>?
    let overruns = Locked(Int64(0))

    /// Creates a pipeline.
    ///
    /// - Parameters:
    ///   - keepsGoing: True in an armed process: the encoders continue after a recording ends.
    ///   - mayRest: True if the encoders may stop while packets are not needed.
    ///   - leavesOutRepeats: True if the video's encoder leaves out frames that repeat the one before.
    ///   - timeLapse: Selects the frames to record, or nil to record all of them.
    init(
        dispatcher: PacketDispatcher, video: LiveTrack?, audio: LiveTrack?, audioFormat: AudioFormat?,
        frameDuration: MediaTime?, subStream: SubStream? = nil,
        keepsGoing: Bool, mayRest: Bool = false, leavesOutRepeats: Bool = false, timeLapse: TimeLapse? = nil,
        clock: any HostClock, notify: @escaping @Sendable (Notice) -> Void
    ) {
        self.dispatcher = dispatcher
        self.video = video
        self.audio = audio
        self.subStream = subStream
        self.frameDuration = frameDuration
        self.keepsGoing = keepsGoing
        self.leavesOutRepeats = leavesOutRepeats
        self.timeLapse = timeLapse
        need = Locked(EncodingNeed(mayRest: mayRest))
        self.clock = clock
        self.notify = notify
        levels = audioFormat.map { Locked(LevelMeter(format: $0)) }
        state = Locked(
            State(starter: SessionStarter(expectsVideo: video != nil), lapse: timeLapse.map { TimeLapseLine($0) }))
    }

    // MARK: The devices' threads

    func camera(_ event: DeviceEvent) {
        switch event {
        case .sample(let frame): handleFrame(frame)
        case .lost(let count, let cause, let near):
            // In a time-lapse the next frame replaces the lost one.
            if timeLapse == nil, isRecorded(near) { video?.recordLoss(count, cause: cause) }
        case .gone(let error):
            let isNews = recordLost(.video)
            changing { $0.ender?.videoGone() }
            if isNews { video?.deviceGone() }
            changing { $0.starter.cameraGone() }
            endAudioIfAlone()
            notify(.away(.video, error, isNews: isNews))
        case .back(let format, _, let summary, _):
            changing { state in
                state.ender?.videoBack()
                state.starter.cameraBack()
                state.away[.video] = nil
            }
            video?.deviceBack(format)
            notify(.back(.video, summary: summary))
        }
    }

    func handleFrame(_ frame: SampleBuffer) {
        let now = clock.nanoseconds
        let time = frame.presentationTime
        var waiting: [@Sendable (SampleBuffer) -> Void] = []
        var isRequired = false
        enum Fate {
            case outside
            case paused
            /// A time-lapse does not record the frame.
            case leftOut(SampleBuffer)
            /// The frame at its time in the recording, and its time in the movie. The two times differ in a time-lapse.
            case taken(SampleBuffer, MediaTime, SessionStarter.VideoAction)
        }
        /// The time from which on frames are not shown, if this frame is one of them.
        var hiddenFrom: MediaTime?
        let fate: Fate = changing { state in
            state.lastSampleAt = now
            // At most one frame can be between the frame stage and this function, so `maskedFrom` matters for one frame
            // only.
            let isMasked = state.maskedFrom.take().map { time >= $0 } ?? true
            if isMasked, !state.snapshots.isEmpty {
                swap(&waiting, &state.snapshots)
                state.requiresFrame = true
            }
            guard case .recorded(let shift) = state.line.place(time, frames: 1, rate: nil) else {
                state.requiresFrame = true
                state.resumed.leaveOut(frame)
                return .paused
            }
            let moment = time - shift
            guard let recorded = state.resumed.place(frame, at: moment, on: state.line) else { return .paused }
            let isWanted =
                state.ender?.video(at: moment, decodedAt: recorded.decodeTime, duration: frame.duration) ?? keepsGoing
            guard isWanted || keepsGoing else { return .outside }
            if isWanted, let limit = state.ender?.limit, moment >= limit {
                hiddenFrom = state.lapse?.end(limit) ?? limit
            }
            // Decode times are used because they are in order, with the same intervals as the frames.
            state.frameRate.add(recorded.decodeTime ?? moment)
            guard let place = self.place(frame, at: moment, &state) else { return .leftOut(recorded) }
            state.newest = max(state.newest ?? place, place + (timeLapse?.frameDuration ?? frame.duration ?? .zero))
            (isRequired, state.requiresFrame) = (state.requiresFrame, false)
            return .taken(recorded, place, state.starter.video(at: place))
        }
        for receiver in waiting { receiver(frame) }
        switch fate {
        case .outside: break
        case .paused: if timeLapse == nil { video?.recordLoss(1, cause: .paused) }
        case .leftOut(let recorded): subStream?.offer(recorded)
        case .taken(let recorded, let place, let action):
            if case .startSession(let start) = action { startSession(at: start) }
            if let hiddenFrom { dispatcher.expectEnd(at: hiddenFrom) }
            if isRequired, leavesOutRepeats { video?.requireFrame(at: place) }
            let placed = place == recorded.presentationTime ? recorded : recorded.at(place)
            video?.append(timeLapse.map { placed.lasting($0.frameDuration) } ?? placed)
            // The sub-stream comes after the recording, which has precedence.
            subStream?.offer(recorded)
        }
    }

    /// Returns the time of a frame in the movie; nil if a time-lapse leaves the frame out.
    private func place(_ frame: SampleBuffer, at moment: MediaTime, _ state: inout State) -> MediaTime? {
        guard timeLapse != nil else { return moment }
        let tolerance = Self.tolerance(frame.duration ?? frameDuration)
        return state.lapse?.place(moment, captured: frame.presentationTime, tolerance: tolerance)
    }

    /// Returns by how much a frame may be too early for its interval of a time-lapse: half of a frame's duration.
    static func tolerance(_ duration: MediaTime?) -> MediaTime {
        duration.map { MediaTime(nanoseconds: $0.nanoseconds / 2) } ?? .zero
    }

    func startSession(at start: MediaTime) {
        // Both tracks are announced before either sends a packet, so that the first file has both.
        for track in [video, audio] { track?.announce() }
        for track in [video, audio] { track?.start(at: start) }
        changing { state in
            state.starter.sessionStarted()
            state.ender?.sessionStarted(at: start)
        }
        notify(.sessionStarted)
    }

    func recordLost(_ type: MediaType) -> Bool {
        let now = clock.nanoseconds
        return state.withLock { state in
            guard state.away[type] == nil else { return false }
            state.timesLost[type, default: 0] += 1
            state.away[type] = now
            return true
        }
    }

    // MARK: -

    func isRecorded(_ time: MediaTime) -> Bool {
        state.withLock { state in
            guard let start = state.starter.start, state.line.place(time, frames: 1, rate: nil) != .paused else {
                return false
            }
            let moment = state.line.moment(of: time)
            return moment >= start && moment < state.ender?.end ?? .positiveInfinity
        }
    }

    /// Changes the state, and notifies the session if the end of the recording is nearer now.
    @discardableResult
    func changing<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, isNearer, end) = state.withLock { state in
            let before = (state.isVideoComplete, state.isEnded)
            let result = body(&state)
            let isNearer = before != (state.isVideoComplete, state.isEnded)
            return (result, isNearer, isNearer && before.0 == false ? state.end : nil)
        }
        if keepsGoing, let end {
            // The end is sent immediately, because the devices continue, and later samples are not part of the
            // recording.
            publishLosses()
            dispatcher.end(at: end)
        }
        if isNearer { notify(.endIsNearer) }
        return result
    }
}
