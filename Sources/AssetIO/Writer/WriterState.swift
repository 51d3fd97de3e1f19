import MediaTypes

/// Where a writer stands. Moves only forward.
public enum AssetWriterStatus: String, Sendable, Hashable, Codable {
    case unknown, writing, completed, failed, cancelled
}

/// The life of a writer as a pure value: every call is a transition that is allowed or throws `invalidState`.
struct WriterState {
    private(set) var status: AssetWriterStatus = .unknown
    /// Set exactly when `status` is `failed`.
    private(set) var error: MediaError?
    private(set) var sessionStart: MediaTime?
    private(set) var sessionEnd: MediaTime?
    private(set) var isFinishing = false

    /// For configuring and for adding inputs: only before `startWriting`.
    func requireUnstarted(_ action: String) throws(MediaError) {
        guard status == .unknown else { throw refuse(action, "writing has started already") }
    }

    /// For what is allowed before `startWriting` and while writing.
    func requireRunning(_ action: String) throws(MediaError) {
        if status != .unknown { try requireWriting(action) }
    }

    mutating func start(inputCount: Int) throws(MediaError) {
        try requireUnstarted("cannot start writing")
        guard inputCount > 0 else { throw refuse("cannot start writing", "the writer has no inputs") }
        status = .writing
    }

    mutating func startSession(at time: MediaTime) throws(MediaError) {
        try requireWriting("cannot start a session")
        guard sessionStart == nil else {
            throw refuse("cannot start a session", "a writer has one session, and it has begun")
        }
        guard time.isNumeric else { throw refuse("cannot start a session at \(time)", "the time is not a number") }
        sessionStart = time
    }

    mutating func endSession(at time: MediaTime) throws(MediaError) {
        try requireWriting("cannot end the session")
        guard let sessionStart else { throw refuse("cannot end the session", "none has begun") }
        guard sessionEnd == nil else { throw refuse("cannot end the session", "it has ended already") }
        guard time.isNumeric, time >= sessionStart else {
            throw refuse("cannot end the session at \(time)", "that is before its start, \(sessionStart)")
        }
        sessionEnd = time
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

    /// Returns whether this was the failure that counts.
    mutating func fail(_ cause: MediaError) -> Bool {
        guard status == .unknown || status == .writing else { return false }
        status = .failed
        error = cause
        return true
    }

    /// Returns whether there was something to cancel: nothing is, once completed, failed or cancelled.
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
        case .writing: if isFinishing { throw refuse(action, "the writer is finishing") }
        }
    }

    private func refuse(_ action: String, _ reason: String) -> MediaError {
        MediaError(.invalidState, action, reason: reason)
    }
}
