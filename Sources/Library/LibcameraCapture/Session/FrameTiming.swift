import Capture
import MediaTypes

/// The time of each frame and the number of frames that were lost before it. A plain value.
///
/// `SensorTimestamp` is used as it is: the start of the frame. A buffer's own timestamp is that of the end of the
/// frame, as with V4L2, so one interval is subtracted. A timestamp of no known clock, of 0, in the future or before the
/// last one is replaced as in `FrameAccount`.
struct FrameTiming: Sendable {
    /// The judgement of one frame.
    struct Judgement: Sendable, Hashable {
        var time: MediaTime
        /// The number of frames that were lost before this one.
        var lost: Int64
    }

    private var account: FrameAccount
    private var losses: FrameLosses
    private var lastNanoseconds: Int64 = .min

    /// Timestamps later than this, in nanoseconds after now, are of another clock.
    private static let futureTolerance: Int64 = 100_000_000

    /// - Parameters:
    ///   - start: The start of streaming, in nanoseconds of the monotonic clock.
    ///   - fixedInterval: Nanoseconds between two frames; nil if that varies or is unknown.
    init(start: Int64, fixedInterval: Int64?) {
        account = FrameAccount(start: start, interval: fixedInterval)
        losses = FrameLosses(fixedInterval: fixedInterval)
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
        let stamp = Self.monotonic(frame.sensorTimestamp ?? frame.timestamp, now: now, suspended: suspended)
        var time = account.time(stamp: stamp / 1_000, now: now)
        if frame.sensorTimestamp == nil, let interval = frame.duration ?? losses.expectedInterval {
            time = time - MediaTime(value: min(interval, Self.mostCorrection) / 1_000, timescale: 1_000_000)
        }
        // The correction may shrink from one frame to the next, but times increase.
        let nanoseconds = max(time.nanoseconds, lastNanoseconds == .min ? .min : lastNanoseconds + 1_000)
        if nanoseconds != time.nanoseconds { time = MediaTime(value: nanoseconds / 1_000, timescale: 1_000_000) }
        lastNanoseconds = nanoseconds
        let skipped = account.framesLost(before: frame.sequence, at: time)
        return Judgement(
            time: time,
            lost: losses.count(at: nanoseconds, duration: frame.duration, skipped: skipped, wasEmpty: wasEmpty))
    }

    /// The largest interval that is subtracted, in nanoseconds.
    private static let mostCorrection: Int64 = 1_000_000_000

    /// Returns a timestamp of CLOCK_BOOTTIME, as libcamera documents it, on the monotonic clock. The two differ only
    /// after the machine was suspended; then only the first is in the future.
    private static func monotonic(_ stamp: Int64, now: Int64, suspended: Int64) -> Int64 {
        guard suspended > 0, stamp - now > futureTolerance else { return stamp }
        return stamp - suspended
    }
}
