/// A point in time or a duration as a rational number of seconds: `value / timescale`. The pipeline's only time type.
///
/// The type resembles `CMTime`. Comparison and arithmetic are exact if the result fits; intermediate values have 128
/// bits. Rounding happens only in `converted(to:rounding:)`, to the nearest tick unless specified otherwise. Infinities
/// absorb finite times. An undefined result, such as infinity minus infinity, is `invalid`. Products, CMTime's rounding
/// methods and the mapping between ranges exist for code written for CMTime. They round where necessary, like CMTime's
/// functions.
public struct MediaTime: Sendable, Hashable, Comparable, Codable {
    /// Ticks, or the sign of an infinity when `timescale` is 0.
    public var value: Int64
    /// Ticks per second; 0 marks a time that is not a number (`invalid`, the infinities).
    public var timescale: Int32

    public init(value: Int64, timescale: Int32) {
        self.value = value
        self.timescale = timescale
    }

    /// Creates the multiple of 1/`timescale` that is nearest to a number of seconds. For user input, not for the
    /// pipeline.
    public init(seconds: Double, timescale: Int32 = 1_000_000) {
        let ticks = (seconds * Double(timescale)).rounded()
        guard seconds.isFinite, ticks.magnitude < 9e18 else {
            self = seconds.isNaN ? .invalid : seconds > 0 ? .positiveInfinity : .negativeInfinity
            return
        }
        // in range: ticks are below 9e18
        self.init(value: Int64(ticks), timescale: timescale)
    }

    /// Creates a time from a reading of the monotonic clock, exactly.
    public init(nanoseconds: Int64) { self.init(value: nanoseconds, timescale: 1_000_000_000) }

    public static let zero = MediaTime(value: 0, timescale: 1)
    public static let invalid = MediaTime(value: 0, timescale: 0)
    public static let positiveInfinity = MediaTime(value: 1, timescale: 0)
    public static let negativeInfinity = MediaTime(value: -1, timescale: 0)

    /// True if the time is finite: false for `invalid`, the infinities and a negative time scale.
    public var isNumeric: Bool { timescale > 0 }
    public var isValid: Bool { timescale > 0 || (timescale == 0 && value != 0) }

    /// The time in seconds, for display only.
    public var seconds: Double {
        guard isNumeric else { return value == 0 ? .nan : value > 0 ? .infinity : -.infinity }
        return Double(value) / Double(timescale)
    }

    public enum Rounding: Sendable { case nearest, down, up }

    /// Returns the value in ticks of another scale, saturated at the limits of `Int64`; 0 for a time that is not
    /// numeric.
    public func ticks(in scale: Int32, rounding: Rounding = .nearest) -> Int64 {
        guard isNumeric, scale > 0 else { return 0 }
        if scale == timescale { return value }
        let product = Int128(value) * Int128(scale)
        let divisor = Int128(timescale)
        let (quotient, remainder) = product.quotientAndRemainder(dividingBy: divisor)
        // Division truncates toward zero; `floor` is the tick at or below the exact time.
        let floor = remainder < 0 ? quotient - 1 : quotient
        let fraction = remainder < 0 ? remainder + divisor : remainder
        let ticks: Int128
        switch rounding {
        case .down: ticks = floor
        case .up: ticks = fraction == 0 ? floor : floor + 1
        case .nearest: ticks = fraction * 2 >= divisor ? floor + 1 : floor
        }
        return Int64(clamping: ticks)
    }

    /// Converts the time to another scale.
    public func converted(to scale: Int32, rounding: Rounding = .nearest) -> MediaTime {
        guard isNumeric else { return self }
        return MediaTime(value: ticks(in: scale, rounding: rounding), timescale: scale)
    }

    /// The time in whole nanoseconds, rounded to the nearest.
    public var nanoseconds: Int64 { ticks(in: 1_000_000_000) }

    public static func == (a: MediaTime, b: MediaTime) -> Bool {
        guard a.isNumeric, b.isNumeric else {
            return a.isNumeric == b.isNumeric && a.value.signum() == b.value.signum()
        }
        return Int128(a.value) * Int128(b.timescale) == Int128(b.value) * Int128(a.timescale)
    }

    /// Infinities sort at the ends; `invalid` sorts below everything, so that a sort always terminates.
    public static func < (a: MediaTime, b: MediaTime) -> Bool {
        guard a.isNumeric, b.isNumeric else { return a.rank < b.rank }
        return Int128(a.value) * Int128(b.timescale) < Int128(b.value) * Int128(a.timescale)
    }

    private var rank: Int {
        if isNumeric { return 0 }
        return value == 0 ? -2 : Int(value.signum())
    }

    public func hash(into hasher: inout Hasher) {
        guard isNumeric else { return hasher.combine(rank) }
        let divisor = Self.greatestCommonDivisor(value.magnitude, UInt64(timescale))
        hasher.combine(value.magnitude / divisor)
        hasher.combine(value.signum())
        hasher.combine(UInt64(timescale) / divisor)
    }

    public static func + (a: MediaTime, b: MediaTime) -> MediaTime { combine(a, b) { $0 + $1 } }
    public static func - (a: MediaTime, b: MediaTime) -> MediaTime { combine(a, b) { $0 - $1 } }
    public static prefix func - (a: MediaTime) -> MediaTime {
        MediaTime(value: a.value == .min ? .max : -a.value, timescale: a.timescale)
    }
    public static func += (a: inout MediaTime, b: MediaTime) { a = a + b }
    public static func -= (a: inout MediaTime, b: MediaTime) { a = a - b }

    /// Combines two times. The result is exact in the least common multiple of both scales if that fits in 32 bits;
    /// otherwise the finer scale is used.
    private static func combine(_ a: MediaTime, _ b: MediaTime, _ operation: (Int128, Int128) -> Int128) -> MediaTime {
        guard a.isNumeric, b.isNumeric else {
            guard a.isValid, b.isValid else { return .invalid }
            // An infinity absorbs every finite time; two opposite infinities have no result.
            let sign = operation(a.isNumeric ? 0 : Int128(a.value.signum()), b.isNumeric ? 0 : Int128(b.value.signum()))
            return sign == 0 ? .invalid : sign > 0 ? .positiveInfinity : .negativeInfinity
        }
        if a.timescale == b.timescale {
            return MediaTime(
                value: Int64(clamping: operation(Int128(a.value), Int128(b.value))), timescale: a.timescale)
        }
        let common = UInt64(a.timescale) / greatestCommonDivisor(UInt64(a.timescale), UInt64(b.timescale))
        let scale = Int32(exactly: common * UInt64(b.timescale)) ?? max(a.timescale, b.timescale)
        return MediaTime(
            value: Int64(clamping: operation(Int128(a.ticks(in: scale)), Int128(b.ticks(in: scale)))), timescale: scale)
    }

    private static func greatestCommonDivisor(_ a: UInt64, _ b: UInt64) -> UInt64 {
        var (a, b) = (a, b)
        while b != 0 { (a, b) = (b, a % b) }
        return max(a, 1)
    }
}

extension MediaTime: CustomStringConvertible {
    public var description: String {
        guard isNumeric else { return value == 0 ? "invalid" : value > 0 ? "+∞" : "−∞" }
        return "\(value)/\(timescale)"
    }
}

extension MediaTime {
    /// The time for users: "9.97 s", "1 min 05 s", "1 min 05.25 s", "1 h 02 min 11 s". Hundredths are kept, because a
    /// user will look for that position in a file.
    public var words: String {
        guard isNumeric else { return description }
        func padded(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let hundredths = ticks(in: 100)
        let (sign, all) = (hundredths < 0 ? "−" : "", hundredths.magnitude)
        let (part, seconds, minutes, hours) = (all % 100, all / 100 % 60, all / 6000 % 60, all / 360_000)
        guard all >= 6000 else { return "\(sign)\(seconds).\(padded(part)) s" }
        let tail = padded(seconds) + (part == 0 ? "" : "." + padded(part)) + " s"
        return sign + (hours > 0 ? "\(hours) h \(padded(minutes)) min " : "\(minutes) min ") + tail
    }
}
