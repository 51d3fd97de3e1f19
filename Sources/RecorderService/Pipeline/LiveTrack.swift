import AssetIO
import DequeModule
import MediaTypes
import RealTime
import Synchronization

/// One track from its device to its packets, through as many encoders as it takes: a camera that comes back gets a fresh one.
///
/// `append` and `noteLoss` are for the device's thread; everything else is for any. Nothing here waits.
final class LiveTrack: Sendable {
    private struct State {
        /// Takes samples now; nil while the device is away, or the encoder for it is being opened.
        var encoder: (any TrackEncoder)?
        /// Opened in advance.
        var next: (any TrackEncoder)?
        /// Takes over with the first sample at or after this moment.
        var successor: (encoder: any TrackEncoder, time: MediaTime)?
        /// Samples come and the encoder for them is not open yet.
        var isAwaited = false
        /// Nobody needs packets: samples are kept here. `next` begins when the track wakes.
        var rest: Rest?
        var isDeviceAway = false
        /// What an encoder is being opened for.
        var opening: FormatDescription?
        var isStarted = false
        var isFinished = false
        var start = MediaTime.zero
        var format: FormatDescription
        var generation = 0
        /// Encoders that have begun and not ended, by their generation.
        var alive: [Int: any TrackEncoder] = [:]
        /// What ended encoders have counted, and samples that found none.
        var retired = Ledger()
        var retiredGaps: (count: Int, frames: Int64) = (0, 0)
        /// What the last encoder knew of the device's clock.
        var retiredDrift: Double?
        var retiredOffset: Double?
        /// Losses that the files know of.
        var published = Ledger()

        /// Keeps a sample of a track that rests.
        ///
        /// - Returns: what `next` begins with, which is `encoder` now; nil where the track goes on resting.
        mutating func keep(_ sample: SampleBuffer) -> Deque<SampleBuffer>? {
            guard var rest else { return nil }
            // So that the samples have one owner, and are not copied.
            self.rest = nil
            let removed = rest.samples.append(sample, isAwaited: rest.isOver)
            if rest.isOver, removed > 0 { retired.lose(removed, .encoder) }
            guard rest.isOver, let ready = next else {
                self.rest = rest
                return nil
            }
            (encoder, next) = (ready, nil)
            return rest.samples.samples
        }

        /// Of the ledger, for every packet: without adding ledgers up.
        var leftOut: Int64 {
            let idle = encoder.map { encoder in
                alive.values.contains { $0 === encoder } ? 0 : encoder.dropped
            }
            return alive.values.reduce(retired.leftOut + (idle ?? 0)) { $0 + $1.dropped }
        }

        var ledger: Ledger {
            let idle = encoder.map { encoder in alive.values.contains { $0 === encoder } ? Ledger() : encoder.ledger }
            return alive.values.reduce(retired + (idle ?? Ledger())) { $0 + $1.ledger }
        }
    }

    private struct Rest {
        var samples = RestingSamples()
        /// Packets are needed again: the next sample ends it.
        var isOver = false
    }

    let mediaType: MediaType
    private let dispatcher: PacketDispatcher
    private let make: @Sendable (FormatDescription) throws(MediaError) -> any TrackEncoder
    private let failed: @Sendable (MediaType, MediaError) -> Void
    private let state: Locked<State>
    /// Something was lost that no encoder knows of.
    private let hasLost = Atomic(false)
    /// Encoders up to this generation ended because nobody needed packets; what they still give is dropped.
    private let lastRested = Atomic(0)

    /// Opens the first encoder.
    ///
    /// - Parameters:
    ///   - make: opens an encoder for what the device gives; called on threads of its own.
    ///   - failed: called from any thread when the track cannot go on.
    init(
        _ format: FormatDescription, dispatcher: PacketDispatcher,
        make: @escaping @Sendable (FormatDescription) throws(MediaError) -> any TrackEncoder,
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
        let (encoder, old) = state.withLock { state -> ((any TrackEncoder)?, (any TrackEncoder)?) in
            if state.rest != nil {
                kept = state.keep(sample)
                return (kept == nil ? nil : state.encoder, nil)
            }
            guard let encoder = state.encoder else {
                state.retired.lose(sample.ledgerCount, .encoder)
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
            // In this order: the track goes on, and the dispatcher must not hear that it has ended.
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

    func noteLoss(_ count: Int64, cause: DropCause) {
        let encoder = state.withLock { state -> (any TrackEncoder)? in
            if state.encoder == nil {
                state.retired.lose(count, cause)
                hasLost.store(true, ordering: .relaxed)
            }
            return state.encoder
        }
        encoder?.noteLoss(count, cause: cause)
    }

    // MARK: Life

    /// Tells the dispatcher what to expect, before any track starts. Of a device that is away, nothing.
    func announce() {
        guard let encoder = state.withLock({ $0.encoder }) else { return }
        dispatcher.trackBegan(mediaType, format: encoder.format)
    }

    /// Encodes what was captured from this moment on.
    func start(at time: MediaTime) {
        let encoder = state.withLock { state -> (any TrackEncoder)? in
            state.isStarted = true
            state.start = time
            return state.encoder
        }
        if let encoder { begin(encoder, isAnnounced: true) }
    }

    /// The device is away: its encoder ends, and the next one is opened in advance.
    func deviceGone() {
        let (encoder, format, rest) = state.withLock { state in
            defer {
                state.encoder = nil
                state.successor = nil
                state.isAwaited = false
                state.isDeviceAway = true
                // One that was about to wake is a device that is away from now on.
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

    /// It is there after all, as it was.
    func deviceBack() { deviceBack(state.withLock { $0.format }) }

    func deviceBack(_ format: FormatDescription) {
        let (old, ready, opens) = state.withLock { state -> ((any TrackEncoder)?, (any TrackEncoder)?, Bool) in
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
        // Before the session, its start begins it.
        if let ready, state.withLock({ $0.isStarted }) { begin(ready) }
        if opens { open(format) }
    }

    /// Goes on with a fresh encoder from a moment on, or soon after it: `make` has learned of other settings. A new file
    /// begins there.
    func renewEncoder(at time: MediaTime) { open(state.withLock { $0.format }, for: time) }

    /// Nothing more comes; what was taken is still encoded.
    func finish() {
        let (encoder, isUnstarted) = state.withLock { state in
            let waking = state.rest.flatMap { $0.isOver ? $0 : nil }
            for sample in waking?.samples.samples ?? [] { state.retired.lose(sample.ledgerCount, .encoder) }
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

    /// Nobody needs packets: the encoder ends, the next one is opened in advance, and the newest samples are kept for it. Only
    /// once the track has started.
    func rest() {
        let resting = state.withLock { state -> (encoder: (any TrackEncoder)?, format: FormatDescription)? in
            guard state.isStarted, !state.isFinished, state.rest == nil else { return nil }
            state.rest = Rest()
            lastRested.store(state.generation, ordering: .releasing)
            defer { (state.encoder, state.successor, state.isAwaited) = (nil, nil, false) }
            return (state.encoder, state.format)
        }
        guard let resting else { return }
        dispatcher.trackRests(mediaType)
        // Without one the device is away, and the next encoder is open or being opened.
        guard let encoder = resting.encoder else { return }
        encoder.markAsFinished()
        open(resting.format)
    }

    /// Packets are needed again: the next sample begins the encoder, and those that were kept come before it.
    func wake() {
        let isPresent = state.withLock { state -> Bool in
            guard state.rest != nil else { return false }
            // The device's return begins its encoder, as ever.
            if state.isDeviceAway { state.rest = nil }
            state.rest?.isOver = true
            return !state.isDeviceAway
        }
        if isPresent { dispatcher.trackWakes(mediaType) }
    }

    /// Its samples are encoded; otherwise packets pass through as they come. false while no encoder is there.
    var encodes: Bool {
        state.withLock { state in
            guard let packets = (state.encoder ?? state.next)?.format else { return false }
            return packets.video?.codec != state.format.video?.codec
        }
    }

    func askForKeyFrame(at time: MediaTime) { state.withLock { $0.encoder }?.askForKeyFrame(at: time) }

    // MARK: Figures

    /// A sample that comes now, or the first one of a device that is away, finds an encoder.
    var isPrepared: Bool { state.withLock { $0.encoder != nil || $0.next != nil } }
    /// `written` is what has come out in packets.
    var ledger: Ledger { state.withLock { $0.ledger } }
    var queueDepth: Int { state.withLock { $0.encoder }?.queueDepth ?? 0 }
    /// How hard its encoder works; nil where it always does the same.
    var effort: EncodingEffort? { state.withLock { $0.encoder }?.effort }
    var filledGaps: (count: Int, frames: Int64) {
        state.withLock { state in
            state.alive.values.reduce(state.retiredGaps) { sum, encoder in
                let gaps = encoder.filledGaps
                return (sum.count + gaps.count, sum.frames + gaps.frames)
            }
        }
    }

    /// By how many parts per million the device's clock is faster than the monotonic one; nil before it is known.
    var driftPPM: Double? { state.withLock { $0.encoder.map(\.driftPPM) ?? $0.retiredDrift } }

    /// Seconds by which the sound is late against the pictures; nil before it is known.
    var syncOffset: Double? { state.withLock { $0.encoder.map(\.syncOffset) ?? $0.retiredOffset } }

    /// Enters what was lost before it became a packet into the account of the open file.
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
        for (cause, count) in losses { dispatcher.noteLoss(mediaType, count, cause) }
    }

    // MARK: Encoders

    /// - Parameter time: from when on it replaces the present one; nil: the device was or is away.
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

    private func opened(_ encoder: any TrackEncoder, _ format: FormatDescription, for time: MediaTime?) {
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
        // An encoder that has not begun refuses what it gets and does not count it: samples find it only now.
        begin(encoder)
        let isWanted = state.withLock { state in
            guard state.isAwaited, !state.isFinished, state.format == format else { return false }
            state.encoder = encoder
            state.isAwaited = false
            return true
        }
        if !isWanted { encoder.markAsFinished() }
    }

    /// - Parameter isAnnounced: the dispatcher knows of it.
    private func begin(_ encoder: any TrackEncoder, isAnnounced: Bool = false) {
        let (generation, start, predecessors) = state.withLock { state in
            let predecessors = Array(state.alive.values)
            state.generation += 1
            state.alive[state.generation] = encoder
            return (state.generation, state.start, predecessors)
        }
        let (dispatcher, mediaType, format) = (dispatcher, mediaType, encoder.format)
        let takeOver: @Sendable () -> Void = {
            // One after the other, so that packets come in order.
            for predecessor in predecessors { predecessor.join() }
            dispatcher.trackBegan(mediaType, format: format)
        }
        // On the device's thread, before its samples; the encoder's own comes later.
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

    /// How many losses of an encoder were looked at. Its own thread alone changes it.
    private final class KnownLosses: Sendable {
        let count = Atomic<Int64>(0)
    }

    private func receive(
        _ event: LiveEncoder.Event, of encoder: any TrackEncoder, _ generation: Int, _ losses: KnownLosses
    ) {
        switch event {
        case .packet(let packet):
            // Before the packet, so that what was lost is in the account of the file that it belongs to.
            let dropped = encoder.dropped
            let isNews = losses.count.exchange(dropped, ordering: .relaxed) != dropped
            if hasLost.exchange(false, ordering: .relaxed) || isNews { publishLosses() }
            dispatcher.take(packet) { generation > lastRested.load(ordering: .acquiring) }
        case .ended(let error):
            let isLast = state.withLock { state in
                if let encoder = state.alive.removeValue(forKey: generation) {
                    let gaps = encoder.filledGaps
                    state.retired = state.retired + encoder.ledger
                    state.retiredGaps = (state.retiredGaps.count + gaps.count, state.retiredGaps.frames + gaps.frames)
                    (state.retiredDrift, state.retiredOffset) = (encoder.driftPPM, encoder.syncOffset)
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

extension Ledger {
    /// Enters samples that nobody took.
    fileprivate mutating func lose(_ count: Int64, _ cause: DropCause) {
        captured += count
        self[dropped: cause] += count
    }
}
