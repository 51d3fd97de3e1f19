import MediaTypes
import RTSP

/// Turns the packets of one stream into samples with their times of capture. A value that one thread uses.
///
/// Samples get their times after all packets that have arrived were read (`CameraReception`). Samples of video pass
/// through `FrameReception`. Missing audio is counted from the RTP times.
struct StreamReception: Sendable {
    let type: MediaType
    /// The stream's number in the session and in the clock.
    private let index: Int
    private let clockRate: Int64
    private var receiver: RTPReceiver
    private var depacketizer: any Depacketizer
    /// The items of received packets whose samples have no times yet.
    private var items: [DepacketizedItem] = []
    /// The results of earlier items, which already have their times.
    private var results: [ReceptionOutput] = []
    /// The RTP time of the latest packet; nil before it.
    private var latest: Int64?
    private var law: LawDecoder?
    private let keepsOpus: Bool
    private var opus: OpusDecoder?
    /// The format of the samples; nil before the first one.
    private(set) var format: FormatDescription?
    /// The frames of video.
    private var frames: FrameReception
    /// True once audio arrived.
    private var hasAudio = false
    /// The beginning of the stream as the response to PLAY states it. Cleared by the first packet after that.
    var beginning: RTPInfo.Stream?
    /// The RTP time of the end of the latest audio.
    private var lastEnd: Int64?
    /// The number of audio frames already counted as lost after the latest sample.
    private var counted: Int64 = 0
    private var unsupported: String?

    /// A step of the RTP time by more than these milliseconds may be a jump of the camera's clock.
    private static let shortestJump: Int64 = 200

    /// - Parameters:
    ///   - mostDelay: The maximum wait for a missing packet in nanoseconds.
    ///   - keepsOpus: True to deliver audio in Opus in packets; false to decode it.
    ///   - keyframeInterval: The time between two keyframes in nanoseconds; nil if unknown.
    init(
        _ stream: SessionStream, index: Int, mostDelay: Int64, keepsOpus: Bool, keyframeInterval: Int64?
    ) throws(MediaError) {
        self.index = index
        self.keepsOpus = keepsOpus
        type = stream.description.kind == .audio ? .audio : .video
        clockRate = Int64(max(1, stream.format.clockRate))
        frames = FrameReception(
            clockRate: clockRate, frameRate: stream.description.frameRate, keyframeInterval: keyframeInterval)
        depacketizer = try stream.format.makeDepacketizer()
        receiver = RTPReceiver(
            payloadTypes: [stream.format.payloadType], clockRate: stream.format.clockRate, mostDelay: mostDelay)
    }

    var account: ReceptionAccount { receiver.account }
    /// The time between two keyframes in nanoseconds; nil for audio, and until it is known.
    var keyframeInterval: Int64? { type == .video ? frames.keyframeInterval : nil }
    /// The time at which `poll` has something to do.
    var deadline: Int64? { receiver.deadline }
    /// The reason why the stream has no samples, if the camera's stream is not supported.
    var problem: String? { unsupported }
    /// The encoding that the camera sends, if samples are decoded; else nil.
    var decoded: String? { law != nil ? "G.711" : opus != nil ? "Opus" : nil }

    /// The format of the samples as the camera describes it, before the first sample; nil if only packets show it.
    var describedFormat: FormatDescription? {
        guard let described = depacketizer.describedFormat else { return nil }
        if let audio = described.audio, LawDecoder.Law(rawValue: audio.codec.rawValue) != nil {
            return Self.decodedLaw(audio)
        }
        return described
    }

    mutating func receive(_ packet: [UInt8], at now: Int64, _ clock: inout CameraClock) {
        take(receiver.receive(packet, at: now), &clock)
    }

    /// Continues without packets that have been missing for long enough.
    mutating func poll(now: Int64, _ clock: inout CameraClock) { take(receiver.poll(now: now), &clock) }

    /// Appends the results of the packets since the last call.
    mutating func deliver(_ clock: inout CameraClock, _ output: inout [ReceptionOutput]) {
        if !results.isEmpty {
            output += results
            results.removeAll(keepingCapacity: true)
        }
        place(&clock, &output)
    }

    /// Accepts a packet of RTCP.
    mutating func receiveControl(_ packet: [UInt8], at now: Int64, wall: Int64, _ clock: inout CameraClock) {
        for part in RTCPPacket.parse(packet) {
            // Some cameras send the reports of another stream too.
            guard case .senderReport(let report) = part, receiver.source == nil || receiver.source == report.source
            else { continue }
            receiver.note(report, at: now)
            clock.report(report, stream: index, at: now, wall: wall)
        }
    }

    mutating func reportBlock(now: Int64) -> ReceptionBlock? { receiver.reportBlock(now: now) }

    private mutating func take(_ events: [ReceiverEvent], _ clock: inout CameraClock) {
        for event in events {
            switch event {
            case .began:
                depacketizer.flush(to: &items)
                placeBefore(&clock)
                clock.restart(stream: index)
                (lastEnd, counted, latest) = (nil, 0, nil)
                frames.restart()
            case .packet(let packet):
                if let latest, (packet.time &- latest).magnitude > UInt64(clockRate * Self.shortestJump / 1000) {
                    placeBefore(&clock)
                }
                latest = packet.time
                if clock.observe(packet.time, stream: index, at: packet.arrival) {
                    (lastEnd, counted) = (nil, 0)
                    frames.continueAfterJump(to: packet.time)
                }
                relate(packet, &clock)
                depacketizer.add(packet, to: &items)
            }
        }
    }

    /// Computes the times of the waiting samples. Called before a new packet is added if its RTP time may not be
    /// related to theirs.
    private mutating func placeBefore(_ clock: inout CameraClock) {
        guard !items.isEmpty else { return }
        var placed = results
        results = []
        place(&clock, &placed)
        results = placed
    }

    /// Uses the beginning that the response to PLAY states, if the stated sequence number is near the packet's. Only
    /// then does the response describe this stream.
    private mutating func relate(_ packet: ReceivedPacket, _ clock: inout CameraClock) {
        guard let beginning else { return }
        self.beginning = nil
        let distance = beginning.sequence.map { Int16(bitPattern: packet.packet.sequence &- $0) } ?? 0
        guard let time = beginning.time, distance.magnitude <= RTPReceiver.mostForward else { return }
        clock.begin(at: time, stream: index)
    }

    private mutating func place(_ clock: inout CameraClock, _ output: inout [ReceptionOutput]) {
        for item in items {
            switch item {
            case .format(let format): change(to: format, &output)
            case .sample(let sample): deliver(sample, &clock, &output)
            case .dropped(let count, let reason, let ticks):
                guard type == .video ? frames.hasBegun : hasAudio else { continue }
                if type == .video {
                    frames.addDropped(ticks, count: count)
                } else if lastEnd.map({ ticks >= $0 }) ?? true {
                    counted += count
                }
                let cause: DropCause = reason == .damaged ? .device : .corrupt
                let time = clock.time(of: ticks, stream: index)
                output.lose(count, of: type, cause, near: time)
            case .unsupported(let text): refuse(text, &output)
            }
        }
        items.removeAll(keepingCapacity: true)
    }

    private mutating func refuse(_ text: String, _ output: inout [ReceptionOutput]) {
        unsupported = text
        output.append(.notice("the camera sends something that is not supported: \(text)"))
    }

    private mutating func change(to stored: FormatDescription, _ output: inout [ReceptionOutput]) {
        var new = stored
        if let audio = stored.audio, let kind = LawDecoder.Law(rawValue: audio.codec.rawValue) {
            if law == nil { law = LawDecoder(kind) }
            new = Self.decodedLaw(audio)
        }
        if let audio = stored.audio, audio.codec == .opus, !keepsOpus {
            do throws(MediaError) {
                if opus == nil { opus = try OpusDecoder(audio) }
            } catch {
                return refuse("Opus (\(error.reason))", &output)
            }
            if let opus { new = .audio(opus.format) }
        }
        if let format, !Self.isSameTrack(format, new) { output.append(.changed(type)) }
        format = new
    }

    /// Returns the format that G.711 is decoded to.
    private static func decodedLaw(_ audio: AudioFormat) -> FormatDescription {
        .audio(AudioFormat(pcm: .s16, sampleRate: audio.sampleRate, channelCount: audio.channelCount))
    }

    /// Returns true if one track can have samples of both formats. A camera may change its parameter sets at a
    /// keyframe, and each sample is stored with its own sets.
    private static func isSameTrack(_ one: FormatDescription, _ other: FormatDescription) -> Bool {
        guard one != other else { return true }
        guard let first = one.video, let second = other.video else { return false }
        return first.codec == second.codec && !first.decoderConfiguration.isEmpty
            && !second.decoderConfiguration.isEmpty
    }

    private mutating func deliver(
        _ sample: NetworkSample, _ clock: inout CameraClock, _ output: inout [ReceptionOutput]
    ) {
        guard let format else { return }
        if type == .video, frames.jumpsBack(at: sample) {
            clock.jump(to: sample.time, stream: index, at: sample.arrival)
            frames.continueAfterJump(to: sample.time)
        }
        let time = clock.time(of: sample.time, stream: index)
        guard time.isNumeric else { return }
        if let audio = format.audio {
            deliver(sample, audio, at: time, &output)
        } else {
            frames.deliver(sample, format, at: time, &output)
        }
    }

    private mutating func deliver(
        _ sample: NetworkSample, _ format: AudioFormat, at time: MediaTime, _ output: inout [ReceptionOutput]
    ) {
        let rate = Int64(max(1, format.sampleRate))
        if let lastEnd, sample.lostPackets > 0, sample.time > lastEnd {
            let ticks = Int128(sample.time) - Int128(lastEnd)
            let missing = Int64(clamping: ticks * Int128(rate) / Int128(clockRate)) - counted
            output.lose(missing, of: .audio, .device, near: time)
        }
        hasAudio = true
        let length = Int64(clamping: Int128(sample.frameCount) * Int128(clockRate) / Int128(rate))
        (lastEnd, counted) = (sample.time &+ length, 0)
        guard let (data, frames) = decode(sample, format) else {
            return output.lose(Int64(sample.frameCount), of: .audio, .corrupt, near: time)
        }
        guard frames > 0 else { return }
        output.append(
            .sample(
                SampleBuffer(
                    format: .audio(format), content: .data(data), presentationTime: time,
                    duration: MediaTime(value: Int64(frames), timescale: Int32(clamping: format.sampleRate)),
                    sampleCount: frames)))
    }

    /// Returns the audio of a packet in the format of the samples, and its number of audio frames; nil if the packet is
    /// damaged.
    private func decode(_ sample: NetworkSample, _ format: AudioFormat) -> (data: MediaData, frames: Int)? {
        if let opus {
            guard let data = opus.decode(sample.data, frameCount: sample.frameCount) else { return nil }
            return (data, data.count / max(1, format.bytesPerFrame ?? 1))
        }
        return (law?.decode(sample.data) ?? sample.data, sample.frameCount)
    }
}
