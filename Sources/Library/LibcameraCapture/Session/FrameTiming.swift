import Capture
import MediaTypes

/// The time of each frame and the number of frames that were lost before it. A plain value.
///
/// `SensorTimestamp` is the start of the frame, and is used as it is. A buffer's own timestamp is the end of the frame,
/// as with V4L2, so one interval is subtracted. A timestamp is replaced as in `FrameAccount` if its clock is unknown,
/// or if it is 0, in the future or before the last one. A duration that no camera has is ignored.
struct FrameTiming: Sendable {
    /// The judgement of one frame.
    struct Judgement: Sendable, Hashable {
        var time: MediaTime
        /// The number of frames that were lost before this one.
        var lost: Int64
    }

    private var account: FrameAccount
    private var losses: FrameLosses
    private let durations: ClosedRange<Int64>
    private var hasSensorTimestamps = false
    /// True if the last timestamp with a recognizable clock was in CLOCK_BOOTTIME.
    private var isOfBootClock = false
    private var lastTime: Int64 = .min

    /// A timestamp that is more than this after now, in nanoseconds, is in a different clock.
    private static let futureTolerance: Int64 = 100_000_000

    /// - Parameters:
    ///   - start: The start of streaming, in nanoseconds of the monotonic clock.
    ///   - fixedInterval: Nanoseconds between two frames; nil if that varies or is unknown.
    ///   - shortestInterval: The shortest interval of the camera; 0 if unknown.
    init(start: Int64, fixedInterval: Int64?, shortestInterval: Int64 = 0) {
        account = FrameAccount(start: start, interval: fixedInterval)
        losses = FrameLosses(fixedInterval: fixedInterval)
        // Reported durations that are much too short would turn every interval into lost frames. No camera may send
        // over 1,000 frames a second.
        durations = max(MessageBudget.interval, shortestInterval / 2)...Int64.max
    }

    /// The number of frames whose timestamp was replaced.
    var replacedStamps: Int64 { account.replacedStamps }

    /// The expected time to the next frame, in nanoseconds; nil if unknown.
    var expectedInterval: Int64? { losses.expectedInterval }

    /// Judges the next frame.
    ///
    /// - Parameters:
    ///   - now: Nanoseconds of the monotonic clock.
    ///   - suspended: Nanoseconds by which CLOCK_BOOTTIME is ahead of the monotonic clock.
    ///   - wasEmpty: true if the camera had no buffer at some time since the last frame.
    mutating func judge(_ frame: FrameMessage, at now: Int64, suspended: Int64, wasEmpty: Bool) -> Judgement {
        let duration = frame.duration.flatMap { durations.contains($0) ? $0 : nil }
        var stamp = monotonic(frame.sensorTimestamp ?? frame.timestamp, now: now, suspended: suspended)
        var arrival = now
        if frame.sensorTimestamp != nil {
            hasSensorTimestamps = true
        } else if let interval = duration ?? losses.expectedInterval {
            // Subtract before the timestamp is judged: a replacement continues the times of earlier frames, and those
            // are the times at which the frames start.
            stamp -= min(interval, Self.mostCorrection)
            if !hasSensorTimestamps { arrival -= min(interval, Self.mostCorrection) }
        }
        let time = account.time(stamp: stamp / 1_000, now: arrival)
        lastTime = time.nanoseconds
        let skipped = account.framesLost(before: frame.sequence, at: time)
        return Judgement(
            time: time,
            lost: losses.count(at: time.nanoseconds, duration: duration, skipped: skipped, wasEmpty: wasEmpty))
    }

    /// The maximum that is subtracted from a timestamp, in nanoseconds, even if the frame interval is longer.
    private static let mostCorrection: Int64 = 1_000_000_000

    /// Returns a timestamp on the monotonic clock. libcamera documents CLOCK_BOOTTIME. The two clocks differ only after
    /// the machine was suspended. Then a timestamp in CLOCK_BOOTTIME is in the future of the monotonic clock.
    private mutating func monotonic(_ stamp: Int64, now: Int64, suspended: Int64) -> Int64 {
        guard suspended > 0 else { return stamp }
        if stamp - now > Self.futureTolerance {
            guard stamp - suspended - now <= Self.futureTolerance else { return stamp }
            isOfBootClock = true
        } else if isOfBootClock, stamp - suspended <= lastTime {
            isOfBootClock = false
        }
        // If a frame waited for this thread, its timestamp is in the future of neither clock. Earlier frames have shown
        // in which clock it is.
        return isOfBootClock ? stamp - suspended : stamp
    }
}
