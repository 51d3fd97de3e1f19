package import Capture
import RealTime

/// The events of a keeper as short texts.
package final class DeviceLog: Sendable {
    private let lines = Locked<[String]>([])

    package init() {}

    package var told: [String] { lines.withLock { $0 } }

    package func receive(_ event: DeviceEvent) {
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
