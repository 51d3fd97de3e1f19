import CV4L2
import MediaTypes

/// The timings of a digital video signal, as HDMI transmits it. A plain value.
///
/// Source: the Linux media API, struct v4l2_bt_timings; videodev2.h, V4L2_DV_BT_FRAME_WIDTH and _HEIGHT.
struct VideoTimings: Sendable, Hashable {
    var size: FrameSize
    /// Pixels of a line, with the blanking.
    var totalWidth: UInt64
    /// Lines of a frame, with the blanking; of both fields if the signal is interlaced.
    var totalHeight: UInt64
    /// Pixels per second.
    var pixelClock: UInt64
    var isInterlaced = false
    /// True if the clock is really 1/1.001 of `pixelClock` (V4L2_DV_FL_REDUCED_FPS).
    var isReduced = false

    /// The highest rate that is corrected to a whole number, or to 1/1.001 of one.
    private static let highestUsual: Int128 = 1000
    /// The tolerance of a measured clock: one part in this number. A rate and 1/1.001 of it differ by ten times as
    /// much.
    private static let tolerance: Int128 = 10_000

    /// The frames per second; nil if the timings are invalid.
    ///
    /// Receivers measure the clock. A rate close to a whole number, or to 1/1.001 of a whole number, is corrected to
    /// it.
    var frameRate: FrameRate? {
        let total = Int128(totalWidth) * Int128(totalHeight)
        let frames = Int128(pixelClock) * (isReduced ? 1000 : 1)
        let seconds = total * (isReduced ? 1001 : 1)
        guard frames > 0, seconds > 0 else { return nil }
        let usual: [(Int128, Int128)] = [(1, 1), (1000, 1001)]
        for (a, b) in usual {
            // The whole number that comes nearest to the rate when it is multiplied by a/b.
            let number = (frames * b * 2 + seconds * a) / (seconds * a * 2)
            let difference = frames * b - number * seconds * a
            guard number > 0, number <= Self.highestUsual else { continue }
            guard max(difference, -difference) * Self.tolerance <= frames * b else { continue }
            return FrameRate(Int32(clamping: number * a), per: Int32(clamping: b))
        }
        return Self.ratio(frames, seconds)
    }

    /// Returns a ratio in numbers of 32 bits; nil if it is too large or too small for that.
    private static func ratio(_ frames: Int128, _ seconds: Int128) -> FrameRate? {
        var (a, b) = (frames, seconds)
        while b != 0 { (a, b) = (b, a % b) }
        var (frames, seconds) = (frames / a, seconds / a)
        while max(frames, seconds) > Int128(Int32.max) {
            frames /= 2
            seconds /= 2
        }
        guard frames > 0, seconds > 0 else { return nil }
        return FrameRate(Int32(clamping: frames), per: Int32(clamping: seconds))
    }
}

extension VideoTimings {
    init(_ found: cv4l2_timings) {
        self.init(
            size: FrameSize(Int(found.width), Int(found.height)), totalWidth: found.total_width,
            totalHeight: found.total_height, pixelClock: found.pixel_clock, isInterlaced: found.is_interlaced != 0,
            isReduced: found.is_reduced != 0)
    }
}
