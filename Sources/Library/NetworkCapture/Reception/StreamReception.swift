import MediaTypes
import RTSP

/// Turns the packets of one stream into samples with their times of capture. A value that one thread uses.
///
/// A frame of which packets are missing is lost, and so are the frames after a keyframe that is lost, up to the next
/// one: they cannot be decoded. Whole frames that are missing are counted by the RTP times, if packets are missing too.
/// One of them may have been a keyframe, if the next keyframe was due.
struct StreamReception: Sendable {
    let type: MediaType
    /// The stream's number in the session and in the clock.
    private let index: Int
    private let clockRate: Int64
    private var receiver: RTPReceiver
    private var depacketizer: any Depacketizer
    /// The items of the latest packet; kept for its memory.
    private var items: [DepacketizedItem] = []
    private var law: LawDecoder?
    /// The format of the samples; nil before the first one.
    private(set) var format: FormatDescription?
    /// True until a keyframe arrives, after which decoding can continue.
    private var needsKeyframe = true
    /// True once a keyframe arrived. Before it nothing can be decoded, and nothing counts as captured.
    private var hasBegun = false
    /// The RTP time of the latest keyframe that was delivered, and the distance of the latest two without a loss between
    /// them.
    private var keyframe: (time: Int64, isFollowedByLoss: Bool)?
    private var keyframeDistance: Int64?
    /// The RTP time of the latest sample, and that of its end for audio.
    private var last: (start: Int64, end: Int64)?
    /// The distance of the latest two frames in RTP time.
    private var interval: Int64 = 0
    /// The frames, or audio frames, after the latest sample that count as lost already.
    private var counted: Int64 = 0
    private var hasReportedOrder = false
    private var unsupported: String?

    /// - Parameter mostDelay: the maximum wait for a missing packet in nanoseconds.
    init(_ stream: SessionStream, index: Int, mostDelay: Int64) throws(MediaError) {
        self.index = index
        type = stream.description.kind == .audio ? .audio : .video
        clockRate = Int64(max(1, stream.format.clockRate))
        depacketizer = try stream.format.makeDepacketizer()
        receiver = RTPReceiver(
            payloadTypes: [stream.format.payloadType], clockRate: stream.format.clockRate, mostDelay: mostDelay)
    }

    var account: ReceptionAccount { receiver.account }
    /// The time at which `poll` has something to do.
    var deadline: Int64? { receiver.deadline }
    /// The reason why the stream has no samples, if the camera's stream is not supported.
    var problem: String? { unsupported }

    mutating func receive(
        _ packet: [UInt8], at now: Int64, _ clock: inout CameraClock, _ output: inout [ReceptionOutput]
    ) {
        take(receiver.receive(packet, at: now), &clock, &output)
    }

    /// Continues without packets that have been missing for long enough.
    mutating func poll(now: Int64, _ clock: inout CameraClock, _ output: inout [ReceptionOutput]) {
        take(receiver.poll(now: now), &clock, &output)
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

    private mutating func take(
        _ events: [ReceiverEvent], _ clock: inout CameraClock, _ output: inout [ReceptionOutput]
    ) {
        for event in events {
            switch event {
            case .began:
                depacketizer.flush(to: &items)
                deliver(&clock, &output)
                clock.restart(stream: index)
                (last, counted, needsKeyframe, keyframe) = (nil, 0, true, nil)
            case .packet(let packet):
                clock.observe(packet.time, stream: index, at: packet.arrival)
                depacketizer.add(packet, to: &items)
                deliver(&clock, &output)
            }
        }
    }

    private mutating func deliver(_ clock: inout CameraClock, _ output: inout [ReceptionOutput]) {
        for item in items {
            switch item {
            case .format(let format): change(to: format, &output)
            case .sample(let sample): deliver(sample, &clock, &output)
            case .dropped(let count, let reason, let ticks):
                guard hasBegun else { continue }
                if isAfterLast(ticks) { counted += count }
                let cause: DropCause = reason == .damaged ? .device : .corrupt
                let time = clock.time(of: ticks, stream: index)
                lose(count, cause, near: time, &output)
            case .unsupported(let text):
                unsupported = text
                output.append(.notice("the camera sends what is not supported: \(text)"))
            }
        }
        items.removeAll(keepingCapacity: true)
    }

    /// Returns true if a dropped sample is not a part of the latest delivered one.
    private func isAfterLast(_ ticks: Int64) -> Bool {
        guard let last else { return true }
        return type == .video ? ticks > last.start : ticks >= last.end
    }

    private func lose(_ count: Int64, _ cause: DropCause, near time: MediaTime, _ output: inout [ReceptionOutput]) {
        guard count > 0, time.isNumeric else { return }
        output.append(.lost(type, count: count, cause: cause, near: time))
    }

    private mutating func change(to stored: FormatDescription, _ output: inout [ReceptionOutput]) {
        var new = stored
        if let audio = stored.audio, let kind = LawDecoder.Law(rawValue: audio.codec.rawValue) {
            if law == nil { law = LawDecoder(kind) }
            new = .audio(AudioFormat(pcm: .s16, sampleRate: audio.sampleRate, channelCount: audio.channelCount))
        }
        if let format, !Self.isSameTrack(format, new) { output.append(.changed(type)) }
        format = new
    }

    /// Returns true if one track can have samples of both formats: a camera may change its parameter sets at a keyframe,
    /// and each sample is stored with its own.
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
        let time = clock.time(of: sample.time, stream: index)
        guard time.isNumeric else { return }
        if let audio = format.audio {
            deliver(sample, audio, at: time, &output)
        } else {
            deliver(sample, format, at: time, &output)
        }
    }

    private mutating func deliver(
        _ sample: NetworkSample, _ format: FormatDescription, at time: MediaTime, _ output: inout [ReceptionOutput]
    ) {
        guard hasBegun || sample.isKeyframe else { return }
        hasBegun = true
        if let last {
            let step = sample.time - last.start
            // Frames that are shown before earlier ones need decode times, which RTP does not have.
            if step <= 0, step > -clockRate {
                if !hasReportedOrder {
                    output.append(
                        .notice(
                            "the camera sends B-frames, which are not recorded: switch them off in its settings, or "
                                + "select the profile Baseline"))
                }
                hasReportedOrder = true
                return lose(1, .corrupt, near: time, &output)
            }
            if mayHaveLostKeyframe(before: sample, step: step) { needsKeyframe = true }
            let missing = missingFrames(before: sample, step: step)
            lose(missing, .device, near: time, &output)
        }
        if sample.lostPackets > 0 { keyframe?.isFollowedByLoss = true }
        (last, counted) = ((start: sample.time, end: sample.time), 0)
        let isUsable = !sample.isDamaged && (sample.isKeyframe || !needsKeyframe)
        guard isUsable else {
            if sample.isKeyframe { needsKeyframe = true }
            return lose(1, .device, near: time, &output)
        }
        needsKeyframe = false
        if sample.isKeyframe {
            if let keyframe, !keyframe.isFollowedByLoss { keyframeDistance = sample.time - keyframe.time }
            keyframe = (sample.time, false)
        }
        output.append(
            .sample(
                SampleBuffer(
                    format: format, content: .data(sample.data), presentationTime: time,
                    isKeyframe: sample.isKeyframe)))
    }

    /// Returns true if whole frames are missing before a frame, and a keyframe was due among them. Until the distance of
    /// keyframes is known, it is assumed to be a second.
    private func mayHaveLostKeyframe(before sample: NetworkSample, step: Int64) -> Bool {
        guard sample.lostPackets > 0, step > interval + interval / 2, let keyframe else { return false }
        return sample.time - keyframe.time > (keyframeDistance ?? clockRate) - interval / 2
    }

    /// Returns the number of complete frames that are missing before a frame: as many as fit, without those that count
    /// as lost already, and not more than the packets that are missing.
    private mutating func missingFrames(before sample: NetworkSample, step: Int64) -> Int64 {
        guard sample.lostPackets > 0 else {
            if step > 0, counted == 0 { interval = step }
            return 0
        }
        guard interval > 0, step > interval else { return 0 }
        return max(0, min(sample.lostPackets, (step + interval / 2) / interval - 1 - counted))
    }

    private mutating func deliver(
        _ sample: NetworkSample, _ format: AudioFormat, at time: MediaTime, _ output: inout [ReceptionOutput]
    ) {
        let rate = Int64(max(1, format.sampleRate))
        if let last, sample.lostPackets > 0, sample.time > last.end {
            let ticks = Int128(sample.time) - Int128(last.end)
            let missing = Int64(clamping: ticks * Int128(rate) / Int128(clockRate)) - counted
            lose(missing, .device, near: time, &output)
        }
        hasBegun = true
        let length = Int64(clamping: Int128(sample.frameCount) * Int128(clockRate) / Int128(rate))
        (last, counted) = ((start: sample.time, end: sample.time &+ length), 0)
        let data = law?.decode(sample.data) ?? sample.data
        output.append(
            .sample(
                SampleBuffer(
                    format: .audio(format), content: .data(data), presentationTime: time,
                    duration: MediaTime(
                        value: Int64(sample.frameCount), timescale: Int32(clamping: format.sampleRate)),
                    sampleCount: sample.frameCount)))
    }
}
