import MediaTypes

/// Decides which samples of a track are accepted, and holds the accepted samples until the track's encoder takes them.
/// Contains the track's phase, queue, ledger and encoding passes. A pure value.
struct Admission {
    enum Phase: Equatable {
        /// The session has not started.
        case waiting
        case open
        /// A session has ended, and another may follow; waiting samples are encoded.
        case between
        /// No more samples come; waiting samples are still encoded.
        case ended
        /// The track has failed. Its samples are counted as dropped by this cause.
        case failed(DropCause)
        case cancelled
    }

    enum Verdict: Equatable {
        /// The sample was accepted. `progress` is the time that a pull source has reached, for the interleaving. It is
        /// nil for a live source. `wakes` is true if the encoder's thread must be woken.
        case accepted(wakes: Bool, progress: MediaTime?)
        /// The sample was counted as dropped, or is before the session. Appending the same sample again would have the
        /// same result.
        case refused(wakes: Bool)
        /// The sample was neither accepted nor counted. The caller appends it again when the input is ready.
        case notReady

        var isAccepted: Bool { if case .accepted = self { true } else { false } }
    }

    enum Work {
        case sample(SampleBuffer)
        /// The pass is over: the encoder has seen the entire source once.
        case endPass
        /// The next samples belong to another session, after a gap.
        case endSession
        case finish
        case stop
    }

    private let traits: TrackTraits
    private let rules: SampleRules
    /// The number of waiting audio frames or video samples at which the encoder's thread is woken. Audio arrives in
    /// blocks that are much smaller than the encoder's.
    private let wakeUpCount: Int

    private(set) var phase = Phase.waiting
    private(set) var queue: SampleQueue
    private(set) var ledger = Ledger()
    private(set) var error: MediaError?
    /// The earliest time at which the last frame may end; nil if the frame ends after its own duration.
    private(set) var lastFrameEnd: MediaTime?
    private(set) var passes: PassState
    var isEncoderWaitingForDisk = false
    /// The number of captured samples in packets that are on their way to the file.
    private var inFlight: Int64 = 0
    private var sessionStart = MediaTime.invalid
    private var sessionEnd = MediaTime.invalid
    /// The sessions that ended and are followed by a gap: for each, the number of samples that still wait for the
    /// encoder.
    private var endings: [Int] = []
    /// The shortest break between sessions after which the encoder restarts. A shorter one is an ordinary gap.
    private static let shortestBreak = MediaTime(value: 1, timescale: 10)
    private var entry: SessionEntry
    private var order: SampleOrder
    /// The time of the newest accepted sample; nil before the first.
    var newest: MediaTime? { order.last.isNumeric ? order.last : nil }
    /// The format that samples must have: the hint, or else the format of the first sample.
    private var expected: FormatDescription?

    init(_ traits: TrackTraits) {
        self.traits = traits
        rules = SampleRules(traits: traits)
        // Audio arrives in small blocks, and an encoder that wakes less often finds more of its data in the processor's
        // caches. A fifth of a second is less than the time that video frames wait in their queue. With low latency the
        // limit is two packets of AAC.
        let rate = traits.hint?.audio?.sampleRate ?? 0
        wakeUpCount = traits.mediaType != .audio ? 1 : traits.isLowLatency ? max(256, rate / 25) : max(2048, rate / 5)
        queue = traits.isRealTime ? SampleQueue(budget: traits.budget) : .pull()
        entry = SessionEntry(traits)
        order = SampleOrder(traits)
        expected = traits.hint
        passes = PassState(count: traits.passCount)
    }

    /// - Parameter mayContinue: true if the interleaving lets the source continue and the packet sink has room.
    func readiness(mayContinue: Bool) -> Readiness {
        switch phase {
        case .waiting, .between: .notReady
        case .open: !passes.isBetween && !queue.isFull && mayContinue ? .ready : .notReady
        case .ended, .cancelled: .over
        case .failed: .failed
        }
    }

    mutating func open(sessionStart: MediaTime) {
        let isFirst = phase == .waiting
        guard isFirst || phase == .between else { return }
        phase = .open
        self.sessionStart = sessionStart
        entry.begin(at: traits.storesEverything ? .negativeInfinity : sessionStart)
        if isFirst {
            passes.begin(at: sessionStart)
        } else if sessionStart - sessionEnd >= Self.shortestBreak {
            endings.append(queue.count)
        }
    }

    /// Ends a session. Appending a sample is an error until another session begins. That session must begin with
    /// samples that can be decoded alone, because samples may be missing before it.
    mutating func endSession(at end: MediaTime) {
        guard phase == .open else { return }
        sessionEnd = end
        for sample in entry.rest() { enqueue(sample) }
        phase = .between
        entry = SessionEntry(traits)
    }

    // MARK: The source's side

    /// Accepts, refuses or defers a sample, with constant work.
    ///
    /// - Parameters:
    ///   - mayContinue: true if the interleaving lets the source continue and the packet sink has room.
    ///   - mayWait: true if the caller can wait although the source is live.
    /// - Throws: `invalidState` outside a session, and `invalidSample` for a sample that the ledger cannot count. For a
    ///   source that can wait, also `invalidSample` for any other invalid sample, and the error with which the track
    ///   failed.
    mutating func append(_ sample: SampleBuffer, mayContinue: Bool, mayWait: Bool) throws(MediaError) -> Verdict {
        if let misuse = rules.misuse(sample) { throw Self.invalidSample(misuse) }
        switch phase {
        case .waiting: throw Self.refused(.invalidState, "no session has begun")
        case .between: throw Self.refused(.invalidState, "the session has ended, and no new one has begun")
        case .ended: throw Self.refused(.invalidState, "the input is finished")
        case .cancelled: throw Self.refused(.cancelled, "the writer was cancelled")
        case .failed(let cause):
            guard traits.isRealTime else { throw error ?? Self.refused(.codecFailure, "the track has failed") }
            return entry.isOutside(sample) ? .refused(wakes: false) : refuse(sample, cause)
        case .open: break
        }
        if let fault = rules.fault(sample, expected: expected, sessionStart: sessionStart) {
            return try refuse(sample, for: fault)
        }
        // A live source learns that the sample was refused. A source that can wait would append a refused sample again,
        // so for such a source the sample counts as accepted.
        if entry.isOutside(sample) {
            return traits.isRealTime ? .refused(wakes: false) : .accepted(wakes: false, progress: nil)
        }
        if let fault = order.fault(sample) { return try refuse(sample, for: fault) }
        guard entry.canDecode(sample) else { return try refuse(sample, for: "no keyframe came before it") }
        if !traits.isRealTime || mayWait, passes.isBetween || queue.isFull || !mayContinue { return .notReady }
        // A live track without an encoder drops its packets while the disk is too slow.
        if traits.isRealTime, !mayContinue { return refuse(sample, .disk, wakes: true) }
        if traits.isRealTime, !queue.hasRoom(for: sample) {
            return refuse(sample, isEncoderWaitingForDisk ? .disk : .encoder, wakes: true)
        }
        return accept(sample)
    }

    private mutating func accept(_ sample: SampleBuffer) -> Verdict {
        order.record(sample)
        if expected == nil, traits.isPassthrough || traits.mediaType == .audio { expected = sample.format }
        if let admitted = entry.admit(sample) {
            for sample in admitted.earlier { enqueue(sample) }
            enqueue(admitted.sample)
        }
        let isDue = queue.sampleCount >= wakeUpCount || queue.isHalfFull
        return .accepted(wakes: isDue, progress: traits.isRealTime || !passes.isLast ? nil : Self.progress(sample))
    }

    private mutating func enqueue(_ sample: SampleBuffer) {
        if passes.isLast {
            ledger.captured += sample.ledgerCount
            if sample.isEased { ledger.eased += sample.ledgerCount }
        }
        passes.hasSamples = true
        // A duration that is not a number, such as one until the next frame, is unknown.
        let isKnown = sample.duration?.isNumeric ?? true
        queue.append(isKnown ? sample : sample.lasting(nil).accounting(for: sample.ledgerCount))
    }

    /// Returns the progress of the source after this sample: the end of audio, but only the start of a frame.
    private static func progress(_ sample: SampleBuffer) -> MediaTime {
        let time = sample.decodeTime ?? sample.presentationTime
        guard sample.format.mediaType == .audio, let duration = sample.duration, duration.isNumeric else { return time }
        return time + duration
    }

    private mutating func refuse(_ sample: SampleBuffer, for fault: String) throws(MediaError) -> Verdict {
        guard traits.isRealTime else { throw Self.invalidSample(fault) }
        return refuse(sample, .corrupt)
    }

    private mutating func refuse(_ sample: SampleBuffer, _ cause: DropCause, wakes: Bool = false) -> Verdict {
        recordLoss(sample.ledgerCount, cause: cause)
        return .refused(wakes: wakes)
    }

    private static func invalidSample(_ reason: String) -> MediaError { refused(.invalidSample, reason) }

    private static func refused(_ code: MediaError.Code, _ reason: String) -> MediaError {
        MediaError(code, "cannot append a sample", reason: reason)
    }

    mutating func recordLoss(_ count: Int64, cause: DropCause) {
        // A device's own count may be any number, so the sums are clamped.
        ledger.captured = ledger.captured.addingClamped(count)
        ledger[dropped: cause] = ledger[dropped: cause].addingClamped(count)
    }

    mutating func markAsFinished(lastFrameEnd: MediaTime? = nil) {
        guard phase == .open || phase == .waiting || phase == .between else { return }
        for sample in entry.rest(lastFrameEnd: lastFrameEnd) { enqueue(sample) }
        self.lastFrameEnd = lastFrameEnd
        phase = .ended
        passes.end()
    }

    /// - Throws: `invalidState` outside a pass.
    mutating func markCurrentPassAsFinished() throws(MediaError) {
        guard phase == .open, !passes.isBetween else {
            throw MediaError(.invalidState, "cannot finish the pass", reason: "no pass is running")
        }
        passes.finishCurrent()
    }

    // MARK: The encoder's side

    mutating func nextWork() -> Work? {
        switch phase {
        case .failed, .cancelled: return .stop
        case .waiting: return nil
        case .open, .between: return nextOfQueue() ?? (passes.takeEnd() ? .endPass : nil)
        case .ended: return nextOfQueue() ?? .finish
        }
    }

    private mutating func nextOfQueue() -> Work? {
        if endings.first == 0 {
            endings.removeFirst()
            return .endSession
        }
        guard let sample = queue.popFirst() else { return nil }
        for index in endings.indices { endings[index] -= 1 }
        return .sample(sample)
    }

    /// Begins the next pass, from the start of the source. After the last pass there is nothing to encode.
    mutating func beginNextPass() {
        guard phase == .open else { return }
        passes.beginNext(at: sessionStart)
        order = SampleOrder(traits)
        entry = SessionEntry(traits)
        entry.begin(at: traits.storesEverything ? .negativeInfinity : sessionStart)
    }

    /// Counts samples that were taken from the queue but will never be written.
    mutating func recordDropped(_ count: Int64, cause: DropCause) {
        ledger[dropped: cause] += min(count, max(0, ledger.pending - inFlight))
    }

    /// Counts samples without a packet of their own as written, e.g. the last ones in a resampler's filter.
    mutating func recordAbsorbed(_ count: Int64) { ledger.written += min(count, max(0, ledger.pending - inFlight)) }

    /// Records that a packet with this number of samples is on its way to the file.
    mutating func recordPushed(_ count: Int64) { inFlight += count }

    // MARK: The file's side

    mutating func recordWritten(_ count: Int64) { ledger.written += land(count) }

    /// Counts the samples of packets that the file cannot store.
    mutating func recordLeftOut(_ count: Int64, cause: DropCause) { ledger[dropped: cause] += land(count) }

    private mutating func land(_ count: Int64) -> Int64 {
        let landed = min(count, inFlight)
        inFlight -= landed
        return landed
    }

    /// Ends the track. All samples that are neither written nor dropped are counted as dropped by this cause.
    ///
    /// - Parameter isFileLost: true if packets on their way to the file are lost. If false, the encoder has failed, and
    ///   the packets that it made before are still written.
    mutating func fail(_ cause: DropCause, error: MediaError, isFileLost: Bool) {
        if isFileLost { inFlight = 0 }
        ledger[dropped: cause] += max(0, ledger.pending - inFlight)
        if case .failed = phase { return }
        if self.error == nil { self.error = error }
        phase = .failed(cause)
        queue.removeAll()
        entry.forget()
        passes.fail()
    }

    mutating func cancel() {
        phase = .cancelled
        queue.removeAll()
        entry.forget()
        passes.end()
    }
}
