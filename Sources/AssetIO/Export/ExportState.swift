import MediaTypes

/// Where an export stands. Moves only forward.
public enum ExportStatus: String, Sendable, Hashable, Codable {
    case unknown, exporting, completed, failed, cancelled
}

extension ExportSession {
    /// What `states(updateInterval:)` tells.
    public enum State: Sendable, Hashable {
        /// `export` has not been called.
        case pending
        /// The asset is being loaded.
        case waiting
        /// The part that is done, 0 to 1; never falls.
        case exporting(progress: Double)
    }
}

/// The life of an export as a pure value.
struct ExportState {
    private(set) var status = ExportStatus.unknown
    /// Set exactly when `status` is `failed`.
    private(set) var error: MediaError?
    private(set) var isCancelled = false
    private(set) var progress = 0.0

    /// - Throws: `invalidState` for a second export, `cancelled` for one that was cancelled before.
    mutating func begin() throws(MediaError) {
        if status == .cancelled { throw Self.cancellation }
        guard status == .unknown else {
            throw MediaError(
                .invalidState, "cannot export", reason: "the session has been used", wayOut: "make another one")
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

    mutating func note(progress: Double) {
        guard status == .exporting, progress.isFinite else { return }
        self.progress = max(self.progress, min(1, progress))
    }

    /// The one end of an export.
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

    static var cancellation: MediaError {
        MediaError(.cancelled, "cannot export", reason: "it was cancelled")
    }
}
