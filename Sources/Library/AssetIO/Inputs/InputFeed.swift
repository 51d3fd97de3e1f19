import Dispatch
import MediaTypes
import RealTime

/// The client's side of an input: the values that it observes, and the callbacks that it requested. It lives as long as
/// the input.
final class InputFeed: Sendable {
    private struct State {
        var request: ClientCallback?
        var passResponder: ClientCallback?
        /// The name of the adaptor or receiver that feeds the input; nil if there is none.
        var feeder: String?
    }

    let readiness = Watched(Readiness.notReady)
    let passes = Watched(PassState.Phase.notStarted)
    private let state = Locked(State())

    /// Binds the input to one adaptor or receiver.
    func bind(_ feeder: String) throws(MediaError) {
        try state.withLock { state throws(MediaError) in
            if let bound = state.feeder {
                throw MediaError(.invalidState, "cannot create \(feeder)", reason: "the input already has \(bound)")
            }
            state.feeder = feeder
        }
    }

    func unbind() { state.withLock { $0.feeder = nil } }

    func request(on queue: DispatchQueue, using block: @escaping @Sendable () -> Void) throws(MediaError) {
        let action = "cannot request media data"
        guard !readiness.value.isOver else {
            throw MediaError(.invalidState, action, reason: "the input is finished")
        }
        let isDue: @Sendable () -> ClientCallback.Due = { [readiness] in
            switch readiness.value {
            case .notReady: .no
            case .ready: .yes
            case .failed: .lastTime
            case .over: .never
            }
        }
        let callback = ClientCallback(on: queue, isDue: isDue, block: block)
        try state.withLock { state throws(MediaError) in
            guard state.request == nil else {
                throw MediaError(.invalidState, action, reason: "it was already requested")
            }
            state.request = callback
        }
        readiness.observe { [weak callback] in callback?.poke() }
        callback.poke()
    }

    /// Ends the request of a finished pass.
    func endRequest() {
        let ended = state.withLock { $0.request.take() }
        ended?.cancel()
    }

    /// Marks the input as ended if the writer ended before the input had a path.
    func end(_ end: Readiness, unless path: TrackPath?) {
        guard path == nil else { return }
        readiness.set(end)?.run()
        passes.set(end == .failed ? .failed : .ended)?.run()
    }

    func respondToEachPass(on queue: DispatchQueue, using block: @escaping @Sendable () -> Void) throws(MediaError) {
        let action = "cannot respond to passes"
        // Every pass is reported once, and so is the end of all passes.
        let told = Locked(PassState.Phase.notStarted)
        let isDue: @Sendable () -> ClientCallback.Due = { [passes] in
            let phase = passes.value
            let isNews = told.withLock { told in
                defer { told = phase }
                return told != phase
            }
            switch phase {
            case .notStarted, .between: return .no
            case .pass: return isNews ? .yes : .no
            case .done, .failed: return .lastTime
            case .ended: return .never
            }
        }
        let callback = ClientCallback(on: queue, isDue: isDue, block: block)
        try state.withLock { state throws(MediaError) in
            guard state.passResponder == nil else {
                throw MediaError(.invalidState, action, reason: "the input already has a responder")
            }
            state.passResponder = callback
        }
        passes.observe { [weak callback] in callback?.poke() }
        callback.poke()
    }
}
