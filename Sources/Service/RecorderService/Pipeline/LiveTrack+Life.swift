import DequeModule
import MediaTypes
import RealTime
import Synchronization

/// The phases of a track: its start and end, the disconnect and reconnect of its device, and its rest while packets are
/// not needed. Thread-safe.
extension LiveTrack {
    /// Announces the track to the dispatcher before any track starts. Has no effect if its device is disconnected.
    func announce() {
        guard let encoder = state.withLock({ $0.encoder?.generation }) else { return }
        dispatcher.trackBegan(mediaType, format: encoder.format)
    }

    /// Starts encoding samples that were captured at or after `time`.
    func start(at time: MediaTime) {
        let encoder = state.withLock { state -> OpenEncoder? in
            state.isStarted = true
            state.start = time
            return state.encoder
        }
        if let encoder { begin(encoder, isAnnounced: true) }
    }

    /// Handles a disconnect: the encoder ends, and the next one is opened in advance.
    func deviceGone() {
        let (encoder, format, rest, waiting) = state.withLock { state in
            let waiting = state.takeWaiting()
            defer {
                state.encoder = nil
                state.successor = nil
                state.isAwaited = false
                state.isDeviceAway = true
                // A track that was about to wake is no longer at rest, because its device is disconnected.
                state.rest = state.rest.flatMap { $0.isOver ? nil : Rest() }
            }
            return (state.encoder, state.format, state.rest, waiting)
        }
        if let rest {
            // The next encoder is open, or being opened.
            if rest.isOver { dispatcher.trackEnded(mediaType) }
            return
        }
        for sample in waiting { encoder?.generation.append(sample) }
        encoder?.generation.markAsFinished()
        open(format)
    }

    /// Handles the reconnect of a device whose format has not changed.
    func deviceBack() { deviceBack(state.withLock { $0.format }) }

    func deviceBack(_ format: FormatDescription) {
        var waiting: Deque<SampleBuffer> = []
        let (old, ready, opens) = state.withLock { state -> (OpenEncoder?, OpenEncoder?, Bool) in
            state.isDeviceAway = false
            if state.rest != nil {
                state.rest?.samples.removeAll()
                if state.format != format { state.next = nil }
                state.format = format
                return (nil, nil, state.next == nil && state.opening != format)
            }
            if state.encoder != nil, state.format == format { return (nil, nil, false) }
            waiting = state.takeWaiting()
            let old = state.encoder
            let ready = state.format == format ? state.next : nil
            let isOpening = state.opening == format
            state.encoder = ready
            state.next = nil
            state.isAwaited = ready == nil
            state.format = format
            return (old, ready, ready == nil && !isOpening)
        }
        for sample in waiting { old?.generation.append(sample) }
        old?.generation.markAsFinished()
        // If the session has not started, `start` will begin the encoder.
        if let ready, state.withLock({ $0.isStarted }) { begin(ready) }
        if opens { open(format) }
    }

    /// Continues with a new encoder at `time` or soon after it, because the encoder's settings have changed. A new file
    /// begins with the new encoder.
    func renewEncoder(at time: MediaTime) { open(state.withLock { $0.format }, for: time) }

    /// Ends the track; accepted samples are still encoded.
    func finish() {
        let (encoder, isUnstarted, waiting) = state.withLock { state in
            let waiting = state.takeWaiting()
            let waking = state.rest.flatMap { $0.isOver ? $0 : nil }
            for sample in waking?.samples.samples ?? [] { state.history.lose(sample.ledgerCount, .encoder) }
            defer {
                state.encoder = nil
                state.rest = nil
                state.isFinished = true
            }
            return (state.encoder, !state.isStarted || waking != nil, waiting)
        }
        for sample in waiting { encoder?.generation.append(sample) }
        encoder?.generation.markAsFinished()
        if isUnstarted { dispatcher.trackEnded(mediaType) }
    }

    /// Stops encoding while packets are not needed. The encoder ends, the next encoder is opened in advance, and the
    /// newest samples are kept for it. Has no effect before the track has started.
    func rest() {
        let resting = state.withLock { state -> (encoder: (any EncoderGeneration)?, format: FormatDescription)? in
            guard state.isStarted, !state.isFinished, state.rest == nil else { return nil }
            state.rest = Rest()
            lastRested.store(state.history.count, ordering: .releasing)
            // Samples that wait for their encoder are not needed either.
            state.waiting.removeAll()
            defer { (state.encoder, state.successor, state.isAwaited) = (nil, nil, false) }
            return (state.encoder?.generation, state.format)
        }
        guard let resting else { return }
        dispatcher.trackRests(mediaType)
        // If there is no current encoder, the device is disconnected. Then the next encoder is open or being opened
        // already.
        guard let encoder = resting.encoder else { return }
        encoder.markAsFinished()
        open(resting.format)
    }

    /// Resumes encoding. When the next sample arrives, the encoder begins, and first receives the kept samples.
    func wake() {
        let isPresent = state.withLock { state -> Bool in
            guard state.rest != nil else { return false }
            // If the device is disconnected, its encoder begins when it reconnects, as usual.
            if state.isDeviceAway { state.rest = nil }
            state.rest?.isOver = true
            return !state.isDeviceAway
        }
        if isPresent { dispatcher.trackWakes(mediaType) }
    }

    /// Handles a change of masks. A recording or a viewer that begins at or after `time` gets no frame from before
    /// `time`. If the track is already about to wake, its kept frames are not removed, because a recording may need
    /// them.
    func masksChanged(at time: MediaTime) {
        let encoder = state.withLock { state -> (any EncoderGeneration)? in
            state.masksChangedAt = time
            if state.rest?.isOver == false { state.rest?.samples.removeAll() }
            return state.encoder?.generation
        }
        dispatcher.masksChanged(at: time)
        encoder?.requestAnotherKeyframe(at: time)
    }

    /// Makes the first frame at or after `time` a keyframe, so that it is encoded even if it repeats the one before. An
    /// encoder that begins later sends a keyframe first in any case.
    func requireFrame(at time: MediaTime) {
        state.withLock { $0.encoder?.generation }?.requestAnotherKeyframe(at: time)
    }

    func requestKeyframe(at time: MediaTime) { state.withLock { $0.encoder?.generation }?.requestKeyframe(at: time) }
}
