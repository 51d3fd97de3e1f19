/// Frames per second as an exact ratio: 30, or 30000/1001.
public struct FrameRate: Sendable, Hashable, Comparable {
    /// The numerator: frames in `seconds` seconds.
    public let frames: Int32
    /// The denominator, in seconds.
    public let seconds: Int32

    /// Creates a frame rate in lowest terms.
    ///
    /// - Precondition: both numbers are positive.
    public init(_ frames: Int32, per seconds: Int32 = 1) {
        precondition(frames > 0 && seconds > 0, "a frame rate is a ratio of two positive numbers")
        var (a, b) = (frames, seconds)
        while b != 0 { (a, b) = (b, a % b) }
        self.frames = frames / a
        self.seconds = seconds / a
    }

    /// Creates a frame rate from a driver's fraction of unsigned numbers; nil if it is not a valid rate.
    package init?(frames: UInt32, seconds: UInt32) {
        guard frames > 0, seconds > 0 else { return nil }
        var (a, b) = (frames, seconds)
        while b != 0 { (a, b) = (b, a % b) }
        guard let frames = Int32(exactly: frames / a), let seconds = Int32(exactly: seconds / a) else { return nil }
        self.init(frames, per: seconds)
    }

    /// Parses user input: `30`, `29.97`, `12.5`, `30000/1001`. A broadcast rate such as 29.97 becomes the exact ratio
    /// that it abbreviates.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2 {
            guard let frames = Int32(parts[0]), let seconds = Int32(parts[1]), frames > 0, seconds > 0 else {
                return nil
            }
            self.init(frames, per: seconds)
            return
        }
        guard let value = Double(text), value.isFinite, value >= 0.001, value <= 10_000 else { return nil }
        let broadcast = (value * 1.001).rounded()
        if value != value.rounded(), broadcast > 0, abs(broadcast / 1.001 - value) < 0.005 {
            self.init(Int32(clamping: broadcast) * 1000, per: 1001)
        } else {
            self.init(Int32(clamping: (value * 1000).rounded()), per: 1000)
        }
    }

    public var framesPerSecond: Double { Double(frames) / Double(seconds) }

    /// The time from one frame to the next.
    public var interval: MediaTime { MediaTime(value: Int64(seconds), timescale: frames) }

    public static func < (a: FrameRate, b: FrameRate) -> Bool {
        // in range: both are 32-bit integers
        Int64(a.frames) * Int64(b.seconds) < Int64(b.frames) * Int64(a.seconds)
    }

    /// Returns true if the rates agree within 0.5 %. For example, a camera's 29.97 counts as 30.
    package func isNear(_ other: FrameRate) -> Bool {
        abs(framesPerSecond - other.framesPerSecond) <= 0.005 * other.framesPerSecond
    }
}

extension FrameRate: CustomStringConvertible {
    /// The rate as users write it: "30", "29.97", "12.5".
    public var description: String {
        if seconds == 1 { return String(frames) }
        let hundredths = Int64(clamping: (framesPerSecond * 100).rounded())
        guard hundredths > 0 else { return "\(frames)/\(seconds)" }
        let fraction = hundredths % 100
        if fraction == 0 { return String(hundredths / 100) }
        let digits = fraction % 10 == 0 ? "\(fraction / 10)" : fraction < 10 ? "0\(fraction)" : "\(fraction)"
        return "\(hundredths / 100).\(digits)"
    }
}
