import MediaTypes

/// The signal at a camera's input. It describes the frames that the source sends. The camera may deliver a different
/// size. A plain value.
struct InputSignal: Sendable, Hashable {
    var size: FrameSize
    var frameRate: FrameRate
    /// True if the source sends each frame as two fields.
    var isInterlaced: Bool

    /// The plausible widths and heights. A signal outside of this range is invalid.
    private static let sizes = 1...65_535
    /// The plausible rates, in frames per second. With a lower rate, it would take too long to notice that a camera
    /// sends nothing.
    private static let rates = 1.0...1000

    /// Creates the signal of digital timings; nil if they are invalid.
    init?(_ timings: VideoTimings) {
        guard Self.sizes.contains(timings.size.width), Self.sizes.contains(timings.size.height),
            let frameRate = timings.frameRate, Self.rates.contains(frameRate.framesPerSecond)
        else { return nil }
        size = timings.size
        self.frameRate = frameRate
        isInterlaced = timings.isInterlaced
    }

    /// Creates the signal of an analog standard, in the sampling of ITU-R BT.601.
    ///
    /// - Parameter has525Lines: true for NTSC, false for PAL and SECAM.
    init(has525Lines: Bool) {
        size = has525Lines ? FrameSize(720, 480) : FrameSize(720, 576)
        frameRate = has525Lines ? FrameRate(30_000, per: 1001) : FrameRate(25)
        isInterlaced = true
    }

    /// Returns true if both are the same signal. Two measurements of one clock may differ slightly.
    func isSame(as other: InputSignal) -> Bool {
        size == other.size && isInterlaced == other.isInterlaced && frameRate.isNear(other.frameRate)
    }

    /// Returns the reason why a camera stopped when its signal changed from `before` to this one.
    func reason(before: InputSignal) -> String {
        if size != before.size { return "the input's signal changed to \(size)" }
        if !isSame(as: before) {
            let fields = isInterlaced ? ", interlaced" : ""
            return "the input's signal changed to \(size) at \(frameRate) fps\(fields)"
        }
        return "the input's signal was interrupted"
    }
}

/// The decision which analog standard to set. A plain value.
///
/// Source: the Linux media API, VIDIOC_QUERYSTD and "Video Standards" (struct v4l2_standard, `id`).
enum AnalogStandard: Hashable {
    /// No standard was detected, so there is no signal.
    case absent
    /// The number of lines is unknown. The set of detected standards contains standards with 525 lines and standards
    /// with 625 lines, or neither, and so does the current set. Some drivers report every standard, because they adapt
    /// by themselves or because they have no real signal (v4l2loopback).
    case unknown
    /// The camera already uses a standard that fits.
    case unchanged(UInt64)
    case changed(UInt64)

    /// Decides from the standards that the driver detected, as a set of bits.
    ///
    /// - Parameters:
    ///   - detected: The detected set; 0 without a signal, nil if the driver cannot detect standards.
    ///   - current: The set of standards that the camera is set to.
    ///   - families: The sets of standards with 525 and with 625 lines.
    init(detected: UInt64?, current: UInt64, families: (UInt64, UInt64)) {
        func isDecided(_ set: UInt64) -> Bool { (set & families.0 == 0) != (set & families.1 == 0) }
        if detected == 0 {
            self = .absent
        } else if let detected, isDecided(detected) {
            let common = detected & current
            self = common == 0 ? .changed(detected) : .unchanged(common)
        } else {
            self = isDecided(current) ? .unchanged(current) : .unknown
        }
    }
}
