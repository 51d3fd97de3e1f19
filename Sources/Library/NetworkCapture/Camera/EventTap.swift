import Capture
import RealTime

/// Passes one stream's events to its receiver. `deliver` is for the camera's thread; other calls may come from any
/// thread.
final class EventTap: Sendable {
    /// The receiver in a structure, so that reading it through the lock allocates nothing.
    private struct Receiver: Sendable {
        let emit: @Sendable (DeviceEvent) -> Void
    }

    private struct State: Sendable {
        var receiver: Receiver?
        var wasStarted = false
        var isDelivering = false
    }

    private let state = Locked(State())

    /// True once the stream was started or closed.
    var wasStarted: Bool { state.withLock { $0.wasStarted } }

    /// Begins to deliver.
    ///
    /// - Returns: false if it was started or closed before.
    func start(_ emit: @escaping @Sendable (DeviceEvent) -> Void) -> Bool {
        state.withLock { state in
            guard !state.wasStarted else { return false }
            state.wasStarted = true
            state.receiver = Receiver(emit: emit)
            return true
        }
    }

    /// Ends the delivery. Returns once no event is being delivered; no event follows. Idempotent; never call it from the
    /// receiver.
    func close() {
        _ = state.waiting { state -> Bool? in
            state.wasStarted = true
            state.receiver = nil
            return state.isDelivering ? nil : true
        }
    }

    /// Delivers an event, if there is a receiver.
    func deliver(_ event: DeviceEvent) {
        let receiver: Receiver? = state.withLock { state in
            if state.receiver != nil { state.isDelivering = true }
            return state.receiver
        }
        guard let receiver else { return }
        receiver.emit(event)
        state.withLock { $0.isDelivering = false }
        state.broadcast()
    }
}
