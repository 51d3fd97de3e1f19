package import Capture
package import MediaTypes
import RealTime

/// A device that a keeper opens repeatedly. A test connects and disconnects it, and can use every source that it was
/// opened as.
package final class FakeDevice: Sendable {
    private struct State {
        var sources: [FakeSource] = []
        var refusal: MediaError?
        var refused = 0
        var make: @Sendable () -> FakeSource
    }

    private let state: Locked<State>

    package init(_ make: @escaping @Sendable () -> FakeSource) { state = Locked(State(make: make)) }

    package static let unplugged = MediaError(.deviceLost, "lost the camera", reason: "it was unplugged")
    package static let missing = MediaError(.notFound, "cannot open the camera", reason: "no such camera")
    package static let taken = MediaError(.busy, "cannot open the camera", reason: "in use by another program")

    /// Opens the device for a keeper.
    package func open() throws(MediaError) -> any CaptureSource {
        let result: Result<FakeSource, MediaError> = state.withLock { state in
            if let refusal = state.refusal {
                state.refused += 1
                return .failure(refusal)
            }
            let source = state.make()
            state.sources.append(source)
            return .success(source)
        }
        return try result.get()
    }

    /// Sets the error of openings from now on; nil allows them.
    package func refuse(_ error: MediaError?) { state.withLock { $0.refusal = error } }

    /// Sets the source that is opened from now on.
    package func become(_ make: @escaping @Sendable () -> FakeSource) { state.withLock { $0.make = make } }

    package var sources: [FakeSource] { state.withLock { $0.sources } }
    package var refusedCount: Int { state.withLock { $0.refused } }
    /// The newest source. The device must have been opened.
    package var source: FakeSource { state.withLock { $0.sources[$0.sources.count - 1] } }

    /// Disconnects: the keeper receives the event on the calling thread.
    package func unplug() {
        refuse(Self.missing)
        source.send(.gone(Self.unplugged))
    }
}
