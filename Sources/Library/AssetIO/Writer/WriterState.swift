import MediaTypes

/// The state of a writer. It only moves forward.
public enum AssetWriterStatus: String, Sendable, Hashable, Codable {
    case unknown, writing, completed, failed, cancelled
}

/// The life cycle of a writer as a pure value: every call is a permitted transition or throws `invalidState`.
struct WriterState {
    private(set) var status: AssetWriterStatus = .unknown
    /// The error; set exactly if `status` is `failed`.
    private(set) var error: MediaError?
    /// The start of the first session: time 0 of the movie.
    private(set) var sessionStart: MediaTime?
    /// The end of the last session; nil while one is open.
    private(set) var sessionEnd: MediaTime?
    /// The time ranges between sessions, in order.
    private(set) var cuts: [TimeRange] = []
    /// The start of the open session.
    private var openStart: MediaTime?
    private(set) var isFinishing = false
    /// True until the encoders and the file are open. Until then, a session would have no tracks.
    private var isStarting = false

    /// Checks that writing has not started. Configuring the writer and adding inputs require this.
    func requireUnstarted(_ action: String) throws(MediaError) {
        guard status == .unknown else { throw refuse(action, "writing has started already") }
    }

    /// Checks a call that is permitted before `startWriting` and while writing.
    func requireRunning(_ action: String) throws(MediaError) {
        if status != .unknown { try requireWriting(action) }
    }

    mutating func start(inputCount: Int) throws(MediaError) {
        try requireUnstarted("cannot start writing")
        guard inputCount > 0 else { throw refuse("cannot start writing", "the writer has no inputs") }
        status = .writing
        isStarting = true
    }

    /// Records that the encoders and the file are open.
    mutating func recordStarted() { isStarting = false }

    /// The effect of starting a session.
    enum SessionStart { case nothing, first, next }

    /// The maximum number of sessions, which limits the number of edits.
    static let mostSessions = 1024

    /// Starts a session. A start at the time of the open session has no effect.
    mutating func startSession(at time: MediaTime) throws(MediaError) -> SessionStart {
        try requireWriting("cannot start a session")
        let action = "cannot start a session at \(time)"
        guard time.isNumeric else { throw refuse(action, "the time is not a number") }
        if let openStart {
            guard time == openStart else {
                throw refuse(
                    action, "the session that began at \(openStart) has not ended", "call endSession first")
            }
            return .nothing
        }
        openStart = time
        guard let end = sessionEnd.take() else {
            sessionStart = time
            return .first
        }
        guard time >= end, cuts.count + 1 < Self.mostSessions else {
            (openStart, sessionEnd) = (nil, end)
            throw time < end
                ? refuse(action, "the previous session ended at \(end)", "sessions must not overlap")
                : refuse(action, "the limit of \(Self.mostSessions) sessions is reached")
        }
        if time > end { cuts.append(TimeRange(start: end, end: time)) }
        return .next
    }

    mutating func endSession(at time: MediaTime) throws(MediaError) {
        try requireWriting("cannot end the session")
        guard sessionStart != nil else { throw refuse("cannot end the session", "no session has begun") }
        guard let start = openStart else { throw refuse("cannot end the session", "it has ended already") }
        guard time.isNumeric, time >= start else {
            throw refuse("cannot end the session at \(time)", "the time is before the session's start, \(start)")
        }
        (openStart, sessionEnd) = (nil, time)
    }

    mutating func finish() throws(MediaError) {
        try requireWriting("cannot finish writing")
        guard sessionStart != nil else { throw refuse("cannot finish writing", "no session has begun") }
        isFinishing = true
    }

    mutating func complete() {
        guard status == .writing else { return }
        status = .completed
    }

    /// Records a failure. Returns true if it is the first one; only the first is reported.
    ///
    /// - Parameter sparesFinishing: true to change nothing once the writer is finishing, as for `cancel`.
    mutating func fail(_ cause: MediaError, sparesFinishing: Bool = false) -> Bool {
        guard status == .unknown || status == .writing, !(sparesFinishing && isFinishing) else { return false }
        status = .failed
        error = cause
        return true
    }

    /// Cancels the writer. Returns false if it is finishing, or had completed, failed or been cancelled.
    mutating func cancel() -> Bool {
        guard status == .unknown || status == .writing, !isFinishing else { return false }
        status = .cancelled
        return true
    }

    private func requireWriting(_ action: String) throws(MediaError) {
        switch status {
        case .unknown: throw refuse(action, "writing has not started")
        case .completed: throw refuse(action, "the writer has completed")
        case .cancelled: throw refuse(action, "the writer was cancelled")
        case .failed: throw error ?? refuse(action, "the writer has failed")
        case .writing:
            if isStarting { throw refuse(action, "startWriting has not returned", "call it afterwards") }
            if isFinishing { throw refuse(action, "the writer is finishing") }
        }
    }

    private func refuse(_ action: String, _ reason: String, _ wayOut: String = "") -> MediaError {
        MediaError(.invalidState, action, reason: reason, wayOut: wayOut)
    }
}
