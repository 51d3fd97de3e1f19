import MediaTypes
import RTSP

/// Turns the packets of one stream into samples with their times of capture. A value that one thread uses.
///
/// A frame of which packets are missing is lost, and so are the frames after a keyframe that is lost, up to the next
/// one, and the leading frames of that one: they cannot be decoded. Whole frames that are missing are counted by the
/// RTP times, if packets are missing too. One of them may have been a keyframe, if the next keyframe was due.
///
/// Frames come in decode order. If some are shown before earlier ones, all get decode times (`FrameOrder`).
struct StreamReception: Sendable {
    let type: MediaType
    /// The stream's number in the session and in the clock.
    private let index: Int
    private let clockRate: Int64
    private var receiver: RTPReceiver
    private var depacketizer: any Depacketizer
    /// The items of the packets that were received and whose samples have no times yet.
    private var items: [DepacketizedItem] = []
    /// The results that had to be computed before the others.
    private var results: [ReceptionOutput] = []
    /// The RTP time of the latest packet; nil before it.
    private var latest: Int64?
    private var law: LawDecoder?
    private let keepsOpus: Bool
    private var opus: OpusDecoder?
    /// The format of the samples; nil before the first one.
    private(set) var format: FormatDescription?
    /// Selects the frames that can be decoded.
    private var entry = DecodingEntry(needsKeyframe: true)
    private var order: FrameOrder
    private var gaps: FrameGaps
    /// True once a keyframe arrived. Before it nothing can be decoded, and nothing counts as captured.
    private var hasBegun = false
    /// The RTP time of the latest keyframe that was delivered, and the distance of the latest two without a loss between
    /// them.
    private var keyframe: (time: Int64, isFollowedByLoss: Bool)?
    private var keyframeDistance: Int64?
    /// The RTP time of that keyframe; nil before it, and once it has no relation to the next times.
    private var firstTicks: Int64?
    /// The beginning of the stream by the response to PLAY, until a packet came after it.
    var beginning: RTPInfo.Stream?
    /// The RTP time of the end of the latest audio.
    private var lastEnd: Int64?
    /// The audio frames after the latest sample that count as lost already.
    private var counted: Int64 = 0
    private var hasReportedOrder = false
    private var unsupported: String?

    /// The maximum distance of a packet from the stated beginning of its stream: the packets that may be lost at once
    /// (`RTPReceiver`).
    private static let mostDistance = 3000
    /// A step of the RTP time by these milliseconds may be a jump of the camera's clock.
    private static let shortestJump: Int64 = 200

    /// - Parameters:
    ///   - mostDelay: the maximum wait for a missing packet in nanoseconds.
    ///   - keepsOpus: true to deliver audio in Opus in packets; false to decode it.
    init(_ stream: SessionStream, index: Int, mostDelay: Int64, keepsOpus: Bool) throws(MediaError) {
        self.index = index
        self.keepsOpus = keepsOpus
        type = stream.description.kind == .audio ? .audio : .video
        clockRate = Int64(max(1, stream.format.clockRate))
        gaps = FrameGaps(clockRate: clockRate)
        let rate = stream.description.frameRate.flatMap { $0 >= 1 && $0 <= 240 ? $0 : nil }
        order = rate.map { FrameOrder(frameDuration: Int64(clamping: 1e9 / $0)) } ?? FrameOrder()
        depacketizer = try stream.format.makeDepacketizer()
        receiver = RTPReceiver(
            payloadTypes: [stream.format.payloadType], clockRate: stream.format.clockRate, mostDelay: mostDelay)
    }

    var account: ReceptionAccount { receiver.account }
    /// The time at which `poll` has something to do.
    var deadline: Int64? { receiver.deadline }
    /// The reason why the stream has no samples, if the camera's stream is not supported.
    var problem: String? { unsupported }
    /// The encoding that the camera sends, if samples are decoded; else nil.
    var decoded: String? { law != nil ? "G.711" : opus != nil ? "Opus" : nil }

    mutating func receive(_ packet: [UInt8], at now: Int64, _ clock: inout CameraClock) {
        take(receiver.receive(packet, at: now), &clock)
    }

    /// Continues without packets that have been missing for long enough.
    mutating func poll(now: Int64, _ clock: inout CameraClock) { take(receiver.poll(now: now), &clock) }

    /// Appends what results from the packets since the last call.
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
                (lastEnd, counted, firstTicks, keyframe, latest) = (nil, 0, nil, nil, nil)
                gaps.restart()
                order.restart()
                entry.leaveOut()
            case .packet(let packet):
                if let latest, (packet.time &- latest).magnitude > UInt64(clockRate * Self.shortestJump / 1000) {
                    placeBefore(&clock)
                }
                latest = packet.time
                clock.observe(packet.time, stream: index, at: packet.arrival)
                relate(packet, &clock)
                depacketizer.add(packet, to: &items)
            }
        }
    }

    /// Places the samples before a packet whose RTP time may have no relation to theirs.
    private mutating func placeBefore(_ clock: inout CameraClock) {
        guard !items.isEmpty else { return }
        var placed = results
        results = []
        place(&clock, &placed)
        results = placed
    }

    /// Uses the stated beginning of the stream, if its sequence number is near that of the packet. Then it is about this
    /// stream.
    private mutating func relate(_ packet: ReceivedPacket, _ clock: inout CameraClock) {
        guard let beginning else { return }
        self.beginning = nil
        let distance = beginning.sequence.map { Int16(bitPattern: packet.packet.sequence &- $0) } ?? 0
        guard let time = beginning.time, distance.magnitude <= Self.mostDistance else { return }
        clock.begin(at: time, stream: index)
    }

    private mutating func place(_ clock: inout CameraClock, _ output: inout [ReceptionOutput]) {
        for item in items {
            switch item {
            case .format(let format): change(to: format, &output)
            case .sample(let sample): deliver(sample, &clock, &output)
            case .dropped(let count, let reason, let ticks):
                guard hasBegun else { continue }
                if type == .video {
                    gaps.addDropped(ticks, count: count)
                } else if lastEnd.map({ ticks >= $0 }) ?? true {
                    counted += count
                }
                let cause: DropCause = reason == .damaged ? .device : .corrupt
                let time = clock.time(of: ticks, stream: index)
                lose(count, cause, near: time, &output)
            case .unsupported(let text): refuse(text, &output)
            }
        }
        items.removeAll(keepingCapacity: true)
    }

    private mutating func refuse(_ text: String, _ output: inout [ReceptionOutput]) {
        unsupported = text
        output.append(.notice("the camera sends what is not supported: \(text)"))
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
        guard begins(with: sample) else { return }
        if let depth = sample.reorderDepth { order.declare(depth) }
        if mayHaveLostKeyframe(before: sample) { entry.leaveOut() }
        if sample.lostPackets > 0 { keyframe?.isFollowedByLoss = true }
        let missing = gaps.add(sample.time, lostPackets: sample.lostPackets, depth: order.depth)
        lose(missing, .device, near: time, &output)
        guard !sample.isDamaged else {
            if sample.isKeyframe { entry.leaveOut() }
            return lose(1, .device, near: time, &output)
        }
        guard entry.admits(time, isKeyframe: sample.isKeyframe) else { return lose(1, .device, near: time, &output) }
        guard let decoded = order.place(time.nanoseconds, isKeyframe: sample.isKeyframe) else {
            if sample.isKeyframe { entry.leaveOut() }
            noteOrder(&output)
            return lose(1, .corrupt, near: time, &output)
        }
        if sample.isKeyframe {
            if let keyframe, !keyframe.isFollowedByLoss, sample.time > keyframe.time {
                keyframeDistance = sample.time - keyframe.time
            }
            keyframe = (sample.time, false)
        }
        output.append(
            .sample(
                SampleBuffer(
                    format: format, content: .data(sample.data), presentationTime: time,
                    decodeTime: order.depth > 0 ? MediaTime(nanoseconds: decoded) : nil,
                    isKeyframe: sample.isKeyframe)))
    }

    /// Returns true if whole frames may be missing before a frame, and a keyframe was due among them. Until the distance
    /// of keyframes is known, it is assumed to be a second. Frames that are shown after a keyframe also come after it.
    private func mayHaveLostKeyframe(before sample: NetworkSample) -> Bool {
        guard let keyframe,
            gaps.mayMissFrames(before: sample.time, lostPackets: sample.lostPackets, depth: order.depth)
        else { return false }
        let (step, half) = (sample.time &- keyframe.time, gaps.interval / 2)
        guard sample.isKeyframe else { return step > (keyframeDistance ?? clockRate) - half }
        // It may be the one that was due.
        return keyframeDistance.map { step > $0 + half } ?? false
    }

    /// Returns false for a frame from before the beginning of the stream, which is its first keyframe: an earlier one, or
    /// a leading frame of that keyframe. These are not counted, as those before a connection are not: `DeviceKeeper`
    /// counts the frames up to the keyframe.
    private mutating func begins(with sample: NetworkSample) -> Bool {
        guard hasBegun else {
            guard sample.isKeyframe else { return false }
            (hasBegun, firstTicks) = (true, sample.time)
            return true
        }
        guard let firstTicks, sample.time < firstTicks else { return true }
        // A larger step back is a new beginning (`SampleTimeline`).
        guard firstTicks &- sample.time < 2 &* clockRate else {
            self.firstTicks = nil
            return true
        }
        return false
    }

    private mutating func noteOrder(_ output: inout [ReceptionOutput]) {
        guard !hasReportedOrder else { return }
        hasReportedOrder = true
        output.append(
            .notice(
                "the camera's frames are out of order by more than its parameter sets say: those that come too late "
                    + "are lost until the next keyframe"))
    }

    private mutating func deliver(
        _ sample: NetworkSample, _ format: AudioFormat, at time: MediaTime, _ output: inout [ReceptionOutput]
    ) {
        let rate = Int64(max(1, format.sampleRate))
        if let lastEnd, sample.lostPackets > 0, sample.time > lastEnd {
            let ticks = Int128(sample.time) - Int128(lastEnd)
            let missing = Int64(clamping: ticks * Int128(rate) / Int128(clockRate)) - counted
            lose(missing, .device, near: time, &output)
        }
        hasBegun = true
        let length = Int64(clamping: Int128(sample.frameCount) * Int128(clockRate) / Int128(rate))
        (lastEnd, counted) = (sample.time &+ length, 0)
        guard let (data, frames) = decode(sample, format) else {
            return lose(Int64(sample.frameCount), .corrupt, near: time, &output)
        }
        guard frames > 0 else { return }
        output.append(
            .sample(
                SampleBuffer(
                    format: .audio(format), content: .data(data), presentationTime: time,
                    duration: MediaTime(value: Int64(frames), timescale: Int32(clamping: format.sampleRate)),
                    sampleCount: frames)))
    }

    /// Returns the audio of a packet in the format of the samples, and its number of audio frames; nil if it is damaged.
    private func decode(_ sample: NetworkSample, _ format: AudioFormat) -> (data: MediaData, frames: Int)? {
        if let opus {
            guard let data = opus.decode(sample.data, frameCount: sample.frameCount) else { return nil }
            return (data, data.count / max(1, format.bytesPerFrame ?? 1))
        }
        return (law?.decode(sample.data) ?? sample.data, sample.frameCount)
    }
}
