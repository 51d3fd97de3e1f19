package import Capture
package import MediaTypes
import RealTime

/// A device that a keeper opens again and again: it is there or not, and every source that it ever was is the test's.
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

    /// What a keeper calls.
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

    /// Why it cannot be opened from now on; nil when it can.
    package func refuse(_ error: MediaError?) { state.withLock { $0.refusal = error } }

    /// As what it is opened from now on.
    package func become(_ make: @escaping @Sendable () -> FakeSource) { state.withLock { $0.make = make } }

    package var sources: [FakeSource] { state.withLock { $0.sources } }
    package var refusedCount: Int { state.withLock { $0.refused } }
    /// The newest source. Opened it must have been.
    package var source: FakeSource { state.withLock { $0.sources[$0.sources.count - 1] } }

    /// Goes away: the keeper hears of it on the calling thread.
    package func unplug() {
        refuse(Self.missing)
        source.send(.gone(Self.unplugged))
    }
}
