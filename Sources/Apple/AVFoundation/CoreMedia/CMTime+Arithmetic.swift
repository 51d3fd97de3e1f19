import Foundation
import MediaTypes

extension CMTime {
    public static func + (a: CMTime, b: CMTime) -> CMTime { sum(a, b, sign: 1) }
    public static func - (a: CMTime, b: CMTime) -> CMTime { sum(a, b, sign: -1) }
    public static func += (a: inout CMTime, b: CMTime) { a = a + b }
    public static func -= (a: inout CMTime, b: CMTime) { a = a - b }
    public static prefix func - (a: CMTime) -> CMTime { .zero - a }

    /// Returns `a` + `sign` × `b`, by the rules of Apple's `CMTimeAdd`. An infinity absorbs every other time, and an
    /// indefinite time every number. Times of two epochs have no sum, but epoch 0 is that of durations. A difference of
    /// two times of one epoch is a duration.
    private static func sum(_ a: CMTime, _ b: CMTime, sign: Int128) -> CMTime {
        guard a.rank < invalidRank, b.rank < invalidRank else { return .invalid }
        let (one, other) = (a.infiniteSign, Int(sign) * b.infiniteSign)
        if one != 0 || other != 0 {
            guard one * other >= 0 else { return .invalid }
            return one + other > 0 ? .positiveInfinity : .negativeInfinity
        }
        guard a.isNumeric, b.isNumeric else { return .indefinite }
        guard a.epoch == b.epoch || a.epoch == 0 || b.epoch == 0 else { return .invalid }
        // These products have at most 94 bits.
        let numerator = Int128(a.value) * Int128(b.timescale) + sign * Int128(b.value) * Int128(a.timescale)
        var sum = nearest(numerator, Int128(a.timescale) * Int128(b.timescale), commonScale(a.timescale, b.timescale))
        guard sum.isNumeric else { return sum }
        sum.epoch = a.epoch == b.epoch ? 0 : a.epoch + b.epoch
        if a.hasBeenRounded || b.hasBeenRounded { sum.flags.insert(.hasBeenRounded) }
        return sum
    }

    /// Returns the least common multiple of two time scales, or the greatest time scale if it is less.
    private static func commonScale(_ a: CMTimeScale, _ b: CMTimeScale) -> CMTimeScale {
        var (divisor, rest) = (Int64(a), Int64(b))
        while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
        return CMTimeScale(clamping: Int64(a) / max(1, divisor) * Int64(b))
    }

    /// Returns the time in a scale that is nearest to a fraction. The scale is halved until the value fits. If it does
    /// not fit in whole seconds, the time is infinite.
    private static func nearest(_ numerator: Int128, _ denominator: Int128, _ scale: CMTimeScale) -> CMTime {
        var scale = scale
        while true {
            let (quotient, remainder) = (numerator * Int128(scale)).quotientAndRemainder(dividingBy: denominator)
            // Half a tick is rounded away from zero.
            let isUp = remainder.magnitude * 2 >= denominator.magnitude
            if let value = CMTimeValue(exactly: isUp ? quotient + numerator.signum() : quotient) {
                var time = CMTime(value: value, timescale: scale)
                if remainder != 0 { time.flags.insert(.hasBeenRounded) }
                return time
            }
            guard scale > 1 else { return numerator > 0 ? .positiveInfinity : .negativeInfinity }
            scale /= 2
        }
    }

    private var infiniteSign: Int { isPositiveInfinity ? 1 : isNegativeInfinity ? -1 : 0 }

    public func convertScale(_ newTimescale: Int32, method: CMTimeRoundingMethod) -> CMTime {
        guard isNumeric else { return self }
        return described(media.convertScale(newTimescale, method: method.media)) { $0 == media }
    }

    /// Converts a result of the library's arithmetic. Sets this time's epoch, and the flag if the result was rounded.
    fileprivate func described(_ result: MediaTime, _ isExact: (MediaTime) -> Bool) -> CMTime {
        var time = CMTime(result)
        guard time.isNumeric else { return time }
        time.epoch = epoch
        if hasBeenRounded || !isExact(result) { time.flags.insert(.hasBeenRounded) }
        return time
    }
}

/// The way in which a time between two ticks is rounded.
public enum CMTimeRoundingMethod: UInt32, Sendable {
    case roundHalfAwayFromZero = 1
    case roundTowardZero = 2
    case roundAwayFromZero = 3
    /// Toward zero if the new scale is coarser, away from zero if it is finer.
    case quickTime = 4
    case roundTowardPositiveInfinity = 5
    case roundTowardNegativeInfinity = 6

    public static let `default` = CMTimeRoundingMethod.roundHalfAwayFromZero

    fileprivate var media: MediaTime.RoundingMethod { MediaTime.RoundingMethod(rawValue: rawValue) ?? .default }
}

public func CMTimeMake(value: Int64, timescale: Int32) -> CMTime { CMTime(value: value, timescale: timescale) }
public func CMTimeMakeWithEpoch(value: Int64, timescale: Int32, epoch: Int64) -> CMTime {
    CMTime(value: value, timescale: timescale, flags: timescale > 0 ? .valid : [], epoch: epoch)
}
public func CMTimeMakeWithSeconds(_ seconds: Double, preferredTimescale: Int32) -> CMTime {
    CMTime(seconds: seconds, preferredTimescale: preferredTimescale)
}
public func CMTimeGetSeconds(_ time: CMTime) -> Double { time.seconds }
public func CMTimeConvertScale(_ time: CMTime, timescale: Int32, method: CMTimeRoundingMethod) -> CMTime {
    time.convertScale(timescale, method: method)
}
public func CMTimeAdd(_ a: CMTime, _ b: CMTime) -> CMTime { a + b }
public func CMTimeSubtract(_ a: CMTime, _ b: CMTime) -> CMTime { a - b }

/// Returns −1, 0 or 1. A time of an earlier epoch is less than a time of a later epoch. Invalid times are equal to each
/// other, and greater than all other times.
public func CMTimeCompare(_ a: CMTime, _ b: CMTime) -> Int32 {
    if a.rank != b.rank { return a.rank < b.rank ? -1 : 1 }
    guard a.rank == 0 else { return 0 }
    if a.epoch != b.epoch { return a.epoch < b.epoch ? -1 : 1 }
    return a.media == b.media ? 0 : a.media < b.media ? -1 : 1
}

public func CMTimeMultiply(_ time: CMTime, multiplier: Int32) -> CMTime {
    CMTimeMultiplyByRatio(time, multiplier: multiplier, divisor: 1)
}

/// Returns `time` × `multiplier` / `divisor`, which is rounded only if no time can represent it exactly.
public func CMTimeMultiplyByRatio(_ time: CMTime, multiplier: Int32, divisor: Int32) -> CMTime {
    guard !time.isIndefinite else { return divisor == 0 ? .invalid : .indefinite }
    return time.described(time.media.multiplied(byRatio: multiplier, over: divisor)) { result in
        Int128(result.value) * Int128(divisor) * Int128(time.timescale)
            == Int128(time.value) * Int128(multiplier) * Int128(result.timescale)
    }
}

public func CMTimeMultiplyByFloat64(_ time: CMTime, multiplier: Float64) -> CMTime {
    guard !time.isIndefinite else { return .indefinite }
    return time.described(time.media.multiplied(byFloat: multiplier)) { $0.seconds == time.seconds * multiplier }
}

public func CMTimeAbsoluteValue(_ time: CMTime) -> CMTime {
    if time.isNegativeInfinity { return .positiveInfinity }
    guard time.isNumeric, time.value < 0 else { return time }
    var positive = time
    positive.value = time.value == .min ? .max : -time.value
    return positive
}

public func CMTimeMinimum(_ a: CMTime, _ b: CMTime) -> CMTime { CMTimeCompare(a, b) <= 0 ? a : b }
public func CMTimeMaximum(_ a: CMTime, _ b: CMTime) -> CMTime { CMTimeCompare(a, b) >= 0 ? a : b }
