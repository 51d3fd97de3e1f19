import AssetIO
import FakeDevices
import MediaTypes
import RealTime

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// An encoder that turns each sample into a packet at once, on the caller's thread.
final class FakeEncoder: EncoderGeneration {
    private struct State {
        var isStarted = false
        var start = MediaTime.zero
        var isOver = false
        var error: MediaError?
        var isOverloaded = false
        var queueDepth = 0
        /// True if the encoder ends only when `end` is called.
        var holdsEnd = false
        var effort: EncodingEffort?
        var copyReason: MediaError?
        var silencedValues: Int64 = 0
        /// The reason why each sample is damaged; nil if none is.
        var damage: MediaError?
        var damaged: Int64 = 0
        /// The number of frames since the last keyframe.
        var position = 0
        var keyframeRequest: MediaTime?
        var ledger = Ledger()
    }

    let source: FormatDescription
    let format: FormatDescription?
    private let sink: (any PacketSink)?
    private let group: Int
    private let packetSize: Int
    private let state = Locked(State())

    /// - Parameters:
    ///   - sink: accepts the packets; nil: there is none.
    ///   - group: frames from one keyframe to the next.
    ///   - packetSize: bytes of a frame's packet.
    init(_ source: FormatDescription, sink: (any PacketSink)? = nil, group: Int = 25, packetSize: Int = 10) {
        self.source = source
        self.sink = sink
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

    func start(at start: MediaTime, after preparation: (@Sendable () -> Void)?) throws(MediaError) {
        preparation?()
        state.withLock { state in
            state.start = start
            state.isStarted = true
        }
    }

    /// Refuses samples before its start and after its end, and does not count them, like the real one.
    func append(_ sample: SampleBuffer) -> Bool {
        let made = state.withLock { state -> SampleBuffer? in
            guard state.isStarted, !state.isOver, let sample = sample.part(from: state.start) else { return nil }
            let count = Int64(sample.sampleCount)
            state.ledger.captured += count
            guard !state.isOverloaded else {
                state.ledger[dropped: .encoder] += count
                return nil
            }
            guard state.damage == nil else {
                state.ledger[dropped: .corrupt] += count
                state.damaged += 1
                return nil
            }
            state.damaged = 0
            return packet(sample, &state)
        }
        guard let made else { return false }
        sink?.accept(made, accountsFor: made.ledgerCount)
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
        var isKeyframe = state.position % group == 0
        if let wish = state.keyframeRequest, time >= wish {
            state.keyframeRequest = nil
            isKeyframe = true
        }
        state.position = isKeyframe ? 1 : state.position + 1
        return SampleBuffer(
            format: format ?? sample.format, content: .data(MediaData([UInt8](repeating: 0, count: packetSize))),
            presentationTime: time, duration: milliseconds(40), isKeyframe: isKeyframe
        ).accounting(for: 1)
    }

    func recordLoss(_ count: Int64, cause: DropCause) {
        state.withLock { state in
            state.ledger.captured += count
            state.ledger[dropped: cause] += count
        }
    }

    func requestKeyframe(at time: MediaTime) { state.withLock { $0.keyframeRequest = time } }
    func requestAnotherKeyframe(at time: MediaTime) { requestKeyframe(at: time) }

    func markAsFinished() { if !state.withLock({ $0.holdsEnd }) { end(nil) } }

    /// Keeps the encoder running after `markAsFinished`, like one with much left to encode.
    func holdEnd() { state.withLock { $0.holdsEnd = true } }

    /// Emits a frame that the encoder had held back.
    func give(at time: MediaTime) {
        let made = state.withLock { state -> SampleBuffer? in
            guard state.isStarted else { return nil }
            state.ledger.captured += 1
            let frame = SampleBuffer(format: source, content: .data(MediaData([0])), presentationTime: time)
            return packet(frame, &state)
        }
        if let made { sink?.accept(made, accountsFor: made.ledgerCount) }
    }

    /// Ends the encoder, with an error or without.
    func end(_ error: MediaError?) {
        let endsNow = state.withLock { state in
            defer { state.isOver = true }
            guard state.isStarted, !state.isOver else { return false }
            state.error = error
            return true
        }
        if endsNow { sink?.end(at: nil) }
    }

    /// Sets the effort.
    func work(_ effort: EncodingEffort) { state.withLock { $0.effort = effort } }

    /// Sets the reason for which the encoder copies frames.
    func copy(because reason: MediaError) { state.withLock { $0.copyReason = reason } }

    /// Sets the number of invalid values that became silence.
    func silence(_ count: Int64) { state.withLock { $0.silencedValues = count } }

    /// Sets the reason why each sample from now on is damaged; nil: the samples are intact.
    func damage(because reason: MediaError?) { state.withLock { $0.damage = reason } }

    /// Sets whether the encoder refuses every sample as overloaded.
    func overload(_ isOverloaded: Bool) { state.withLock { $0.isOverloaded = isOverloaded } }

    func join() {}
    func recordHandedOn(_ count: Int64) { state.withLock { $0.ledger.written += count } }
    var error: MediaError? { state.withLock { $0.error } }
    var isStarted: Bool { state.withLock { $0.isStarted } }
    var isOver: Bool { state.withLock { $0.isOver } }
    var ledger: Ledger { state.withLock { $0.ledger } }
    var dropped: Int64 { ledger.leftOut }
    var queueDepth: Int { state.withLock { $0.queueDepth } }
    /// Sets the number of samples that seem to wait.
    func wait(_ count: Int) { state.withLock { $0.queueDepth = count } }
    var facts: EncoderFacts {
        state.withLock { state in
            let damage = state.damage.map { DamagedSamples(count: state.damaged, error: $0) }
            return EncoderFacts(
                silencedValues: state.silencedValues, effort: state.effort, copyReason: state.copyReason,
                damage: state.damaged > 0 ? damage : nil)
        }
    }
}

extension SampleBuffer {
    /// The part of the sample at or after `start`; audio is cut to the audio frame.
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

/// A factory that remembers its encoders. A test can delay or refuse an opening.
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

    func make(_ format: FormatDescription, _ sink: any PacketSink) throws(MediaError) -> any EncoderGeneration {
        let result: Result<FakeEncoder, MediaError> = state.waiting { state in
            guard !state.isHeld else { return nil }
            if let error = state.error { return .failure(error) }
            let encoder = FakeEncoder(format, sink: sink, group: self.group, packetSize: self.packetSize)
            state.made.append(encoder)
            return .success(encoder)
        }
        return try result.get()
    }

    /// Blocks every opening while `isHeld` is true.
    func hold(_ isHeld: Bool) {
        state.withLock { $0.isHeld = isHeld }
        state.broadcast()
    }

    func refuse(_ error: MediaError?) { state.withLock { $0.error = error } }

    func made(_ type: MediaType) -> [FakeEncoder] {
        state.withLock { $0.made }.filter { $0.source.mediaType == type }
    }
}
