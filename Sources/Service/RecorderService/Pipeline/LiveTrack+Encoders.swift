import AssetIO
import MediaTypes
import RealTime
import Synchronization

/// The encoders of a track. They are opened on separate threads, and begin one after the other.
extension LiveTrack {
    /// Opens an encoder on a separate thread.
    ///
    /// - Parameter time: The time at which the new encoder replaces the current one; nil if no encoder is replaced,
    ///   because the device is or was disconnected, or because the track rests.
    func open(_ format: FormatDescription, for time: MediaTime? = nil) {
        let make = make
        state.withLock { $0.opening = format }
        Task { [weak self] in
            let made = await blockingCall("open-encoder") {
                Result { () throws(MediaError) in try OpenEncoder(format, make) }
            }
            guard let self else { return }
            state.withLock { state in if state.opening == format { state.opening = nil } }
            switch made {
            case .failure(let error): opensNone(error, format, for: time)
            case .success(let encoder): opened(encoder, format, for: time)
            }
        }
    }

    /// Handles an encoder that could not be opened.
    private func opensNone(_ error: MediaError, _ format: FormatDescription, for time: MediaTime?) {
        enum Result { case ignored, refused, failed }
        let result = state.withLock { state -> Result in
            // An encoder is opened again when the device reconnects, perhaps in another format.
            if state.isFinished || state.format != format || state.isDeviceAway { return .ignored }
            // The current encoder continues.
            if time != nil, state.encoder != nil { return .ignored }
            return state.isAwaited ? .refused : .failed
        }
        switch result {
        case .ignored: break
        case .refused: refused(mediaType, error)
        case .failed: failed(mediaType, error)
        }
    }

    private func opened(_ encoder: OpenEncoder, _ format: FormatDescription, for time: MediaTime?) {
        let begins = state.withLock { state -> Bool in
            guard !state.isFinished, state.format == format else { return false }
            if state.isAwaited {
                if state.isStarted { return true }
                state.encoder = encoder
                state.isAwaited = false
            } else if let time, state.encoder != nil {
                state.successor = (encoder, time)
            } else {
                state.next = encoder
            }
            return false
        }
        guard begins else { return }
        // An encoder that has not begun refuses samples without counting them, so the encoder becomes the current one
        // only now.
        begin(encoder)
        let isWanted = state.withLock { state in
            guard state.isAwaited, !state.isFinished, state.format == format else { return false }
            state.encoder = encoder
            state.isAwaited = false
            return true
        }
        if !isWanted { encoder.generation.markAsFinished() }
    }

    /// Starts an opened encoder.
    ///
    /// - Parameter isAnnounced: True if the dispatcher already knows that the track's packets continue.
    func begin(_ opened: OpenEncoder, isAnnounced: Bool = false) {
        let encoder = opened.generation
        let (start, number, predecessors) = state.withLock { state in
            let (number, predecessors) = state.history.begin(encoder)
            return (state.start, number, predecessors)
        }
        let (dispatcher, mediaType, format) = (dispatcher, mediaType, encoder.format)
        let takeOver: @Sendable () -> Void = {
            // Waits for each earlier encoder to end, so that packets arrive in order.
            for predecessor in predecessors { predecessor.join() }
            dispatcher.trackBegan(mediaType, format: format)
        }
        // Called on the device's thread before its samples arrive, because `trackBegan` is called later, on the
        // encoder's thread.
        if !isAnnounced { dispatcher.trackReturns(mediaType) }
        do {
            opened.output.connect(encoder, number, to: self)
            try encoder.start(at: start, after: isAnnounced ? nil : takeOver)
            // The first frames may have former masks. A viewer then waits for this keyframe.
            if let time = state.withLock({ $0.masksChangedAt }) { encoder.requestAnotherKeyframe(at: time) }
        } catch {
            state.withLock { $0.history.forget(number) }
            dispatcher.trackEnded(mediaType)
            failed(mediaType, error)
        }
    }

    /// Handles the end of an encoder, on its thread, after its last packet.
    func encoderEnded(_ number: Int, _ error: MediaError?) {
        let isLast = state.withLock { state in
            if let encoder = state.history.end(number), state.encoder?.generation === encoder { state.encoder = nil }
            return state.history.count == number && number > lastRested.load(ordering: .acquiring)
        }
        publishLosses()
        if isLast { dispatcher.trackEnded(mediaType) }
        if let error { failed(mediaType, error) }
    }
}
