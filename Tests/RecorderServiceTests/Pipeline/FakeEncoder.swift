import AssetIO
import FakeDevices
import MediaTypes
import RealTime

@testable import RecorderService

/// An encoder that makes a packet of every sample at once, on the thread that brings it.
final class FakeEncoder: TrackEncoder {
    private struct State {
        var receiver: (@Sendable (LiveEncoder.Event) -> Void)?
        var start = MediaTime.zero
        var isOver = false
        var isOverloaded = false
        /// It ends only when it is told to.
        var holdsEnd = false
        var effort: EncodingEffort?
        /// Pictures since the last key frame.
        var position = 0
        var keyFrameWish: MediaTime?
        var ledger = Ledger()
    }

    let source: FormatDescription
    let format: FormatDescription?
    private let group: Int
    private let packetSize: Int
    private let state = Locked(State())

    /// - Parameters:
    ///   - group: pictures from one key frame to the next.
    ///   - packetSize: bytes of a picture's packet.
    init(_ source: FormatDescription, group: Int = 25, packetSize: Int = 10) {
        self.source = source
        self.group = group
        self.packetSize = packetSize
        format =
            switch source {
            case .video(let video): .video(VideoFormat(codec: .h264, width: video.width, height: video.height))
            case .audio(let audio):
                .audio(AudioFormat(codec: .aac, sampleRate: audio.sampleRate, channelCount: audio.channelCount))
            default: nil
            }
    }

    func start(
        at start: MediaTime, after preparation: (@Sendable () -> Void)?,
        receiver: @escaping @Sendable (LiveEncoder.Event) -> Void
    ) throws(MediaError) {
        preparation?()
        state.withLock { state in
            state.start = start
            state.receiver = receiver
        }
    }

    /// Before its start and after its end it refuses and counts nothing, as the real one.
    func append(_ sample: SampleBuffer) -> Bool {
        let made = state.withLock { state -> (SampleBuffer, @Sendable (LiveEncoder.Event) -> Void)? in
            guard let receiver = state.receiver, !state.isOver, let sample = sample.part(from: state.start) else {
                return nil
            }
            let count = Int64(sample.sampleCount)
            state.ledger.captured += count
            guard !state.isOverloaded else {
                state.ledger[dropped: .encoder] += count
                return nil
            }
            state.ledger.written += count
            return (packet(sample, &state), receiver)
        }
        guard let (packet, receiver) = made else { return false }
        receiver(.packet(packet))
        return true
    }

    private func packet(_ sample: SampleBuffer, _ state: inout State) -> SampleBuffer {
        let time = sample.presentationTime
        guard sample.format.mediaType == .video else {
            return SampleBuffer(
                format: format ?? sample.format, content: .data(MediaData([1, 2])), presentationTime: time,
                duration: sample.duration, sampleCount: sample.sampleCount
            ).accounting(for: Int64(sample.sampleCount))
        }
        var isKeyFrame = state.position % group == 0
        if let wish = state.keyFrameWish, time >= wish {
            state.keyFrameWish = nil
            isKeyFrame = true
        }
        state.position = isKeyFrame ? 1 : state.position + 1
        return SampleBuffer(
            format: format ?? sample.format, content: .data(MediaData([UInt8](repeating: 0, count: packetSize))),
            presentationTime: time, duration: milliseconds(40), isKeyFrame: isKeyFrame
        ).accounting(for: 1)
    }

    func noteLoss(_ count: Int64, cause: DropCause) {
        state.withLock { state in
            state.ledger.captured += count
            state.ledger[dropped: cause] += count
        }
    }

    func askForKeyFrame(at time: MediaTime) { state.withLock { $0.keyFrameWish = time } }

    func markAsFinished() { if !state.withLock({ $0.holdsEnd }) { end(nil) } }

    /// Goes on after `markAsFinished`, as one that has much to encode.
    func holdEnd() { state.withLock { $0.holdsEnd = true } }

    /// A frame that it had held back.
    func give(at time: MediaTime) {
        let made = state.withLock { state in
            let frame = SampleBuffer(format: source, content: .data(MediaData([0])), presentationTime: time)
            return state.receiver.map { (packet(frame, &state), $0) }
        }
        if let (packet, receiver) = made { receiver(.packet(packet)) }
    }

    /// It fails, or comes to its end.
    func end(_ error: MediaError?) {
        let receiver = state.withLock { state in
            defer { state.isOver = true }
            return state.isOver ? nil : state.receiver
        }
        receiver?(.ended(error))
    }

    /// So hard it works.
    func work(_ effort: EncodingEffort) { state.withLock { $0.effort = effort } }

    /// From now on it has no time for any sample, or has again.
    func overload(_ isOverloaded: Bool) { state.withLock { $0.isOverloaded = isOverloaded } }

    func join() {}
    var isStarted: Bool { state.withLock { $0.receiver != nil } }
    var isOver: Bool { state.withLock { $0.isOver } }
    var ledger: Ledger { state.withLock { $0.ledger } }
    var dropped: Int64 { ledger.leftOut }
    var queueDepth: Int { 0 }
    var effort: EncodingEffort? { state.withLock { $0.effort } }
    var filledGaps: (count: Int, frames: Int64) { (0, 0) }
    var driftPPM: Double? { nil }
    var syncOffset: Double? { nil }
}

extension SampleBuffer {
    /// What lies at or after a moment, sound to the sample.
    fileprivate func part(from start: MediaTime) -> SampleBuffer? {
        guard presentationTime < start else { return self }
        guard case .audio(let format) = format, case .data(let data) = content, let size = format.bytesPerFrame else {
            return nil
        }
        let skipped = Int((start - presentationTime).ticks(in: Int32(format.sampleRate)))
        guard skipped < sampleCount else { return nil }
        return SampleBuffer(
            pcm: MediaData(Array(data.bytes.dropFirst(skipped * size))), format: format, presentationTime: start)
    }
}

/// Opens encoders, and remembers them. A test can make it take its time, or refuse.
final class FakeEncoders: Sendable {
    private struct State {
        var made: [FakeEncoder] = []
        var isHeld = false
        var error: MediaError?
    }

    private let group: Int
    private let packetSize: Int
    private let state = Locked(State())

    init(group: Int = 25, packetSize: Int = 10) {
        self.group = group
        self.packetSize = packetSize
    }

    func make(_ format: FormatDescription) throws(MediaError) -> any TrackEncoder {
        let result: Result<FakeEncoder, MediaError> = state.waiting { state in
            guard !state.isHeld else { return nil }
            if let error = state.error { return .failure(error) }
            let encoder = FakeEncoder(format, group: self.group, packetSize: self.packetSize)
            state.made.append(encoder)
            return .success(encoder)
        }
        return try result.get()
    }

    /// Opening takes until it is let go.
    func hold(_ isHeld: Bool) {
        state.withLock { $0.isHeld = isHeld }
        state.broadcast()
    }

    func refuse(_ error: MediaError?) { state.withLock { $0.error = error } }

    func made(_ type: MediaType) -> [FakeEncoder] {
        state.withLock { $0.made }.filter { $0.source.mediaType == type }
    }
}
