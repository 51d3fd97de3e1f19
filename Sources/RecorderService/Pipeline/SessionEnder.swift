import MediaTypes

/// Decides where a recording ends, so that both tracks end together.
///
/// Stopped at time T, the last picture is the last one with a time before T, and the movie ends where that picture does.
/// With a duration the movie ends exactly that long after its start. Then the sound goes on until it reaches the end.
/// Neither wait is longer than 300 ms: a hung camera or a silent microphone does not keep the file open.
///
/// A pure value behind the caller's lock; time comes in through `tick(now:)`.
struct SessionEnder {
    enum Phase: Equatable {
        /// Recording. The end is known when there is a duration.
        case open
        /// No picture after this moment is wanted; those before it may still be on their way.
        case endingVideo(until: MediaTime)
        /// The camera has given everything; the sound has to reach the end.
        case endingAudio(end: MediaTime)
        case ended(end: MediaTime)
    }

    private(set) var phase = Phase.open
    private var hasVideo: Bool
    private var hasAudio: Bool
    /// The exact end that a duration asks for.
    private var fixedEnd: MediaTime?
    private var videoEnd: MediaTime?
    private var lastVideoTime: MediaTime?
    private var audioEnd: MediaTime?
    private var deadline: MediaTime?
    private let patience = MediaTime(value: 300, timescale: 1000)
    /// How long the last picture is shown when nothing else says.
    private let frameDuration: MediaTime
    private let duration: MediaTime?

    init(hasVideo: Bool, hasAudio: Bool, frameDuration: MediaTime? = nil, duration: MediaTime? = nil) {
        self.hasVideo = hasVideo
        self.hasAudio = hasAudio
        self.frameDuration = frameDuration ?? MediaTime(value: 1, timescale: 30)
        self.duration = duration
    }

    /// The end of the movie; nil before it is decided.
    var end: MediaTime? {
        switch phase {
        case .open, .endingVideo: nil
        case .endingAudio(let end), .ended(let end): end
        }
    }

    /// Nothing ends it before this moment, as far as is known.
    func isOpen(until time: MediaTime) -> Bool { phase == .open && fixedEnd ?? .positiveInfinity > time }

    /// No picture will be asked for any more.
    var isVideoComplete: Bool { end != nil }

    var isEnded: Bool {
        if case .ended = phase { true } else { false }
    }

    /// The recording began; with a duration its end is known from now on.
    mutating func sessionStarted(at start: MediaTime) {
        guard fixedEnd == nil, phase == .open else { return }
        fixedEnd = duration.map { start + $0 }
    }

    /// The owner wants it to end at this moment. Later calls change nothing.
    mutating func stop(at time: MediaTime) {
        guard phase == .open else { return }
        if let fixedEnd, fixedEnd <= time { return beginEnding(until: fixedEnd, now: time) }
        fixedEnd = nil
        beginEnding(until: time, now: time)
    }

    /// A picture came: does it belong to the movie?
    mutating func video(at time: MediaTime, duration: MediaTime?) -> Bool {
        let limit: MediaTime
        switch phase {
        case .open:
            guard let fixedEnd, time >= fixedEnd else {
                take(time, duration)
                return true
            }
            limit = fixedEnd
            beginEnding(until: fixedEnd, now: time)
        case .endingVideo(let until): limit = until
        case .endingAudio, .ended: return false
        }
        guard time >= limit else {
            take(time, duration)
            return true
        }
        videoIsComplete()
        return false
    }

    /// A block of sound came: does it belong to the movie? One that the end cuts in two does.
    mutating func audio(from start: MediaTime, to end: MediaTime) -> Bool {
        switch phase {
        case .open:
            if !hasVideo, let fixedEnd, end >= fixedEnd { beginEnding(until: fixedEnd, now: end) }
            audioEnd = end
            if case .endingAudio(let limit) = phase { return audio(from: start, to: end, before: limit) }
            return true
        case .endingVideo:
            audioEnd = end
            return true
        case .endingAudio(let limit): return audio(from: start, to: end, before: limit)
        case .ended: return false
        }
    }

    /// The camera gives nothing for now. The recording goes on, with or without it.
    mutating func videoGone() {
        hasVideo = false
        if case .endingVideo = phase { videoIsComplete() }
    }

    mutating func videoBack() { hasVideo = true }

    mutating func audioGone() {
        hasAudio = false
        if case .endingAudio(let end) = phase { phase = .ended(end: end) }
    }

    mutating func audioBack() { hasAudio = true }

    /// Time went on: waits that took too long are given up.
    mutating func tick(now: MediaTime) {
        switch phase {
        case .open:
            // Nothing arrives any more that could show the end: the clock does.
            if let fixedEnd, now >= fixedEnd + patience { beginEnding(until: fixedEnd, now: now - patience) }
        case .endingVideo, .endingAudio, .ended: break
        }
        guard let deadline, now >= deadline else { return }
        switch phase {
        case .open, .ended: break
        case .endingVideo:
            videoIsComplete()
            self.deadline = now + patience
        case .endingAudio(let end): phase = .ended(end: end)
        }
    }

    private mutating func take(_ time: MediaTime, _ duration: MediaTime?) {
        let shown = duration ?? lastVideoTime.map { min(time - $0, MediaTime(value: 1, timescale: 1)) } ?? frameDuration
        lastVideoTime = time
        videoEnd = time + (shown > .zero ? shown : frameDuration)
    }

    private mutating func beginEnding(until time: MediaTime, now: MediaTime) {
        phase = .endingVideo(until: time)
        deadline = now + patience
        if !hasVideo { videoIsComplete() }
    }

    private mutating func videoIsComplete() {
        guard case .endingVideo(let until) = phase else { return }
        // A camera that failed or hung long before does not shorten what the microphone went on recording.
        let pictures = hasVideo ? videoEnd.flatMap { $0 + patience < until ? nil : $0 } : nil
        let end = fixedEnd ?? pictures ?? until
        phase = .endingAudio(end: end)
        deadline = deadline.map { $0 + patience }
        if !hasAudio || (audioEnd ?? .negativeInfinity) >= end { phase = .ended(end: end) }
    }

    private mutating func audio(from start: MediaTime, to blockEnd: MediaTime, before limit: MediaTime) -> Bool {
        audioEnd = blockEnd
        if blockEnd >= limit { phase = .ended(end: limit) }
        return start < limit
    }
}
