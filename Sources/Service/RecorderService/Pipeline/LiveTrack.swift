import AssetIO
import DequeModule
import MediaTypes
import RealTime
import Synchronization

/// One track from its device to its packets. It uses several encoders one after the other, for example a new one when a
/// camera reconnects.
///
/// `append` and `recordLoss` are for the device's thread; everything else can be called from any thread. No method
/// blocks.
final class LiveTrack: Sendable {
    /// Opens an encoder for the device's format, with a sink for its packets.
    typealias Maker = @Sendable (FormatDescription, any PacketSink) throws(MediaError) -> any EncoderGeneration

    let mediaType: MediaType
    let dispatcher: PacketDispatcher
    let make: Maker
    let failed: @Sendable (MediaType, MediaError) -> Void
    let refused: @Sendable (MediaType, MediaError) -> Void
    let state: Locked<State>
    /// True if a sample was dropped outside the encoders.
    let hasLost = Atomic(false)
    /// The number of the last encoder that ended because packets were not needed. Later packets of this encoder and of
    /// earlier ones are discarded.
    let lastRested = Atomic(0)

    /// Opens the first encoder.
    ///
    /// - Parameters:
    ///   - make: Called on separate threads.
    ///   - failed: Called from any thread if the track cannot continue.
    ///   - refused: Called from any thread if no encoder can be opened for a device that has reconnected. The track
    ///     continues when the device reconnects again.
    init(
        _ format: FormatDescription, dispatcher: PacketDispatcher, make: @escaping Maker,
        failed: @escaping @Sendable (MediaType, MediaError) -> Void,
        refused: @escaping @Sendable (MediaType, MediaError) -> Void
    ) throws(MediaError) {
        mediaType = format.mediaType
        self.dispatcher = dispatcher
        self.make = make
        self.failed = failed
        self.refused = refused
        state = Locked(State(encoder: try OpenEncoder(format, make), format: format))
    }

    // MARK: The device's thread

    func append(_ sample: SampleBuffer) {
        var kept: Deque<SampleBuffer>?
        var begins = false
        let (encoder, old) = state.withLock { state -> (OpenEncoder?, OpenEncoder?) in
            if state.rest != nil {
                kept = state.keep(sample)
                begins = kept != nil
                return (kept == nil ? nil : state.encoder, nil)
            }
            guard let encoder = state.encoder else {
                if state.wait(sample) { hasLost.store(true, ordering: .relaxed) }
                return (nil, nil)
            }
            if !state.waiting.samples.isEmpty {
                kept = state.takeWaiting()
                kept?.append(sample)
                return (encoder, nil)
            }
            guard let successor = state.successor, sample.presentationTime >= successor.time else {
                return (encoder, nil)
            }
            state.encoder = successor.encoder
            state.successor = nil
            return (successor.encoder, encoder)
        }
        if let encoder, let old {
            // The order matters: the track continues, so the dispatcher must not receive its end.
            begin(encoder)
            old.generation.markAsFinished()
        }
        guard let kept, let encoder else {
            encoder?.generation.append(sample)
            return
        }
        if begins { begin(encoder) }
        for sample in kept { encoder.generation.append(sample) }
    }

    func recordLoss(_ count: Int64, cause: DropCause) {
        let encoder = state.withLock { state -> (any EncoderGeneration)? in
            if state.encoder == nil {
                state.history.lose(count, cause)
                hasLost.store(true, ordering: .relaxed)
            }
            return state.encoder?.generation
        }
        encoder?.recordLoss(count, cause: cause)
    }

    // MARK: Figures

    /// True if an encoder is open for the next sample, even if the device is disconnected.
    var isPrepared: Bool { state.withLock { $0.encoder != nil || $0.next != nil } }
    /// The drop counts; `written` counts the packets that were produced.
    var ledger: Ledger { state.withLock { $0.history.ledger(with: $0.encoder?.generation) } }
    var queueDepth: Int { state.withLock { $0.encoder?.generation }?.queueDepth ?? 0 }
    /// The encoder's current effort; nil if it is constant.
    var effort: EncodingEffort? { state.withLock { $0.encoder?.generation }?.facts.effort }

    /// The number of samples that the current encoder had accepted and then lost, and the latest failure after which it
    /// was started again; nil if there was none.
    var encoderLosses: (count: Int64, fault: MediaError?) {
        let facts = state.withLock { $0.encoder?.generation }?.facts
        return (facts?.lost ?? 0, facts?.fault)
    }

    /// The damaged samples that the current encoder has got since the last intact one; nil if there are none.
    var damage: DamagedSamples? { state.withLock { $0.encoder?.generation }?.facts.damage }

    /// The reason why the current encoder copies frames instead of reading them in the camera's buffers; nil if there
    /// is none.
    var copyReason: MediaError? { state.withLock { $0.encoder?.generation }?.facts.copyReason }

    var filledGaps: (count: Int, frames: Int64) { state.withLock { $0.history.gaps } }

    /// The number of audio values that became silence in the current encoder, because they were not numbers or far too
    /// loud.
    var silencedValues: Int64 { state.withLock { $0.encoder?.generation }?.facts.silencedValues ?? 0 }

    /// The audio device's clock, as measured by the current encoder, or by the last one if there is no current encoder.
    var clock: AudioClock { state.withLock { $0.encoder?.generation.facts.clock ?? $0.history.clock } }

    /// The format of the device's samples.
    var source: FormatDescription { state.withLock { $0.format } }

    /// Returns true if an encoder can be opened for a format. Blocks for as long as the encoder takes to open.
    func canEncode(_ format: FormatDescription) -> Bool { (try? OpenEncoder(format, make)) != nil }

    /// True if samples are encoded, false if packets pass through unchanged. False while there is no encoder.
    var encodes: Bool {
        state.withLock { state in
            guard let packets = (state.encoder ?? state.next)?.generation.format else { return false }
            return packets.video?.codec != state.format.video?.codec
        }
    }

    /// Updates the recording's account with the samples that were dropped before they became packets.
    func publishLosses() {
        let losses = state.withLock { $0.history.takeLosses(with: $0.encoder?.generation) }
        for (cause, count) in losses { dispatcher.recordLoss(mediaType, count, cause) }
    }
}
