import MediaTypes
import RealTime

/// Where a reader stands. Moves only forward.
public enum AssetReaderStatus: String, Sendable, Hashable, Codable {
    case unknown, reading, completed, failed, cancelled
}

/// The life of a reader as a pure value: every call is a transition that is allowed or throws `invalidState`.
struct ReaderState {
    private(set) var status: AssetReaderStatus = .unknown
    /// Set exactly when `status` is `failed`.
    private(set) var error: MediaError?
    /// Outputs that have not come to their end.
    private var unfinished: Set<ObjectIdentifier> = []

    /// For configuring and for adding outputs: only before `startReading`.
    func requireUnstarted(_ action: String) throws(MediaError) {
        guard status == .unknown else { throw refuse(action, "reading has started already") }
    }

    mutating func start(outputs: [ObjectIdentifier]) throws(MediaError) {
        try requireUnstarted("cannot start reading")
        guard !outputs.isEmpty else { throw refuse("cannot start reading", "the reader has no outputs") }
        unfinished = Set(outputs)
        status = .reading
    }

    /// An output has given its last sample; the last one completes the reader.
    mutating func finish(_ output: ObjectIdentifier) {
        unfinished.remove(output)
        if status == .reading, unfinished.isEmpty { status = .completed }
    }

    /// Before reading as well: a reader that could not start has failed.
    mutating func fail(_ cause: MediaError) {
        guard status == .reading || status == .unknown else { return }
        status = .failed
        error = cause
    }

    /// Does nothing after the end.
    mutating func cancel() {
        if status == .reading || status == .unknown { status = .cancelled }
    }

    private func refuse(_ action: String, _ reason: String) -> MediaError {
        MediaError(.invalidState, action, reason: reason)
    }
}

/// What a reader and its outputs share: the reader's life. Any thread.
final class ReaderCore: Sendable {
    private let state = Locked(ReaderState())

    var reading: ReaderState { state.withLock { $0 } }
    var status: AssetReaderStatus { state.withLock { $0.status } }
    var isReading: Bool { status == .reading }

    func requireUnstarted(_ action: String) throws(MediaError) {
        try state.withLock { state throws(MediaError) in try state.requireUnstarted(action) }
    }

    func start(outputs: [ObjectIdentifier]) throws(MediaError) {
        try state.withLock { state throws(MediaError) in try state.start(outputs: outputs) }
    }

    func finish(_ output: ObjectIdentifier) { state.withLock { $0.finish(output) } }
    func fail(_ cause: MediaError) { state.withLock { $0.fail(cause) } }
    func cancel() { state.withLock { $0.cancel() } }
}
