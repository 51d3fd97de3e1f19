package import Capture
package import MediaTypes
import RealTime

/// The events of a source, for tests.
package final class EventRecord: Sendable {
    private struct State: Sendable {
        var samples: [SampleBuffer] = []
        var lost: Int64 = 0
        var ends: [MediaError] = []
        var returns = 0
    }

    private let state = Locked(State())

    package init() {}

    package func receive(_ event: DeviceEvent) {
        state.withLock { state in
            switch event {
            case .sample(let sample): state.samples.append(sample)
            case .lost(let count, _, _): state.lost += count
            case .gone(let error): state.ends.append(error)
            case .back: state.returns += 1
            }
        }
    }

    package var samples: [SampleBuffer] { state.withLock { $0.samples } }
    package var lost: Int64 { state.withLock { $0.lost } }
    package var ends: [MediaError] { state.withLock { $0.ends } }
    package var returns: Int { state.withLock { $0.returns } }

    /// The bytes of each sample.
    package var data: [[UInt8]] {
        samples.map { sample in
            guard case .data(let data) = sample.content else { return [] }
            return Array(data.bytes)
        }
    }
}
