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
        /// Captured samples in packets that are on their way to the file.
        var inFlight: Int64 = 0
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

    var hasRoom: Bool {
        state.withLock { $0.phase == .open && (isRealTime ? !$0.queue.isFull : $0.queue.count < Self.offlineCount) }
    }

    /// Samples that an input of a source that waits keeps ready for the encoder.
    private static let offlineCount = 32

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
                .invalidSample, "cannot append a sample",
                reason: "it is \(sample.format.mediaType), the track \(mediaType)")
        }
        guard sample.presentationTime.isNumeric else {
            throw MediaError(.invalidSample, "cannot append a sample", reason: "it has no presentation time")
        }
        guard Self.isWhole(sample) else {
            throw MediaError(.invalidSample, "cannot append a sample", reason: "its count does not fit its data")
        }
        let (isTaken, wakes) = try state.withLock { state throws(MediaError) -> (Bool, Bool) in
            switch state.phase {
            case .waiting:
                throw MediaError(.invalidState, "cannot append a sample", reason: "no session has begun")
            case .ended: throw MediaError(.invalidState, "cannot append a sample", reason: "the input is finished")
            case .cancelled: throw MediaError(.cancelled, "cannot append a sample", reason: "the writer was cancelled")
            case .open, .closed: break
            }
            guard let sample = Self.insideSession(sample, start: state.sessionStart) else { return (false, false) }
            if !isRealTime, state.phase == .open, !state.queue.hasRoom(for: sample) { return (false, true) }
            let count = Int64(sample.sampleCount)
            state.ledger.captured += count
            if case .closed(let cause) = state.phase {
                state.ledger[dropped: cause] += count
                return (false, false)
            }
            // Two pictures cannot be shown at one time; sound is put in order by its timeline.
            guard mediaType == .audio || sample.presentationTime > state.lastTime else {
                state.ledger[dropped: .corrupt] += count
                return (false, false)
            }
            guard state.queue.hasRoom(for: sample) else {
                state.ledger[dropped: state.isEncoderWaitingForDisk ? .disk : .encoder] += count
                return (false, true)
            }
            state.lastTime = sample.presentationTime
            state.queue.append(sample)
            // A small budget is used up before the usual count has come together.
            let isDue = state.queue.sampleCount >= wakeUpCount || state.queue.isHalfFull
            return (true, isDue || state.queue.count >= Self.offlineCount)
        }
        if wakes { state.signal() }
        return isTaken
    }

    /// Whether a sample holds what it says: one picture, or whole frames of PCM.
    private static func isWhole(_ sample: SampleBuffer) -> Bool {
        switch sample.format {
        case .video, .timecode, .text: return sample.sampleCount == 1
        case .audio(let format):
            guard sample.sampleCount > 0, case .data(let data) = sample.content else { return false }
            guard let bytesPerFrame = format.bytesPerFrame else { return true }
            let (bytes, overflow) = sample.sampleCount.multipliedReportingOverflow(by: bytesPerFrame)
            return !overflow && format.sampleRate > 0 && bytes > 0 && data.count == bytes
        }
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
    func noteDropped(_ count: Int64, cause: DropCause) {
        state.withLock { $0.ledger[dropped: cause] += min(count, max(0, $0.ledger.pending - $0.inFlight)) }
    }

    /// Samples that no packet of their own stands for, as the last ones in a resampler's filter.
    func noteAbsorbed(_ count: Int64) {
        state.withLock { $0.ledger.written += min(count, max(0, $0.ledger.pending - $0.inFlight)) }
    }

    func noteGaps(_ gaps: (count: Int, frames: Int64)) { state.withLock { $0.gaps = gaps } }

    /// A packet that accounts for so many samples goes to the file.
    func notePushed(_ count: Int64) { state.withLock { $0.inFlight += count } }

    // MARK: The file's side

    func noteWritten(_ count: Int64) {
        state.withLock { state in
            let landed = min(count, state.inFlight)
            state.inFlight -= landed
            state.ledger.written += landed
        }
    }

    /// Packets that have no place in the file.
    func noteLeftOut(_ count: Int64, cause: DropCause) {
        state.withLock { state in
            let landed = min(count, state.inFlight)
            state.inFlight -= landed
            state.ledger[dropped: cause] += landed
        }
    }

    /// Ends the track for a cause: what is neither written nor dropped yet is counted as dropped by it.
    ///
    /// - Parameter isFileLost: nothing on its way to the file arrives there any more. Otherwise the encoder has failed, and
    ///   the packets that it made are still written.
    func close(_ cause: DropCause, error: MediaError, isFileLost: Bool) {
        state.withLock { state in
            if isFileLost { state.inFlight = 0 }
            state.ledger[dropped: cause] += max(0, state.ledger.pending - state.inFlight)
            if case .closed = state.phase { return }
            if state.error == nil { state.error = error }
            state.phase = .closed(cause)
            state.queue.removeAll()
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
