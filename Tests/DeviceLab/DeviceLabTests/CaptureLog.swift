import Capture
import MediaTypes
import RealTime
import Testing

/// The events that a source sent to its receiver. It keeps no samples.
final class CaptureLog: Sendable {
    struct Entry {
        var time: MediaTime
        var sampleCount: Int
        var byteCount: Int
    }

    struct State {
        var samples: [Entry] = []
        var lost: [DropCause: Int64] = [:]
        var losses: [(count: Int64, cause: DropCause, near: MediaTime)] = []
        var failure: MediaError?
        var eventsAfterFailure = 0
    }

    private let state = Locked(State())

    /// Returns the receiver. `also` receives every sample before it is released.
    func receiver(also: @escaping @Sendable (SampleBuffer) -> Void = { _ in }) -> @Sendable (DeviceEvent) -> Void {
        { [self] event in
            if case .sample(let sample) = event { also(sample) }
            state.withLock { state in
                if state.failure != nil { state.eventsAfterFailure += 1 }
                switch event {
                case .sample(let sample):
                    state.samples.append(
                        Entry(
                            time: sample.presentationTime, sampleCount: sample.sampleCount,
                            byteCount: sample.byteCount))
                case .lost(let count, let cause, let near):
                    state.lost[cause, default: 0] += count
                    state.losses.append((count, cause, near))
                case .gone(let error): state.failure = error
                case .back: Issue.record("a source does not come back by itself")
                }
            }
            state.broadcast()
        }
    }

    var now: State { state.withLock { $0 } }

    /// Waits for a condition. Returns false after `seconds` of the monotonic clock.
    func waits(atMost seconds: Double, until condition: (State) -> Bool) -> Bool {
        state.waiting(atMost: Int64(seconds * 1e9)) { condition($0) ? () : nil } != nil
    }

    /// Returns the differences of successive sample times, in seconds.
    static func steps(_ samples: [Entry]) -> [Double] {
        zip(samples, samples.dropFirst()).map { ($1.time - $0.time).seconds }
    }
}
