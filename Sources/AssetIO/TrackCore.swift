import MediaTypes
import RealTime

/// What an input and its encoder thread share: the queue, the ledger and the phase, under one short lock.
final class TrackCore: Sendable {
    enum Phase: Equatable {
        /// Before the session starts.
        case waiting
        case open
        /// Nothing more is coming; what waits is still encoded.
        case ended
        /// Nothing more is encoded, for a cause.
        case closed(DropCause)
        case cancelled
    }

    enum Work {
        case sample(SampleBuffer)
        case finish
        case stop
    }

    private struct State {
        var phase = Phase.waiting
        var queue: RealTimeQueue
        var ledger = Ledger()
        var sessionStart = MediaTime.invalid
        var lastTime = MediaTime.negativeInfinity
        var isEncoderWaitingForDisk = false
        var gaps: (count: Int, frames: Int64) = (0, 0)
        var error: MediaError?
    }

    let mediaType: MediaType
    /// Samples that must wait before the encoder is woken: sound comes in blocks much smaller than it is encoded in.
    private let wakeUpCount: Int
    private let state: Locked<State>

    /// Whether a full queue drops the sample, or tells its caller to try again.
    private let isRealTime: Bool

    init(mediaType: MediaType, budget: RealTimeBudget, isRealTime: Bool) {
        self.mediaType = mediaType
        self.isRealTime = isRealTime
        wakeUpCount = mediaType == .audio ? 2048 : 1
        state = Locked(State(queue: RealTimeQueue(budget: budget)))
    }

    var ledger: Ledger { state.withLock { $0.ledger } }
    var queueDepth: Int { state.withLock { $0.queue.count } }
    var gaps: (count: Int, frames: Int64) { state.withLock { $0.gaps } }
    var error: MediaError? { state.withLock { $0.error } }

    var hasRoom: Bool { state.withLock { $0.phase == .open && $0.queue.count < 32 } }

    func open(sessionStart: MediaTime) {
        state.withLock { state in
            guard state.phase == .waiting else { return }
            state.phase = .open
            state.sessionStart = sessionStart
        }
    }

    /// The real-time door: constant work, no waiting. Returns false for a refusal, which the ledger has counted.
    func append(_ sample: SampleBuffer) throws(MediaError) -> Bool {
        guard sample.format.mediaType == mediaType else {
            throw MediaError(
                .invalidSample, "cannot append a sample", reason: "it is \(sample.format.mediaType), the track \(mediaType)")
        }
        guard sample.presentationTime.isNumeric else {
            throw MediaError(.invalidSample, "cannot append a sample", reason: "it has no presentation time")
        }
        let wakes = try state.withLock { state throws(MediaError) -> Bool? in
            switch state.phase {
            case .waiting:
                throw MediaError(.invalidState, "cannot append a sample", reason: "no session has begun")
            case .ended: throw MediaError(.invalidState, "cannot append a sample", reason: "the input is finished")
            case .cancelled: throw MediaError(.cancelled, "cannot append a sample", reason: "the writer was cancelled")
            case .open, .closed: break
            }
            guard let sample = Self.insideSession(sample, start: state.sessionStart) else { return false }
            if !isRealTime, state.phase == .open, !state.queue.hasRoom(for: sample) { return nil }
            let count = Int64(sample.sampleCount)
            state.ledger.captured += count
            if case .closed(let cause) = state.phase {
                state.ledger[dropped: cause] += count
                return nil
            }
            // Two pictures cannot be shown at one time; sound is put in order by its timeline.
            guard mediaType == .audio || sample.presentationTime > state.lastTime else {
                state.ledger[dropped: .corrupt] += count
                return nil
            }
            guard state.queue.hasRoom(for: sample) else {
                state.ledger[dropped: state.isEncoderWaitingForDisk ? .disk : .encoder] += count
                return nil
            }
            state.lastTime = sample.presentationTime
            state.queue.append(sample)
            return state.queue.sampleCount >= wakeUpCount
        }
        guard let wakes else { return false }
        if wakes { state.signal() }
        return true
    }

    /// What of a sample lies in the session; nil for nothing. Sound is cut to the frame.
    private static func insideSession(_ sample: SampleBuffer, start: MediaTime) -> SampleBuffer? {
        guard sample.presentationTime < start else { return sample }
        guard case .audio(let format) = sample.format, let bytesPerFrame = format.bytesPerFrame,
            case .data(let data) = sample.content
        else { return nil }
        let early = Int((start - sample.presentationTime).ticks(in: Int32(format.sampleRate)))
        guard early < sample.sampleCount else { return nil }
        let bytes = UnsafeRawBufferPointer(rebasing: data.bytes[(early * bytesPerFrame)...])
        // The rest borrows the memory of the whole.
        return SampleBuffer(
            pcm: MediaData(borrowing: bytes) { _ = data }, format: format,
            presentationTime: sample.presentationTime
                + MediaTime(value: Int64(early), timescale: Int32(format.sampleRate)))
    }

    func noteLoss(_ count: Int64, cause: DropCause) {
        state.withLock { state in
            state.ledger.captured += count
            state.ledger[dropped: cause] += count
        }
    }

    func markAsFinished() {
        state.withLock { if $0.phase == .open || $0.phase == .waiting { $0.phase = .ended } }
        state.signal()
    }

    // MARK: The encoder's side

    /// Blocks until there is something to do. Only the track's encoder thread calls it.
    func nextWork() -> Work {
        state.waiting { state in
            switch state.phase {
            case .closed, .cancelled: return .stop
            case .waiting: return nil
            case .open: return state.queue.popFirst().map(Work.sample)
            case .ended: return state.queue.popFirst().map(Work.sample) ?? .finish
            }
        }
    }

    func setWaitingForDisk(_ isWaiting: Bool) { state.withLock { $0.isEncoderWaitingForDisk = isWaiting } }

    /// Samples taken from the queue that will never be written.
    func noteDropped(_ count: Int64, cause: DropCause) { state.withLock { $0.ledger[dropped: cause] += count } }

    func noteGaps(_ gaps: (count: Int, frames: Int64)) { state.withLock { $0.gaps = gaps } }

    func noteWritten(_ count: Int64) { state.withLock { $0.ledger.written += count } }

    /// Ends the track for a cause: what is neither written nor dropped yet is counted as dropped by it.
    func close(_ cause: DropCause, error: MediaError) {
        state.withLock { state in
            if case .closed = state.phase { return }
            if state.error == nil { state.error = error }
            state.phase = .closed(cause)
            state.queue.removeAll()
            state.ledger[dropped: cause] += max(0, state.ledger.pending)
        }
        state.broadcast()
    }

    func cancel() {
        state.withLock { state in
            state.phase = .cancelled
            state.queue.removeAll()
        }
        state.broadcast()
    }
}
