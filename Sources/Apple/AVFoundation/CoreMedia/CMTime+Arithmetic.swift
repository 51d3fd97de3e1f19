import Foundation
import MediaTypes

extension CMTime {
    public static func + (a: CMTime, b: CMTime) -> CMTime { combined(a, b, +) }
    public static func - (a: CMTime, b: CMTime) -> CMTime { combined(a, b, -) }
    public static func += (a: inout CMTime, b: CMTime) { a = a + b }
    public static func -= (a: inout CMTime, b: CMTime) { a = a - b }
    public static prefix func - (a: CMTime) -> CMTime { .zero - a }

    /// Combines two times. If a time is invalid, indefinite or infinite, so is the result.
    private static func combined(_ a: CMTime, _ b: CMTime, _ combine: (MediaTime, MediaTime) -> MediaTime) -> CMTime {
        guard a.isValid, b.isValid else { return .invalid }
        guard !a.isIndefinite, !b.isIndefinite else { return .indefinite }
        var sum = CMTime(combine(a.media, b.media))
        guard sum.isNumeric else { return sum }
        guard a.epoch == b.epoch else { return .invalid }
        sum.epoch = a.epoch
        let isExact =
            sum.timescale % a.timescale == 0 && sum.timescale % b.timescale == 0 && sum.value != .max
            && sum.value != .min
        if a.hasBeenRounded || b.hasBeenRounded || !isExact { sum.flags.insert(.hasBeenRounded) }
        return sum
    }

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
