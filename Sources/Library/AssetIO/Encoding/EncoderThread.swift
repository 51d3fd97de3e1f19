import MediaTypes
import RealTime

/// The thread of one track's encoder, from its start to the end of the track. `EncodingStage` works on it.
final class EncoderThread: @unchecked Sendable {
    // Unchecked: `stage` is used only by the one thread started in `start`.
    private let stage: EncodingStage
    private let admission: SharedAdmission
    private let thread = Locked<NamedThread?>(nil)

    init(_ stage: EncodingStage, admission: SharedAdmission) {
        self.stage = stage
        self.admission = admission
    }

    /// - Parameters:
    ///   - preparation: runs on the thread before anything else.
    ///   - failed: called on the thread when the track ends because of an error.
    func start(
        after preparation: (@Sendable () -> Void)?, failed: @escaping @Sendable (MediaError) -> Void
    ) throws(MediaError) {
        do {
            let started = try NamedThread("\(admission.mediaType)-encode") {
                preparation?()
                self.run(failed: failed)
            }
            thread.withLock { $0 = started }
        } catch {
            throw MediaError(errno: error.errno, "cannot start an encoder thread")
        }
    }

    func join() { thread.withLock { $0 }?.join() }

    private func run(failed: (MediaError) -> Void) {
        defer { stage.endTrack() }
        do throws(MediaError) { try stage.run() } catch {
            admission.fail(.encoder, error: error, isFileLost: false)
            failed(error)
        }
    }
}
