import Capture
import Dispatch
import MediaTypes
import RealTime

/// Passes samples from a device's thread to a delegate on its queue.
///
/// The device's thread adds a sample and wakes the queue. This takes constant time and allocates no memory: a Dispatch
/// source wakes the queue, because `async` would allocate for each frame. The queue gets one sample at a time, so that
/// two outputs that share a queue take turns.
final class Delivery: CaptureSink, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock; a Dispatch source may be used by any thread.
    /// The result of a delivery.
    enum Outcome: Sendable {
        case delivered
        /// The sample could not be prepared for the delegate.
        case failed
        /// The delegate or the connection no longer existed.
        case missed
    }

    private struct Target {
        /// The number of the call to `begin` that created this target.
        let number: Int
        let source: any DispatchSourceUserDataAdd
        let deliver: (WaitingSamples.Item) -> Outcome
    }

    private struct State {
        var waiting: WaitingSamples
        /// The receiver; nil without a delegate.
        var target: Target?
        var targetCount = 0
        /// Samples that were removed from `waiting` but could not be delivered.
        var failed: Int64 = 0
        var missed: Int64 = 0
    }

    private let state: Locked<State>

    init(_ waiting: WaitingSamples) { state = Locked(State(waiting: waiting)) }

    deinit { state.withLock { $0.target }?.source.cancel() }

    var ledger: AVCaptureLedger {
        state.withLock { state in
            var ledger = state.waiting.ledger
            ledger.delivered -= state.failed + state.missed
            ledger.failed = state.failed
            ledger.late += state.missed
            return ledger
        }
    }

    // MARK: The delegate's side

    /// Starts to deliver on a queue, and stops delivering on the previous queue.
    ///
    /// - Parameter deliver: A closure that is called with one item at a time.
    func begin(on queue: DispatchQueue, deliver: @escaping (WaitingSamples.Item) -> Outcome) {
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        let (number, before): (Int, Target?) = state.withLock { state in
            state.waiting.clear()
            state.targetCount += 1
            let before = state.target.take()
            state.target = Target(number: state.targetCount, source: source, deliver: deliver)
            return (state.targetCount, before)
        }
        before?.source.cancel()
        source.setEventHandler { [weak self] in self?.deliverNext(number) }
        source.resume()
    }

    /// Stops delivering. A call to the delegate may still be in progress.
    func end() {
        let target: Target? = state.withLock { state in
            state.waiting.clear()
            return state.target.take()
        }
        target?.source.cancel()
    }

    /// Changes how many samples may wait. Samples that are waiting are removed and counted as late.
    func setLimit(_ limit: WaitingSamples.Limit) {
        state.withLock { state in
            guard state.waiting.limit != limit else { return }
            state.waiting.clear()
            state.waiting = WaitingSamples(limit, continuing: state.waiting)
        }
    }

    /// - Parameter number: The number of the target whose Dispatch source calls. If it is not the current target's
    ///   number, nothing is delivered, because the current target belongs to another queue.
    private func deliverNext(_ number: Int) {
        let next: (item: WaitingSamples.Item, target: Target, hasMore: Bool)? = state.withLock { state in
            guard let target = state.target, target.number == number, let item = state.waiting.next() else {
                return nil
            }
            return (item, target, !state.waiting.isEmpty)
        }
        guard let next else { return }
        let outcome = next.target.deliver(next.item)
        if case .sample(let sample) = next.item {
            switch outcome {
            case .delivered: break
            case .failed: state.withLock { $0.failed += Int64(sample.sampleCount) }
            case .missed: state.withLock { $0.missed += Int64(sample.sampleCount) }
            }
        }
        if next.hasMore { next.target.source.add(data: 1) }
    }

    // MARK: The device's side

    func receive(_ event: DeviceEvent) {
        let source: (any DispatchSourceUserDataAdd)? = state.withLock { state in
            // An output without a delegate does not count samples.
            guard let target = state.target else { return nil }
            switch event {
            case .sample(let sample): state.waiting.add(sample)
            case .lost(let count, _, let near): state.waiting.lose(count, near: near)
            case .gone, .back: return nil
            }
            return target.source
        }
        source?.add(data: 1)
    }
}
