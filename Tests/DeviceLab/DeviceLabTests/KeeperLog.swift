import Capture
import MediaTypes
import RealTime

/// The events that a keeper sent to its receiver. It keeps no samples.
final class KeeperLog: Sendable {
    struct Sample {
        var time: MediaTime
        var sampleCount: Int
        /// The time at which the receiver got it.
        var received: MediaTime
    }

    struct Return {
        var format: FormatDescription
        var awaySince: MediaTime
        /// The number of samples before it.
        var index: Int
    }

    struct State {
        var samples: [Sample] = []
        var lost: [DropCause: Int64] = [:]
        var gone: [MediaError] = []
        var returns: [Return] = []
    }

    private let state = Locked(State())

    var now: State { state.withLock { $0 } }

    func receive(_ event: DeviceEvent) {
        let received = MediaTime(nanoseconds: MonotonicClock().nanoseconds)
        state.withLock { state in
            switch event {
            case .sample(let sample):
                state.samples.append(
                    Sample(time: sample.presentationTime, sampleCount: sample.sampleCount, received: received))
            case .lost(let count, let cause, _): state.lost[cause, default: 0] += count
            case .gone(let error): state.gone.append(error)
            case .back(let format, _, _, let since):
                state.returns.append(Return(format: format, awaySince: since, index: state.samples.count))
            }
        }
        state.broadcast()
    }

    /// Waits for a condition. Returns false after `seconds` of the monotonic clock.
    func waits(atMost seconds: Double, until condition: (State) -> Bool) -> Bool {
        state.waiting(atMost: Int64(seconds * 1e9)) { condition($0) ? () : nil } != nil
    }

    /// Waits for `count` more samples.
    func waitsForMore(_ count: Int, atMost seconds: Double = 10) -> Bool {
        let wanted = now.samples.count + count
        return waits(atMost: seconds) { $0.samples.count >= wanted }
    }
}

extension KeeperLog.State {
    /// Returns the number of frames at this rate from the first frame to the last, both included.
    func capturedFrames(at rate: Double) -> Int64 {
        guard let first = samples.first, let last = samples.last else { return 0 }
        return Int64(((last.time - first.time).seconds * rate).rounded()) + 1
    }

    /// The audio frames from the first block up to the last one, delivered or dropped.
    var accountedAudio: Int64 {
        samples.dropLast().reduce(0) { $0 + Int64($1.sampleCount) } + (lost[.device] ?? 0)
    }
}
