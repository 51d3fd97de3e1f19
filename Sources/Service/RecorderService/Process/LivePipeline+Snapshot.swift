import MediaTypes
import RealTime
import RecorderControl

/// The frame of a snapshot.
extension LivePipeline {
    /// The time for which a snapshot waits for a frame.
    private static let framePatience = Duration.seconds(3)
    /// The time for which a snapshot waits for a keyframe. Some cameras send only one keyframe every ten seconds.
    private static let keyframePatience = Duration.seconds(15)
    /// The maximum bytes of packets that wait for a snapshot.
    private static let keyframeLimit = 16 << 20

    /// Waits for the camera's next frame. If the camera's frames depend on others, returns the newest keyframe at once,
    /// or waits for the next keyframe if there is none yet.
    ///
    /// - Parameter action: The action that fails if there is no frame, for the error.
    /// - Throws: `deviceLost` if no frame arrives.
    func newestFrame(_ action: String) async throws(MediaError) -> SampleBuffer {
        guard video?.source.video?.codec.hasDependentFrames == true else { return try await frameAfterNow(action) }
        guard awayFor(.video) == nil else {
            throw MediaError(.deviceLost, action, reason: "the camera is disconnected")
        }
        wake()
        let (watch, _) = dispatcher.watch(limit: Self.keyframeLimit) { _ in nil }
        guard let sample = await watch.keyframe(within: Self.keyframePatience) else {
            throw MediaError(
                .deviceLost, action,
                reason: "the camera delivered no keyframe within \(Self.keyframePatience.components.seconds) s",
                wayOut: "set a shorter keyframe interval in the camera")
        }
        return sample
    }

    private func frameAfterNow(_ action: String) async throws(MediaError) -> SampleBuffer {
        let frame = Once<SampleBuffer?>()
        nextFrame { frame.set($0) }
        // This task limits the time of the wait. It is cancelled when the wait ends.
        let patience = Task {
            try? await Task.sleep(for: Self.framePatience)
            frame.set(nil)
        }
        defer { patience.cancel() }
        guard let sample = await frame.value() else {
            throw MediaError(
                .deviceLost, action,
                reason: "the camera delivered no frame within \(Self.framePatience.components.seconds) s")
        }
        return sample
    }
}
