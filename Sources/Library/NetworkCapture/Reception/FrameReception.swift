import MediaTypes
import RTSP

/// Selects the frames of a video stream that can be decoded, counts the others, and assigns decode times. A value that
/// one thread uses.
///
/// A frame is lost if packets of it are missing. If a keyframe is lost, the frames up to the next keyframe cannot be
/// decoded, and neither can the leading frames of that keyframe, so they are lost too. If packets are missing, the RTP
/// times show how many whole frames are missing. If a keyframe was due, one of these frames may have been that
/// keyframe, unless the missing packets cannot have contained one (`NetworkSample.mayMissKeyframe`).
///
/// Frames come in decode order. If some are shown before earlier ones, all get decode times (`FrameOrder`).
struct FrameReception: Sendable {
    private let clockRate: Int64
    /// True once a keyframe arrived. Before that, nothing can be decoded, and nothing counts as captured.
    private(set) var hasBegun = false
    /// The RTP time of the first keyframe; nil before it, and once later times are not related to it.
    private var firstTicks: Int64?
    /// Selects the frames that can be decoded.
    private var entry = DecodingEntry(needsKeyframe: true)
    private var order: FrameOrder
    private var gaps: FrameGaps
    /// The RTP time of the latest keyframe that was delivered, and true if another keyframe may be missing after it.
    private var keyframe: (time: Int64, isFollowedByLoss: Bool)?
    /// The time between the latest two keyframes between which no keyframe can be missing.
    private var keyframeDistance: Int64?
    /// True if a keyframe may be among the missing packets that no gap explains so far.
    private var mayMissKeyframe = false
    /// The reorder depth that the parameter sets of the latest keyframe state; nil if they do not.
    private var statedDepth: Int?
    /// True if the RTP time has jumped back since the latest keyframe.
    private var hasJumpedBack = false
    private var hasReportedOrder = false

    /// - Parameters:
    ///   - frameRate: The rate that the camera states; only a rate from 1 to 240 is used.
    ///   - keyframeInterval: The time between two keyframes in nanoseconds, until this stream shows it; nil if unknown.
    init(clockRate: Int64, frameRate: Double?, keyframeInterval: Int64?) {
        self.clockRate = clockRate
        keyframeDistance = keyframeInterval.map { Int64(clamping: (Double($0) * Double(clockRate) / 1e9).rounded()) }
        gaps = FrameGaps(clockRate: clockRate)
        let rate = frameRate.flatMap { $0 >= 1 && $0 <= 240 ? $0 : nil }
        order = rate.map { FrameOrder(frameDuration: Int64(clamping: 1e9 / $0)) } ?? FrameOrder()
    }

    /// The time between the latest two keyframes between which no keyframe can be missing, in nanoseconds; nil until it
    /// is known.
    var keyframeInterval: Int64? {
        keyframeDistance.map { Int64(clamping: (Double($0) * 1e9 / Double(clockRate)).rounded()) }
    }

    /// Records that the next frame does not continue an earlier one, and that its RTP time is not related to earlier
    /// ones.
    mutating func restart() {
        (firstTicks, keyframe) = (nil, nil)
        gaps.restart()
        order.restart()
        entry.leaveOut()
    }

    /// Returns true if the RTP time of the next frame is before earlier ones, but the frame is not shown before them.
    ///
    /// No frame is shown after a keyframe and sent before it. In a GOP without reordering, a step back is a jump too. If
    /// there is another one in the same GOP, the parameter sets are wrong, and the frames are reordered.
    mutating func jumpsBack(at sample: NetworkSample) -> Bool {
        if sample.isKeyframe { (statedDepth, hasJumpedBack) = (sample.reorderDepth, false) }
        guard let newest = gaps.newest, sample.time < newest else { return false }
        guard !sample.isKeyframe else { return true }
        guard statedDepth == 0, order.depth == 0, !hasJumpedBack else { return false }
        hasJumpedBack = true
        return true
    }

    /// Records that the RTP times jump to `ticks`, and that the frames continue.
    mutating func continueAfterJump(to ticks: Int64) {
        if let keyframe, let newest = gaps.newest {
            let jump = ticks &- newest &- gaps.interval
            self.keyframe = (keyframe.time &+ jump, keyframe.isFollowedByLoss)
        } else {
            self.keyframe = nil
        }
        firstTicks = nil
        gaps.restart()
    }

    /// Adds frames that were received but cannot be used. They are already counted as lost.
    mutating func addDropped(_ ticks: Int64, count: Int64) { gaps.addDropped(ticks, count: count) }

    /// Appends a frame, or a loss if the frame cannot be delivered.
    ///
    /// - Parameter time: The frame's capture time.
    mutating func deliver(
        _ sample: NetworkSample, _ format: FormatDescription, at time: MediaTime, _ output: inout [ReceptionOutput]
    ) {
        guard begins(with: sample) else { return }
        if let depth = sample.reorderDepth { order.declare(depth) }
        if sample.lostPackets > 0 { noteLoss(before: sample) }
        if mayHaveLostKeyframe(before: sample) { entry.leaveOut() }
        let missing = gaps.add(sample.time, lostPackets: sample.lostPackets, depth: order.depth)
        output.lose(missing, of: .video, .device, near: time)
        guard !sample.isDamaged else {
            if sample.isKeyframe { loseKeyframe() }
            return output.lose(1, of: .video, .device, near: time)
        }
        guard entry.admits(time, isKeyframe: sample.isKeyframe) else {
            return output.lose(1, of: .video, .device, near: time)
        }
        guard let decoded = order.place(time.nanoseconds, isKeyframe: sample.isKeyframe) else {
            if sample.isKeyframe { loseKeyframe() }
            noteOrder(&output)
            return output.lose(1, of: .video, .corrupt, near: time)
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

    private mutating func loseKeyframe() {
        entry.leaveOut()
        keyframe?.isFollowedByLoss = true
    }

    private mutating func noteLoss(before sample: NetworkSample) {
        if sample.mayMissKeyframe {
            keyframe?.isFollowedByLoss = true
            // After a jump, the RTP times do not show what is missing.
            if gaps.newest == nil { entry.leaveOut() }
        }
        mayMissKeyframe = sample.mayMissKeyframe || mayMissKeyframe && gaps.missing > 0
    }

    /// Returns true if whole frames may be missing before a frame, and a keyframe was due and may be among them. Until
    /// the distance between keyframes is known, it is assumed to be a second. Times can be compared here, because
    /// frames that are shown after a keyframe also arrive after it.
    private func mayHaveLostKeyframe(before sample: NetworkSample) -> Bool {
        guard mayMissKeyframe, let keyframe,
            gaps.mayMissFrames(before: sample.time, lostPackets: sample.lostPackets, depth: order.depth)
        else { return false }
        let (step, half) = (sample.time &- keyframe.time, gaps.interval / 2)
        guard sample.isKeyframe else { return step > (keyframeDistance ?? clockRate) - half }
        // This keyframe may be the one that was due.
        return keyframeDistance.map { step > $0 + half } ?? false
    }

    /// Returns false for a frame before the beginning of the stream: before its first keyframe, or a leading frame of
    /// that keyframe. Such frames are not counted here: `DeviceKeeper` counts the frames up to the keyframe, as it
    /// counts those before a connection.
    private mutating func begins(with sample: NetworkSample) -> Bool {
        guard hasBegun else {
            guard sample.isKeyframe else { return false }
            (hasBegun, firstTicks) = (true, sample.time)
            return true
        }
        guard let firstTicks, sample.time < firstTicks else { return true }
        guard firstTicks &- sample.time < FrameGaps.mostBack &* clockRate else {
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
                "the camera's frames are out of order by more than its parameter sets state; frames that come too "
                    + "late are lost until the next keyframe"))
    }
}
