import MediaTypes

/// The progress of an export through its phases. It only moves forward.
public enum ExportStatus: String, Sendable, Hashable, Codable {
    case unknown, exporting, completed, failed, cancelled
}

extension ExportSession {
    /// An element of `states(updateInterval:)`.
    public enum State: Sendable, Hashable {
        /// `export` has not been called.
        case pending
        /// The asset is being loaded.
        case waiting
        /// The completed part, from 0 to 1; never decreases.
        case exporting(progress: Double)
    }
}

/// The life cycle of an export as a pure value.
struct ExportState {
    private(set) var status = ExportStatus.unknown
    /// The error; set exactly if `status` is `failed`.
    private(set) var error: MediaError?
    private(set) var isCancelled = false
    private(set) var progress = 0.0

    /// Begins the export.
    ///
    /// - Throws: `invalidState` for a second export, `cancelled` for an export that was cancelled before it began.
    mutating func begin() throws(MediaError) {
        if status == .cancelled { throw Transcode.cancellation }
        guard status == .unknown else {
            throw MediaError(
                .invalidState, "cannot export", reason: "the session was already used", wayOut: "create a new one")
        }
        status = .exporting
    }

    func requireUnstarted(_ action: String) throws(MediaError) {
        guard status == .unknown else {
            throw MediaError(.invalidState, action, reason: "exporting has started already")
        }
    }

    mutating func cancel() {
        switch status {
        case .unknown: status = .cancelled
        case .exporting: isCancelled = true
        case .completed, .failed, .cancelled: break
        }
    }

    mutating func record(progress: Double) {
        guard status == .exporting, progress.isFinite else { return }
        self.progress = max(self.progress, min(1, progress))
    }

    /// Ends the export. Only the first call has an effect.
    mutating func end(_ failure: MediaError?) {
        guard status == .exporting else { return }
        switch failure {
        case nil:
            status = .completed
            progress = 1
        case let failure? where failure.code == .cancelled: status = .cancelled
        case let failure?:
            status = .failed
            error = failure
        }
    }
}
