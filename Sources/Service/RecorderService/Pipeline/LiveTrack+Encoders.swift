import AssetIO
import MediaTypes
import RealTime
import Synchronization

/// The encoders of a track: opened on separate threads, begun one after the other.
extension LiveTrack {
    /// Opens an encoder on a separate thread.
    ///
    /// - Parameter time: The time at which it replaces the current one; nil if the device is or was disconnected.
    func open(_ format: FormatDescription, for time: MediaTime? = nil) {
        let make = make
        state.withLock { $0.opening = format }
        Task { [weak self] in
            let made = await blockingCall("open-encoder") { Result { () throws(MediaError) in try make(format) } }
            guard let self else { return }
            state.withLock { state in if state.opening == format { state.opening = nil } }
            switch made {
            case .failure(let error): failed(mediaType, error)
            case .success(let encoder): opened(encoder, format, for: time)
            }
        }
    }

    private func opened(_ encoder: any EncoderGeneration, _ format: FormatDescription, for time: MediaTime?) {
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
        // An encoder that has not begun refuses samples without counting them, so it becomes available only now.
        begin(encoder)
        let isWanted = state.withLock { state in
            guard state.isAwaited, !state.isFinished, state.format == format else { return false }
            state.encoder = encoder
            state.isAwaited = false
            return true
        }
        if !isWanted { encoder.markAsFinished() }
    }

    /// Begins an encoder.
    ///
    /// - Parameter isAnnounced: True if the dispatcher already expects it.
    func begin(_ encoder: any EncoderGeneration, isAnnounced: Bool = false) {
        let (start, number, predecessors) = state.withLock { state in
            let (number, predecessors) = state.history.begin(encoder)
            return (state.start, number, predecessors)
        }
        let (dispatcher, mediaType, format) = (dispatcher, mediaType, encoder.format)
        let takeOver: @Sendable () -> Void = {
            // One after the other, so that packets arrive in order.
            for predecessor in predecessors { predecessor.join() }
            dispatcher.trackBegan(mediaType, format: format)
        }
        // On the device's thread, before its samples; the encoder's own notice comes later.
        if !isAnnounced { dispatcher.trackReturns(mediaType) }
        do {
            let losses = KnownLosses()
            try encoder.start(at: start, after: isAnnounced ? nil : takeOver) { [weak self, weak encoder] event in
                if let self, let encoder { receive(event, of: encoder, number, losses) }
            }
        } catch {
            state.withLock { $0.history.forget(number) }
            dispatcher.trackEnded(mediaType)
            failed(mediaType, error)
        }
    }

    /// The number of an encoder's drops that were already handled. Only the encoder's thread changes it.
    private final class KnownLosses: Sendable {
        let count = Atomic<Int64>(0)
    }

    private func receive(
        _ event: LiveEncoder.Event, of encoder: any EncoderGeneration, _ number: Int, _ losses: KnownLosses
    ) {
        switch event {
        case .packet(let packet):
            // Before the packet, so that drops are counted in the file that they belong to.
            let dropped = encoder.dropped
            let isNews = losses.count.exchange(dropped, ordering: .relaxed) != dropped
            if hasLost.exchange(false, ordering: .relaxed) || isNews { publishLosses() }
            dispatcher.accept(packet) { number > lastRested.load(ordering: .acquiring) }
        case .ended(let error):
            let isLast = state.withLock { state in
                if let encoder = state.history.end(number), state.encoder === encoder { state.encoder = nil }
                return state.history.count == number && number > lastRested.load(ordering: .acquiring)
            }
            publishLosses()
            if isLast { dispatcher.trackEnded(mediaType) }
            if let error { failed(mediaType, error) }
        }
    }
}
