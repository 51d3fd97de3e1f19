import MediaTypes

/// Decides the end of a recording, so that both tracks end together.
///
/// After a stop at time T, the movie ends with the last frame whose time is before T. With a duration, the movie ends
/// exactly that long after its start. In both cases the audio continues until it reaches the end. The recorder waits at
/// most 300 ms for the last frame, and at most 300 ms for the audio. Thus a camera that hangs or a microphone that
/// sends nothing does not keep the file open.
///
/// A camera may send packets in an order that differs from the order in which they are shown. Packets that are decoded
/// before T belong to the movie too, because frames that are shown before T depend on them. They are not shown. The wait
/// for the last frame is extended by the longest time between decoding and showing a frame. A stop does not hide a frame
/// that was accepted before it: the movie then ends with that frame.
///
/// A pure value, protected by the caller's lock. `tick(now:)` passes the current time.
struct SessionEnder {
    enum Phase: Equatable {
        /// The recording has not ended. If it has a duration, the end is known.
        case open
        /// Frames after this time are not wanted, but frames from before it may still arrive.
        case endingVideo(until: MediaTime)
        /// The camera has delivered all frames of the movie, but the audio has not reached the end.
        case endingAudio(end: MediaTime)
        case ended(end: MediaTime)
    }

    private(set) var phase = Phase.open
    private var hasVideo: Bool
    private var hasAudio: Bool
    /// The exact end, if there is a duration.
    private var fixedEnd: MediaTime?
    private var videoEnd: MediaTime?
    /// The latest time of a frame that belongs to the movie and is shown.
    private var lastShown: MediaTime?
    /// The decode time of the last frame.
    private var lastDecodeTime: MediaTime?
    /// The longest time from decoding a frame to showing it.
    private var reordering = MediaTime.zero
    private var audioEnd: MediaTime?
    private var deadline: MediaTime?
    private let patience = MediaTime(value: 300, timescale: 1000)
    /// The duration of the last frame, if it is not known otherwise.
    private let frameDuration: MediaTime
    private let duration: MediaTime?

    init(hasVideo: Bool, hasAudio: Bool, frameDuration: MediaTime? = nil, duration: MediaTime? = nil) {
        self.hasVideo = hasVideo
        self.hasAudio = hasAudio
        self.frameDuration = frameDuration ?? MediaTime(value: 1, timescale: 30)
        self.duration = duration
    }

    /// The end of the movie; nil until it is decided.
    var end: MediaTime? {
        switch phase {
        case .open, .endingVideo: nil
        case .endingAudio(let end), .ended(let end): end
        }
    }

    /// The time from which on frames are not shown; nil while it is not known.
    var limit: MediaTime? {
        switch phase {
        case .open: fixedEnd
        case .endingVideo(let until): until
        case .endingAudio(let end), .ended(let end): end
        }
    }

    /// Returns true if the recording does not end before this time, as far as is known.
    func isOpen(until time: MediaTime) -> Bool { phase == .open && fixedEnd ?? .positiveInfinity > time }

    /// True if no further frames are needed.
    var isVideoComplete: Bool { end != nil }

    var isEnded: Bool {
        if case .ended = phase { true } else { false }
    }

    /// Records the start of the recording. If it has a duration, its end is known from now on.
    mutating func sessionStarted(at start: MediaTime) {
        guard fixedEnd == nil, phase == .open else { return }
        fixedEnd = duration.map { start + $0 }
    }

    /// Handles the user's request to end at this time. Later calls change nothing.
    mutating func stop(at time: MediaTime) {
        guard phase == .open else { return }
        if let fixedEnd, fixedEnd <= time { return beginEnding(until: fixedEnd, now: time) }
        fixedEnd = nil
        // The added time is shorter than a frame.
        let afterShown = lastShown.map { $0 + MediaTime(value: 1, timescale: 1_000_000) }
        beginEnding(until: max(time, afterShown ?? time), now: time)
    }

    /// Handles a frame, and returns true if it belongs to the movie.
    ///
    /// - Parameter decodeTime: The decode time; nil if it is the frame's time.
    mutating func video(at time: MediaTime, decodedAt decodeTime: MediaTime? = nil, duration: MediaTime?) -> Bool {
        let limit: MediaTime
        let decodeTime = decodeTime ?? time
        reordering = max(reordering, time - decodeTime)
        switch phase {
        case .open:
            guard let fixedEnd, time >= fixedEnd else {
                take(time, decodeTime, duration)
                return true
            }
            limit = fixedEnd
            beginEnding(until: fixedEnd, now: time)
        case .endingVideo(let until): limit = until
        case .endingAudio, .ended: return false
        }
        guard time >= limit else {
            take(time, decodeTime, duration)
            return true
        }
        if decodeTime < limit, case .endingVideo = phase {
            lastDecodeTime = decodeTime
            return true
        }
        videoIsComplete()
        return false
    }

    /// Handles a block of audio, and returns true if it belongs to the movie, at least in part.
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

    /// Handles the disconnect of the camera. The recording continues, even if the camera does not return.
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

    /// Ends a wait for frames or audio that has lasted too long.
    mutating func tick(now: MediaTime) {
        switch phase {
        case .open:
            // The end has passed, but no sample has reached it, so the clock decides.
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

    private mutating func take(_ time: MediaTime, _ decodeTime: MediaTime, _ duration: MediaTime?) {
        let shown =
            duration ?? lastDecodeTime.map { min(decodeTime - $0, MediaTime(value: 1, timescale: 1)) } ?? frameDuration
        lastDecodeTime = decodeTime
        let end = time + (shown > .zero ? shown : frameDuration)
        videoEnd = videoEnd.map { max($0, end) } ?? end
        lastShown = lastShown.map { max($0, time) } ?? time
    }

    private mutating func beginEnding(until time: MediaTime, now: MediaTime) {
        phase = .endingVideo(until: time)
        deadline = now + patience + reordering
        if !hasVideo { videoIsComplete() }
    }

    private mutating func videoIsComplete() {
        guard case .endingVideo(let until) = phase else { return }
        // If the camera failed or hung long before the end, the audio that was recorded since then is kept.
        let frames = hasVideo ? videoEnd.flatMap { $0 + patience < until ? nil : $0 } : nil
        let end = fixedEnd ?? frames ?? until
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
