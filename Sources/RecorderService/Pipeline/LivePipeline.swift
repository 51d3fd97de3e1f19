import Capture
import Foundation
import MediaTypes
import RealTime

/// From the devices to the files: takes samples on the devices' own threads, lets pure values decide what of them belongs to
/// the recording, and hands them to the encoders. There is no queue in here.
///
/// `camera(_:)` runs on the camera's thread only, `microphone(_:)` on the microphone's; everything else on any. Locks are
/// held for constant work, and never while an encoder is called.
final class LivePipeline: Sendable {
    /// What the one who supervises must know; never sent for an ordinary sample.
    enum Notice: Sendable {
        case sessionStarted
        /// - Parameter isNews: false when it only turned out why the device stays away.
        case away(MediaType, MediaError, isNews: Bool)
        case back(MediaType, summary: String)
        case trackFailed(MediaType, MediaError)
        /// `isVideoComplete` or `isEnded` may have become true.
        case endIsNearer
    }

    private struct State {
        var starter: SessionStarter
        var line = PauseLine()
        /// Of the recording that is going on.
        var ender: SessionEnder?
        /// The end of the newest sample that was taken, in the recording's time.
        var newest: MediaTime?
        var hasHeardSound = false
        var lastSampleAt: Int64?
        var snapshots: [@Sendable (SampleBuffer) -> Void] = []
        var timesLost: [MediaType: Int64] = [:]
        /// The clock when a device went away that is not back.
        var away: [MediaType: Int64] = [:]
        /// The microphone went away when there was no camera either, or the other way round.
        var isSoundEnded = false
    }

    let hub: PacketHub
    let video: LiveTrack?
    let audio: LiveTrack?
    private let frameDuration: MediaTime?
    private let keepsGoing: Bool
    private let clock: any HostClock
    private let notify: @Sendable (Notice) -> Void
    private let state: Locked<State>
    private let frameRate = Locked(FrameRateMeter())
    private let levels: Locked<LevelMeter>?
    private let overruns = Locked(Int64(0))

    /// - Parameters:
    ///   - keepsGoing: the encoders go on when a recording ends: the process is armed.
    init(
        hub: PacketHub, video: LiveTrack?, audio: LiveTrack?, soundFormat: AudioFormat?, frameDuration: MediaTime?,
        keepsGoing: Bool, clock: any HostClock, notify: @escaping @Sendable (Notice) -> Void
    ) {
        self.hub = hub
        self.video = video
        self.audio = audio
        self.frameDuration = frameDuration
        self.keepsGoing = keepsGoing
        self.clock = clock
        self.notify = notify
        levels = soundFormat.map { Locked(LevelMeter(format: $0)) }
        state = Locked(State(starter: SessionStarter(expectsVideo: video != nil)))
    }

    // MARK: The devices' threads

    func camera(_ event: DeviceEvent) {
        switch event {
        case .sample(let frame): picture(frame)
        case .lost(let count, let cause, let near):
            if isRecorded(near) { video?.noteLoss(count, cause: cause) }
        case .gone(let error):
            let isNews = noteLost(.video)
            changing { $0.ender?.videoGone() }
            if isNews { video?.deviceGone() }
            changing { $0.starter.cameraGone() }
            endSoundIfAlone()
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

    private func picture(_ frame: SampleBuffer) {
        let now = clock.nanoseconds
        let time = frame.presentationTime
        var waiting: [@Sendable (SampleBuffer) -> Void] = []
        enum Fate {
            case outside
            case paused
            case taken(MediaTime, SessionStarter.VideoAction)
        }
        let fate: Fate = changing { state in
            state.lastSampleAt = now
            if !state.snapshots.isEmpty { swap(&waiting, &state.snapshots) }
            guard case .recorded(let shift) = state.line.place(time, frames: 1, rate: nil) else { return .paused }
            let moment = time - shift
            let isWanted = state.ender?.video(at: moment, duration: frame.duration) ?? keepsGoing
            guard isWanted || keepsGoing else { return .outside }
            state.newest = max(state.newest ?? moment, moment + (frame.duration ?? .zero))
            return .taken(moment, state.starter.video(at: moment))
        }
        for receiver in waiting { receiver(frame) }
        switch fate {
        case .outside: break
        case .paused: video?.noteLoss(1, cause: .paused)
        case .taken(let moment, let action):
            if case .startSession(let start) = action { startSession(at: start) }
            video?.append(moment == time ? frame : frame.at(moment))
            frameRate.withLock { $0.add(moment) }
        }
    }

    func microphone(_ event: DeviceEvent) {
        switch event {
        case .sample(let block): sound(block)
        case .lost(let count, let cause, let near):
            guard isRecorded(near) else { return }
            audio?.noteLoss(count, cause: cause)
            if cause == .device { overruns.withLock { $0 += 1 } }
        case .gone(let error):
            let isNews = noteLost(.audio)
            changing { $0.ender?.audioGone() }
            endSoundIfAlone()
            notify(.away(.audio, error, isNews: isNews))
        case .back(let format, _, let summary, _):
            changing { state in
                state.ender?.audioBack()
                state.away[.audio] = nil
                state.isSoundEnded = false
            }
            audio?.deviceBack(format)
            notify(.back(.audio, summary: summary))
        }
    }

    private func sound(_ block: SampleBuffer) {
        if let measure = LevelMeter.measure(block) { levels?.withLock { $0.add(measure) } }
        let now = clock.nanoseconds
        var pausedFrames = 0
        let action: SessionStarter.AudioAction? = changing { state in
            state.lastSampleAt = now
            let rate = block.format.audio.map { Int32(clamping: $0.sampleRate) }
            let place = state.line.place(block.presentationTime, frames: block.sampleCount, rate: rate)
            guard let part = block.part(place) else {
                pausedFrames = block.sampleCount
                return nil
            }
            pausedFrames = block.sampleCount - part.sampleCount
            let isWanted = state.ender?.audio(from: part.presentationTime, to: part.endTime) ?? keepsGoing
            guard isWanted || keepsGoing else { return nil }
            state.newest = max(state.newest ?? part.endTime, part.endTime)
            state.hasHeardSound = true
            return state.starter.audio(part)
        }
        state.signal()
        if pausedFrames > 0 { audio?.noteLoss(Int64(pausedFrames), cause: .paused) }
        switch action {
        case .append(let blocks): for block in blocks { audio?.append(block) }
        case .startSession(let start):
            startSession(at: start)
            appendKeptSound()
        case .keep, nil: break
        }
    }

    private func startSession(at start: MediaTime) {
        // Both are announced before either gives a packet, so that the first file has room for both.
        for track in [video, audio] { track?.announce() }
        for track in [video, audio] { track?.start(at: start) }
        changing { state in
            state.starter.sessionStarted()
            state.ender?.sessionStarted(at: start)
        }
        notify(.sessionStarted)
    }

    private func noteLost(_ type: MediaType) -> Bool {
        let now = clock.nanoseconds
        return state.withLock { state in
            guard state.away[type] == nil else { return false }
            state.timesLost[type, default: 0] += 1
            state.away[type] = now
            return true
        }
    }

    /// Sound that stops while there are pictures goes on behind a gap of silence. With no device left the file ends, and so
    /// does its sound.
    private func endSoundIfAlone() {
        let isAlone = state.withLock { state in
            guard state.away[.audio] != nil, video == nil || state.away[.video] != nil, !state.isSoundEnded else {
                return false
            }
            state.isSoundEnded = true
            return true
        }
        guard isAlone, let audio else { return }
        audio.deviceGone()
        // The microphone may have come back just now, on its own thread.
        if state.withLock({ $0.away[.audio] == nil }) { audio.deviceBack() }
    }

    // MARK: The recording

    /// Blocks until the microphone has delivered something, or for so long. Before the camera is started, so that the
    /// first picture finds its sound.
    func waitForSound(atMost nanoseconds: Int64) {
        _ = state.waiting(atMost: nanoseconds) { $0.hasHeardSound ? true : nil }
    }

    /// A recording begins: with the first sample there is, or, where packets are kept, so much before this moment.
    func begin(duration: MediaTime?, preRoll: MediaTime?, limits: PacketHub.Limits) {
        let now = MediaTime(nanoseconds: clock.nanoseconds)
        let moment = state.withLock { state -> MediaTime? in
            let start = state.starter.start.map { max($0, state.line.moment(of: now) - (preRoll ?? .zero)) }
            var ender = SessionEnder(
                hasVideo: video != nil && state.away[.video] == nil,
                hasAudio: audio != nil && state.away[.audio] == nil, frameDuration: frameDuration, duration: duration)
            if let start { ender.sessionStarted(at: start) }
            state.ender = ender
            return start
        }
        hub.begin(at: moment, limits: limits)
    }

    /// It ends at this moment of the devices' clock.
    func stop(at time: MediaTime) {
        changing { state in
            let moment = state.line.moment(of: time)
            state.ender?.stop(at: moment)
            state.line.resume(at: time)
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

    /// The recording is over; an armed process goes on without.
    func forget() { state.withLock { $0.ender = nil } }

    /// No device delivers any more: lets the encoders end.
    func finish() {
        appendKeptSound()
        video?.finish()
        audio?.finish()
    }

    /// Hands on sound that no later block has fetched. Only when the microphone's thread has ended.
    private func appendKeptSound() {
        for block in state.withLock({ $0.starter.releaseKept() }) { audio?.append(block) }
    }

    /// Hands the next picture to `receiver`, on the camera's thread.
    func nextPicture(_ receiver: @escaping @Sendable (SampleBuffer) -> Void) {
        state.withLock { $0.snapshots.append(receiver) }
    }

    // MARK: Figures

    /// The camera may be closed: every picture that belongs to the movie is in.
    var isVideoComplete: Bool { state.withLock { $0.ender?.isVideoComplete ?? false } }
    var isEnded: Bool { state.withLock { $0.ender?.isEnded ?? false } }
    var isPaused: Bool { state.withLock { $0.line.isPaused } }
    /// When the session began: the first sample that counted.
    var start: MediaTime? { state.withLock { $0.starter.start } }
    /// Where the recording ends, once that is known.
    var end: MediaTime? { state.withLock { $0.ender?.end } }
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

    var frameRates: (current: Double?, average: Double?) { frameRate.withLock { ($0.current, $0.average) } }
    /// How loud it is, and how often the microphone's ring ran over; nil without a microphone.
    var sound: (level: LevelMeter.Level?, overruns: Int64)? {
        levels.map { levels in (levels.withLock { $0.level }, overruns.withLock { $0 }) }
    }

    // MARK: -

    private func isRecorded(_ time: MediaTime) -> Bool {
        state.withLock { state in
            guard let start = state.starter.start, state.line.place(time, frames: 1, rate: nil) != .paused else {
                return false
            }
            let moment = state.line.moment(of: time)
            return moment >= start && moment < state.ender?.end ?? .positiveInfinity
        }
    }

    /// Changes the state, and tells the supervisor when that brought the end nearer.
    @discardableResult
    private func changing<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, isNearer, end) = state.withLock { state in
            let before = (state.ender?.isVideoComplete, state.ender?.isEnded)
            let result = body(&state)
            let isNearer = before != (state.ender?.isVideoComplete, state.ender?.isEnded)
            return (result, isNearer, isNearer && before.0 == false ? state.ender?.end : nil)
        }
        if keepsGoing, let end {
            // At once: the devices go on, and what they give from now on is not part of it.
            publishLosses()
            hub.end(at: end)
        }
        if isNearer { notify(.endIsNearer) }
        return result
    }
}

extension SampleBuffer {
    /// What of a block of PCM is recorded, at its moment; nil for nothing.
    fileprivate func part(_ place: PauseLine.Place) -> SampleBuffer? {
        switch place {
        case .paused: return nil
        case .recorded(let shift): return shift == .zero ? self : at(presentationTime - shift)
        case .head(let count, let shift): return frames(0..<count)?.at(presentationTime - shift)
        case .split(let skipped, let shift):
            return frames(skipped..<sampleCount).map { $0.at($0.presentationTime - shift) }
        }
    }

    private func frames(_ range: Range<Int>) -> SampleBuffer? {
        guard case .audio(let format) = format, let size = format.bytesPerFrame, case .data(let data) = content,
            range.upperBound * size <= data.count
        else { return nil }
        let bytes = UnsafeRawBufferPointer(
            rebasing: data.bytes[(range.lowerBound * size)..<(range.upperBound * size)])
        return SampleBuffer(
            pcm: MediaData(borrowing: bytes) { _ = data }, format: format,
            presentationTime: presentationTime
                + MediaTime(value: Int64(range.lowerBound), timescale: Int32(clamping: format.sampleRate)))
    }
}
