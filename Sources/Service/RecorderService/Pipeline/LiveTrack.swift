import AssetIO
import DequeModule
import MediaTypes
import RealTime
import Synchronization

/// One track from its device to its packets, with one encoder after another: a camera that reconnects gets a new one.
///
/// `append` and `recordLoss` are for the device's thread; everything else can be called from any thread. No method
/// blocks.
final class LiveTrack: Sendable {
    private struct State {
        /// The current encoder; nil while the device is disconnected, or while its encoder is being opened.
        var encoder: (any EncoderGeneration)?
        /// An encoder that was opened in advance.
        var next: (any EncoderGeneration)?
        /// The encoder that replaces the current one with the first sample at or after `time`.
        var successor: (encoder: any EncoderGeneration, time: MediaTime)?
        /// True if samples arrive, but their encoder is not open yet.
        var isAwaited = false
        /// The samples that are kept while packets are not needed. `next` begins when the track wakes.
        var rest: Rest?
        var isDeviceAway = false
        /// The format for which an encoder is being opened.
        var opening: FormatDescription?
        var isStarted = false
        var isFinished = false
        var start = MediaTime.zero
        var format: FormatDescription
        var generation = 0
        /// Encoders that have begun and not ended, by their generation.
        var alive: [Int: any EncoderGeneration] = [:]
        var retired = Retired()
        /// The drops that have been reported to the files.
        var published = Ledger()

        /// Keeps a sample of a track that rests.
        ///
        /// - Returns: The first samples for `next`, which has become `encoder`; nil if the track continues to rest.
        mutating func keep(_ sample: SampleBuffer) -> Deque<SampleBuffer>? {
            guard var rest else { return nil }
            // Gives the samples one owner, so that they are not copied.
            self.rest = nil
            let removed = rest.samples.append(sample, isAwaited: rest.isOver)
            if rest.isOver, removed > 0 { retired.ledger.lose(removed, .encoder) }
            guard rest.isOver, let ready = next else {
                self.rest = rest
                return nil
            }
            (encoder, next) = (ready, nil)
            return rest.samples.samples
        }

        /// The ledger's `leftOut`, computed for every packet without adding up ledgers.
        var leftOut: Int64 {
            let idle = encoder.map { encoder in
                alive.values.contains { $0 === encoder } ? 0 : encoder.dropped
            }
            return alive.values.reduce(retired.ledger.leftOut + (idle ?? 0)) { $0 + $1.dropped }
        }

        var ledger: Ledger {
            let idle = encoder.map { encoder in alive.values.contains { $0 === encoder } ? Ledger() : encoder.ledger }
            return alive.values.reduce(retired.ledger + (idle ?? Ledger())) { $0 + $1.ledger }
        }
    }

    /// The counts and measurements of ended encoders.
    private struct Retired {
        /// Their counts, and those of samples without an encoder.
        var ledger = Ledger()
        private(set) var gaps: (count: Int, frames: Int64) = (0, 0)
        /// The last encoder's measurements of the device's clock.
        private(set) var clock = AudioClock()

        mutating func add(_ encoder: any EncoderGeneration) {
            let facts = encoder.facts
            ledger = ledger + encoder.ledger
            gaps = (gaps.count + facts.gaps.count, gaps.frames + facts.gaps.frames)
            clock = facts.clock
        }
    }

    private struct Rest {
        var samples = RestingSamples()
        /// True if packets are needed again: the next sample ends the rest.
        var isOver = false
    }

    let mediaType: MediaType
    private let dispatcher: PacketDispatcher
    private let make: @Sendable (FormatDescription) throws(MediaError) -> any EncoderGeneration
    private let failed: @Sendable (MediaType, MediaError) -> Void
    private let state: Locked<State>
    /// True if a sample was dropped outside the encoders.
    private let hasLost = Atomic(false)
    /// Encoders up to this generation ended because packets were not needed; their later packets are dropped.
    private let lastRested = Atomic(0)

    /// Opens the first encoder.
    ///
    /// - Parameters:
    ///   - make: Opens an encoder for the device's format; called on separate threads.
    ///   - failed: Called from any thread if the track cannot continue.
    init(
        _ format: FormatDescription, dispatcher: PacketDispatcher,
        make: @escaping @Sendable (FormatDescription) throws(MediaError) -> any EncoderGeneration,
        failed: @escaping @Sendable (MediaType, MediaError) -> Void
    ) throws(MediaError) {
        mediaType = format.mediaType
        self.dispatcher = dispatcher
        self.make = make
        self.failed = failed
        state = Locked(State(encoder: try make(format), format: format))
    }

    // MARK: The device's thread

    func append(_ sample: SampleBuffer) {
        var kept: Deque<SampleBuffer>?
        let (encoder, old) = state.withLock { state -> ((any EncoderGeneration)?, (any EncoderGeneration)?) in
            if state.rest != nil {
                kept = state.keep(sample)
                return (kept == nil ? nil : state.encoder, nil)
            }
            guard let encoder = state.encoder else {
                state.retired.ledger.lose(sample.ledgerCount, .encoder)
                hasLost.store(true, ordering: .relaxed)
                return (nil, nil)
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
            old.markAsFinished()
        }
        guard let kept, let encoder else {
            encoder?.append(sample)
            return
        }
        begin(encoder)
        for sample in kept { encoder.append(sample) }
    }

    func recordLoss(_ count: Int64, cause: DropCause) {
        let encoder = state.withLock { state -> (any EncoderGeneration)? in
            if state.encoder == nil {
                state.retired.ledger.lose(count, cause)
                hasLost.store(true, ordering: .relaxed)
            }
            return state.encoder
        }
        encoder?.recordLoss(count, cause: cause)
    }

    // MARK: Life

    /// Announces the track to the dispatcher before any track starts, unless its device is disconnected.
    func announce() {
        guard let encoder = state.withLock({ $0.encoder }) else { return }
        dispatcher.trackBegan(mediaType, format: encoder.format)
    }

    /// Starts encoding samples that were captured at or after `time`.
    func start(at time: MediaTime) {
        let encoder = state.withLock { state -> (any EncoderGeneration)? in
            state.isStarted = true
            state.start = time
            return state.encoder
        }
        if let encoder { begin(encoder, isAnnounced: true) }
    }

    /// Handles a disconnect: the encoder ends, and the next one is opened in advance.
    func deviceGone() {
        let (encoder, format, rest) = state.withLock { state in
            defer {
                state.encoder = nil
                state.successor = nil
                state.isAwaited = false
                state.isDeviceAway = true
                // A track that was about to wake now has a disconnected device.
                state.rest = state.rest.flatMap { $0.isOver ? nil : Rest() }
            }
            return (state.encoder, state.format, state.rest)
        }
        if let rest {
            // The next encoder is open, or being opened.
            if rest.isOver { dispatcher.trackEnded(mediaType) }
            return
        }
        encoder?.markAsFinished()
        open(format)
    }

    /// Handles the reconnect of a device whose format has not changed.
    func deviceBack() { deviceBack(state.withLock { $0.format }) }

    func deviceBack(_ format: FormatDescription) {
        let (old, ready, opens) = state.withLock {
            state -> ((any EncoderGeneration)?, (any EncoderGeneration)?, Bool) in
            state.isDeviceAway = false
            if state.rest != nil {
                state.rest?.samples.removeAll()
                if state.format != format { state.next = nil }
                state.format = format
                return (nil, nil, state.next == nil && state.opening != format)
            }
            if state.encoder != nil, state.format == format { return (nil, nil, false) }
            let old = state.encoder
            let ready = state.format == format ? state.next : nil
            let isOpening = state.opening == format
            state.encoder = ready
            state.next = nil
            state.isAwaited = ready == nil
            state.format = format
            return (old, ready, ready == nil && !isOpening)
        }
        old?.markAsFinished()
        // Before the session starts, `start` begins the encoder.
        if let ready, state.withLock({ $0.isStarted }) { begin(ready) }
        if opens { open(format) }
    }

    /// Continues with a new encoder at `time` or soon after it, because `make` now uses other settings. A new file
    /// begins there.
    func renewEncoder(at time: MediaTime) { open(state.withLock { $0.format }, for: time) }

    /// Ends the track; accepted samples are still encoded.
    func finish() {
        let (encoder, isUnstarted) = state.withLock { state in
            let waking = state.rest.flatMap { $0.isOver ? $0 : nil }
            for sample in waking?.samples.samples ?? [] { state.retired.ledger.lose(sample.ledgerCount, .encoder) }
            defer {
                state.encoder = nil
                state.rest = nil
                state.isFinished = true
            }
            return (state.encoder, !state.isStarted || waking != nil)
        }
        encoder?.markAsFinished()
        if isUnstarted { dispatcher.trackEnded(mediaType) }
    }

    /// Stops encoding while packets are not needed: the encoder ends, the next one is opened in advance, and the newest
    /// samples are kept for it. Has no effect before the track has started.
    func rest() {
        let resting = state.withLock { state -> (encoder: (any EncoderGeneration)?, format: FormatDescription)? in
            guard state.isStarted, !state.isFinished, state.rest == nil else { return nil }
            state.rest = Rest()
            lastRested.store(state.generation, ordering: .releasing)
            defer { (state.encoder, state.successor, state.isAwaited) = (nil, nil, false) }
            return (state.encoder, state.format)
        }
        guard let resting else { return }
        dispatcher.trackRests(mediaType)
        // Without an encoder the device is disconnected, and the next encoder is open or being opened.
        guard let encoder = resting.encoder else { return }
        encoder.markAsFinished()
        open(resting.format)
    }

    /// Resumes encoding: the next sample begins the encoder, which first receives the kept samples.
    func wake() {
        let isPresent = state.withLock { state -> Bool in
            guard state.rest != nil else { return false }
            // The reconnect of the device begins its encoder, as always.
            if state.isDeviceAway { state.rest = nil }
            state.rest?.isOver = true
            return !state.isDeviceAway
        }
        if isPresent { dispatcher.trackWakes(mediaType) }
    }

    /// True if samples are encoded, false if packets pass through unchanged. False while there is no encoder.
    var encodes: Bool {
        state.withLock { state in
            guard let packets = (state.encoder ?? state.next)?.format else { return false }
            return packets.video?.codec != state.format.video?.codec
        }
    }

    func requestKeyframe(at time: MediaTime) { state.withLock { $0.encoder }?.requestKeyframe(at: time) }

    // MARK: Figures

    /// True if an encoder is open for the next sample, even if the device is disconnected.
    var isPrepared: Bool { state.withLock { $0.encoder != nil || $0.next != nil } }
    /// The drop counts; `written` counts the packets that were produced.
    var ledger: Ledger { state.withLock { $0.ledger } }
    var queueDepth: Int { state.withLock { $0.encoder }?.queueDepth ?? 0 }
    /// The encoder's current effort; nil if it is constant.
    var effort: EncodingEffort? { state.withLock { $0.encoder }?.facts.effort }
    var filledGaps: (count: Int, frames: Int64) {
        state.withLock { state in
            state.alive.values.reduce(state.retired.gaps) { sum, encoder in
                let gaps = encoder.facts.gaps
                return (sum.count + gaps.count, sum.frames + gaps.frames)
            }
        }
    }

    /// The clock of the audio device, as the current encoder or else the last one has measured it.
    var clock: AudioClock { state.withLock { $0.encoder?.facts.clock ?? $0.retired.clock } }

    /// Adds samples that were dropped before they became packets to the open file's counts.
    func publishLosses() {
        let losses = state.withLock { state -> [(DropCause, Int64)] in
            guard state.leftOut != state.published.leftOut else { return [] }
            let ledger = state.ledger
            defer { state.published = ledger }
            return DropCause.allCases.compactMap { cause in
                let count = ledger[dropped: cause] - state.published[dropped: cause]
                return count > 0 ? (cause, count) : nil
            }
        }
        for (cause, count) in losses { dispatcher.recordLoss(mediaType, count, cause) }
    }

    // MARK: Encoders

    /// Opens an encoder on a separate thread.
    ///
    /// - Parameter time: The time at which it replaces the current one; nil if the device is or was disconnected.
    private func open(_ format: FormatDescription, for time: MediaTime? = nil) {
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
    private func begin(_ encoder: any EncoderGeneration, isAnnounced: Bool = false) {
        let (generation, start, predecessors) = state.withLock { state in
            let predecessors = Array(state.alive.values)
            state.generation += 1
            state.alive[state.generation] = encoder
            return (state.generation, state.start, predecessors)
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
                if let self, let encoder { receive(event, of: encoder, generation, losses) }
            }
        } catch {
            state.withLock { $0.alive[generation] = nil }
            dispatcher.trackEnded(mediaType)
            failed(mediaType, error)
        }
    }

    /// The number of an encoder's drops that were already handled. Only the encoder's thread changes it.
    private final class KnownLosses: Sendable {
        let count = Atomic<Int64>(0)
    }

    private func receive(
        _ event: LiveEncoder.Event, of encoder: any EncoderGeneration, _ generation: Int, _ losses: KnownLosses
    ) {
        switch event {
        case .packet(let packet):
            // Before the packet, so that drops are counted in the file that they belong to.
            let dropped = encoder.dropped
            let isNews = losses.count.exchange(dropped, ordering: .relaxed) != dropped
            if hasLost.exchange(false, ordering: .relaxed) || isNews { publishLosses() }
            dispatcher.accept(packet) { generation > lastRested.load(ordering: .acquiring) }
        case .ended(let error):
            let isLast = state.withLock { state in
                if let encoder = state.alive.removeValue(forKey: generation) {
                    state.retired.add(encoder)
                    if state.encoder === encoder { state.encoder = nil }
                }
                return state.generation == generation && generation > lastRested.load(ordering: .acquiring)
            }
            publishLosses()
            if isLast { dispatcher.trackEnded(mediaType) }
            if let error { failed(mediaType, error) }
        }
    }
}
