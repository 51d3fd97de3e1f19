import MediaTypes
import RealTime

@testable import AssetIO

/// An encoder that stores one byte for each sample, records its calls, and fails on request.
final class FakeTrackEncoder: TrackEncoder {
    static let format = FormatDescription.video(VideoFormat(codec: .mjpeg, width: 64, height: 48))

    enum Call: Equatable, Sendable {
        case opened(Int)
        case encoded(Int, MediaTime)
        case finished(Int)
        case closed(Int)
    }

    private let pass: Int
    private let calls: Locked<[Call]>
    private let failsAfter: Int
    private var count = 0

    /// - Parameter failsAfter: the number of samples that are encoded before it fails.
    init(pass: Int = 1, calls: Locked<[Call]> = Locked([]), failsAfter: Int = .max) {
        self.pass = pass
        self.calls = calls
        self.failsAfter = failsAfter
        calls.withLock { $0.append(.opened(pass)) }
    }

    deinit { calls.withLock { [pass] in $0.append(.closed(pass)) } }

    static let failure = MediaError(.codecFailure, "cannot encode", reason: "the test says so")

    var format: FormatDescription? { Self.format }
    var timeScale: Int32 { 1_000_000 }

    func encode(_ sample: SampleBuffer, output: Output) throws(MediaError) {
        guard count < failsAfter else { throw Self.failure }
        count += 1
        calls.withLock { [pass] in $0.append(.encoded(pass, sample.presentationTime)) }
        output(
            SampleBuffer(
                format: Self.format, content: .data(MediaData([UInt8(truncatingIfNeeded: count)])),
                presentationTime: sample.presentationTime, duration: sample.duration), 1)
    }

    func finish(output: Output) { calls.withLock { [pass] in $0.append(.finished(pass)) } }
}
