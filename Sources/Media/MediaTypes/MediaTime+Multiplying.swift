/// Products of times, like CMTime's functions.
///
/// A result is exact if a 32-bit time scale and a 64-bit value can represent it. Otherwise it is rounded, half away
/// from zero, in the finest scale that can hold it. If no scale can hold it, the result is an infinity. Nothing traps.
/// `invalid` stays invalid; an infinity stays infinite, with the sign of the product.
extension MediaTime {
    /// The product with an integer, like `CMTimeMultiply`.
    public func multiplied(by multiplier: Int32) -> MediaTime {
        guard isNumeric else { return unbounded(times: Int(multiplier.signum())) }
        return MediaTime(Int128(value) * Int128(multiplier), over: Int128(timescale), preferring: timescale)
    }

    /// The product with a floating-point number, like `CMTimeMultiplyByFloat64`. The number counts as the exact binary
    /// fraction that it is: 0.1 is not quite a tenth.
    ///
    /// An infinite multiplier makes a time infinite, or `invalid` if the time is 0. A NaN makes every time `invalid`.
    public func multiplied(byFloat multiplier: Double) -> MediaTime {
        guard isNumeric, multiplier.isFinite else {
            let sign = multiplier.isNaN ? 0 : multiplier > 0 ? 1 : multiplier < 0 ? -1 : 0
            guard isNumeric else { return unbounded(times: sign) }
            return MediaTime.positiveInfinity.unbounded(times: sign * Int(value.signum()))
        }
        guard multiplier != 0, value != 0 else { return MediaTime(value: 0, timescale: timescale) }
        // The number is `significand` · 2^`exponent`. `significand` is odd and below 2^53.
        let width = Int(multiplier.significandWidth)
        let significand = Int128(multiplier.significand * Double(sign: .plus, exponent: width, significand: 1))
        let exponent = Int(multiplier.exponent) - width
        var product = Int128(value) * significand * (multiplier < 0 ? -1 : 1)
        // A product that large is not representable, not even in whole seconds.
        guard exponent < 64 else { return product < 0 ? .negativeInfinity : .positiveInfinity }
        if exponent >= 0 {
            let (shifted, isLost) = (product << exponent, product.magnitude.leadingZeroBitCount <= exponent + 1)
            guard !isLost else { return product < 0 ? .negativeInfinity : .positiveInfinity }
            return MediaTime(shifted, over: Int128(timescale), preferring: timescale)
        }
        // No scale can represent less than 2^-62 of a tick.
        var denominator = -exponent
        if denominator > 62 {
            let excess = denominator - 62
            product = excess > 126 ? 0 : product / (Int128(1) << excess)
            denominator = 62
        }
        return MediaTime(product, over: Int128(timescale) << denominator, preferring: timescale)
    }

    /// The product with `multiplier` / `divisor`, like `CMTimeMultiplyByRatio`; `invalid` if the divisor is 0.
    public func multiplied(byRatio multiplier: Int32, over divisor: Int32) -> MediaTime {
        guard divisor != 0 else { return .invalid }
        guard isNumeric else { return unbounded(times: Int(multiplier.signum() * divisor.signum())) }
        let numerator = Int128(value) * Int128(multiplier) * (divisor < 0 ? -1 : 1)
        let denominator = Int128(timescale) * Int128(divisor.magnitude)
        return MediaTime(numerator, over: denominator, preferring: timescale)
    }

    /// The absolute value, like `CMTimeAbsoluteValue`.
    public var absoluteValue: MediaTime {
        guard isNumeric else { return isValid ? .positiveInfinity : .invalid }
        // The smallest `Int64` has no positive counterpart in the same scale.
        return MediaTime(Int128(value.magnitude), over: Int128(timescale), preferring: timescale)
    }

    /// The product of this non-numeric time and a number with this sign. An infinity times 0 is `invalid`.
    private func unbounded(times sign: Int) -> MediaTime {
        guard isValid, sign != 0 else { return .invalid }
        return (value > 0) == (sign > 0) ? .positiveInfinity : .negativeInfinity
    }
}

extension MediaTime {
    /// Converts a fraction of seconds. The result is the first of these that is possible:
    /// - exact, in the preferred scale;
    /// - exact, in lowest terms;
    /// - rounded, in the finest scale that can hold the result; candidates are the preferred scale, its repeated
    ///   doubles and its repeated halves;
    /// - an infinity.
    ///
    /// - Parameters:
    ///   - numerator: any number.
    ///   - denominator: a number from 1 to 2^95.
    ///   - scale: the preferred scale, above 0.
    init(_ numerator: Int128, over denominator: Int128, preferring scale: Int32) {
        let (seconds, rest) = numerator.quotientAndRemainder(dividingBy: denominator)
        guard seconds.magnitude <= UInt128(Int64.max) + 1 else {
            self = numerator < 0 ? .negativeInfinity : .positiveInfinity
            return
        }
        /// Returns the value in a time scale, and true if it is exact. Nothing overflows: the remainder is below 2^95,
        /// and a scale below 2^31.
        func ticks(_ scale: Int128) -> (value: Int128, isExact: Bool) {
            let (whole, part) = (rest * scale).quotientAndRemainder(dividingBy: denominator)
            let isUpper = part.magnitude * 2 >= UInt128(denominator)
            let value = seconds * scale + whole + (isUpper ? part.signum() : 0)
            return (value, part == 0)
        }
        let preferred = ticks(Int128(scale))
        if preferred.isExact, let value = Int64(exactly: preferred.value) {
            self.init(value: value, timescale: scale)
            return
        }
        let divisor = Self.divisor(numerator.magnitude, UInt128(denominator))
        if let lowest = Int32(exactly: UInt128(denominator) / divisor),
            let value = Int64(exactly: numerator / Int128(divisor))
        {
            self.init(value: value, timescale: lowest)
            return
        }
        var finest = scale
        while finest <= Int32.max / 2 { finest *= 2 }
        while finest >= 1 {
            if let value = Int64(exactly: ticks(Int128(finest)).value) {
                self.init(value: value, timescale: finest)
                return
            }
            finest /= 2
        }
        self = numerator < 0 ? .negativeInfinity : .positiveInfinity
    }

    private static func divisor(_ a: UInt128, _ b: UInt128) -> UInt128 {
        var (a, b) = (a, b)
        while b != 0 { (a, b) = (b, a % b) }
        return max(a, 1)
    }
}
