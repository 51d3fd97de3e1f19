import MediaTypes
import RealTime

/// What a reader and its outputs share: the reader's life. Any thread.
final class ReaderCore: Sendable {
    private let state = Locked(ReaderState())

    var reading: ReaderState { state.withLock { $0 } }
    var status: AssetReaderStatus { reading.status }
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
