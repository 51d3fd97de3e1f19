import Capture
import MediaTypes
import RealTime

@testable import RecorderService

/// A device that a keeper opens again and again: it is there or not, and every source that it ever was is the test's.
final class FakeDevice: Sendable {
    private struct State {
        var sources: [FakeSource] = []
        var refusal: MediaError?
        var refused = 0
        var make: @Sendable () -> FakeSource
    }

    private let state: Locked<State>

    init(_ make: @escaping @Sendable () -> FakeSource) { state = Locked(State(make: make)) }

    static let unplugged = MediaError(.deviceLost, "lost the camera", reason: "it was unplugged")
    static let missing = MediaError(.notFound, "cannot open the camera", reason: "no such camera")
    static let taken = MediaError(.busy, "cannot open the camera", reason: "in use by another program")

    /// What a keeper calls.
    func open() throws(MediaError) -> any CaptureSource {
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
    func refuse(_ error: MediaError?) { state.withLock { $0.refusal = error } }

    /// As what it is opened from now on.
    func become(_ make: @escaping @Sendable () -> FakeSource) { state.withLock { $0.make = make } }

    var sources: [FakeSource] { state.withLock { $0.sources } }
    var refusedCount: Int { state.withLock { $0.refused } }
    /// The newest source. Opened it must have been.
    var source: FakeSource { state.withLock { $0.sources[$0.sources.count - 1] } }

    /// Goes away: the keeper hears of it on the calling thread.
    func unplug() {
        refuse(Self.missing)
        source.send(.failed(Self.unplugged))
    }
}

/// What a keeper told, in few words.
final class DeviceLog: Sendable {
    private let lines = Locked<[String]>([])

    var told: [String] { lines.withLock { $0 } }

    func receive(_ event: DeviceEvent) {
        let line =
            switch event {
            case .sample(let sample): "sample \(sample.presentationTime.ticks(in: 1000))"
            case .lost(let count, let cause, let near): "lost \(count) \(cause.rawValue) \(near.ticks(in: 1000))"
            case .gone(let error): "gone \(error.code.rawValue)"
            case .back(let format, let rate, _, let since):
                "back \(format.video.map { "\($0.width)" } ?? format.audio.map { "\($0.sampleRate)" } ?? "")"
                    + "\(rate.map { " \($0)" } ?? "") since \(since.ticks(in: 1000))"
            }
        lines.withLock { $0.append(line) }
    }
}
