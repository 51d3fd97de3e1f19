import Capture
import Foundation
import MediaTypes
import RealTime

@testable import RecorderService

/// A device whose every event the test sends.
final class FakeSource: CaptureSource {
    let format: FormatDescription
    let summary = "a device of the test"
    private let receiver = Locked<(@Sendable (CaptureEvent) -> Void)?>(nil)
    private let stopped = Locked(false)

    init(_ format: FormatDescription) { self.format = format }

    static func camera() -> FakeSource { FakeSource(.video(VideoFormat(pixelFormat: .nv12, width: 64, height: 32))) }
    static func microphone() -> FakeSource {
        FakeSource(.audio(AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 1)))
    }

    var isStarted: Bool { receiver.withLock { $0 != nil } }
    var isStopped: Bool { stopped.withLock { $0 } }

    func start(_ receiver: @escaping @Sendable (CaptureEvent) -> Void) throws(MediaError) {
        self.receiver.withLock { $0 = receiver }
    }

    func stop() { stopped.withLock { $0 = true } }

    /// As a device's thread would; a stopped device is silent.
    func send(_ event: CaptureEvent) {
        guard !isStopped, let receiver = receiver.withLock({ $0 }) else { return }
        receiver(event)
    }

    func frame(at time: Int) {
        let layout = PixelLayout(format: .nv12, width: 64, height: 32)
        let pixels = PixelBuffer(layout: layout, data: MediaData([UInt8](repeating: 0, count: layout.byteCount)))
        send(.sample(SampleBuffer(pixels: pixels, presentationTime: milliseconds(time))))
    }

    func block(at time: Int) { send(.sample(sound(at: time))) }
}

struct FakeOpener: SourceOpener {
    var sources = RecordingSources()
    var error: MediaError?

    func open(_ configuration: RecordingConfiguration) throws(MediaError) -> RecordingSources {
        if let error { throw error }
        return sources
    }
}

/// A movie that remembers what it was told.
final class FakeSink: MovieSink {
    struct Log: Equatable {
        var sessionStart: MediaTime?
        var end: MediaTime?
        var isStarted = false
        var isFinished = false
        var isCancelled = false
    }

    let videoTrack = FakeTrack()
    let audioTrack = FakeTrack()
    private let hasVideo: Bool
    private let hasAudio: Bool
    private let log = Locked(Log())
    private let events: AsyncStream<MovieSinkEvent>
    private let continuation: AsyncStream<MovieSinkEvent>.Continuation

    init(hasVideo: Bool = true, hasAudio: Bool = true) {
        self.hasVideo = hasVideo
        self.hasAudio = hasAudio
        (events, continuation) = AsyncStream.makeStream()
    }

    var video: (any TrackSink)? { hasVideo ? videoTrack : nil }
    var audio: (any TrackSink)? { hasAudio ? audioTrack : nil }
    var bytesWritten: Int64 { 1000 }
    var told: Log { log.withLock { $0 } }

    func send(_ event: MovieSinkEvent) { continuation.yield(event) }
    func forEachEvent(_ body: @Sendable (MovieSinkEvent) -> Void) async { for await event in events { body(event) } }
    func start() throws(MediaError) { log.withLock { $0.isStarted = true } }
    func startSession(at time: MediaTime) throws(MediaError) { log.withLock { $0.sessionStart = time } }
    func finish(endingAt end: MediaTime) async throws(MediaError) {
        log.withLock { log in
            log.end = end
            log.isFinished = true
        }
    }
    func cancel() { log.withLock { $0.isCancelled = true } }
}

final class FakeTrack: TrackSink {
    private let state = Locked((times: [MediaTime](), ledger: Ledger(), isFinished: false))

    /// In milliseconds, in the order they were appended.
    var times: [Int64] { state.withLock { $0.times.map { $0.ticks(in: 1000) } } }
    var isFinished: Bool { state.withLock { $0.isFinished } }
    var ledger: Ledger { state.withLock { $0.ledger } }
    var queueDepth: Int { 0 }
    var filledGaps: (count: Int, frames: Int64) { (0, 0) }

    func append(_ sample: SampleBuffer) {
        state.withLock { state in
            state.times.append(sample.presentationTime)
            state.ledger.captured += Int64(sample.sampleCount)
            state.ledger.written += Int64(sample.sampleCount)
        }
    }

    func noteLoss(count: Int64, cause: DropCause) {
        state.withLock { state in
            state.ledger.captured += count
            state.ledger[dropped: cause] += count
        }
    }

    func markAsFinished() { state.withLock { $0.isFinished = true } }
}

/// A condition did not become true in time.
struct TooLate: Error {}

/// Waits for a condition, ten seconds at most.
func eventually(_ condition: () -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(10)
    while !condition() {
        guard ContinuousClock.now < deadline else { throw TooLate() }
        try await Task.sleep(for: .milliseconds(2))
    }
}
