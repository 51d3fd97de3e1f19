import MediaTypes
import RealTime

/// The state of a reader. It only moves forward.
public enum AssetReaderStatus: String, Sendable, Hashable, Codable {
    case unknown, reading, completed, failed, cancelled
}

/// The life cycle of a reader as a pure value: every call is a permitted transition or throws `invalidState`.
struct ReaderState {
    private(set) var status: AssetReaderStatus = .unknown
    /// The error; set exactly if `status` is `failed`.
    private(set) var error: MediaError?
    /// The outputs that have not reached their end.
    private var unfinished: Set<ObjectIdentifier> = []

    /// Checks that reading has not started. Configuring the reader and adding outputs require this.
    func requireUnstarted(_ action: String) throws(MediaError) {
        guard status == .unknown else { throw refuse(action, "reading has started already") }
    }

    mutating func start(outputs: [ObjectIdentifier]) throws(MediaError) {
        try requireUnstarted("cannot start reading")
        guard !outputs.isEmpty else { throw refuse("cannot start reading", "the reader has no outputs") }
        unfinished = Set(outputs)
        status = .reading
    }

    /// Records that an output has returned its last sample. The last output completes the reader.
    mutating func finish(_ output: ObjectIdentifier) {
        unfinished.remove(output)
        if status == .reading, unfinished.isEmpty { status = .completed }
    }

    /// Fails the reader, even before reading, because a reader that could not start has failed.
    mutating func fail(_ cause: MediaError) {
        guard status == .reading || status == .unknown else { return }
        status = .failed
        error = cause
    }

    /// Cancels the reader. Does nothing after the end.
    mutating func cancel() {
        if status == .reading || status == .unknown { status = .cancelled }
    }

    private func refuse(_ action: String, _ reason: String) -> MediaError {
        MediaError(.invalidState, action, reason: reason)
    }
}

/// The state shared by a reader and its outputs. Thread-safe.
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
