import MediaTypes
import MovieFile
import RealTime

/// Runs one track's encoder on a thread of its own, from the input's queue to the packet queue.
final class EncoderThread: TrackDelivery, @unchecked Sendable {
    // Unchecked: `stage` is used by the one thread started in `start`, and by nobody else from then on, except for
    // `end`, which is read after `join`.
    private let stage: EncodingStage
    private let core: TrackCore
    private let thread = Locked<NamedThread?>(nil)

    init(_ stage: EncodingStage, core: TrackCore) {
        self.stage = stage
        self.core = core
    }

    func start(failed: @escaping @Sendable (MediaError) -> Void) throws(MediaError) {
        try start(after: nil, failed: failed)
    }

    /// - Parameters:
    ///   - preparation: runs on the thread before anything else.
    ///   - failed: called on the thread when the track ends for an error.
    func start(
        after preparation: (@Sendable () -> Void)?, failed: @escaping @Sendable (MediaError) -> Void
    ) throws(MediaError) {
        do {
            let started = try NamedThread("\(core.mediaType)-encode") {
                preparation?()
                self.run(failed: failed)
            }
            thread.withLock { $0 = started }
        } catch {
            throw MediaError(errno: error.errno, "cannot start an encoder thread")
        }
    }

    /// The thread looks by itself.
    func lookAgain() {}

    func join() { thread.withLock { $0 }?.join() }

    var end: MediaTime? { stage.end }

    private func run(failed: (MediaError) -> Void) {
        defer { stage.close() }
        do throws(MediaError) {
            while try stage.perform(core.nextWork()) {}
        } catch {
            core.close(.encoder, error: error, isFileLost: false)
            failed(error)
        }
    }
}
