extension MediaTime {
    /// CMTime's rounding methods, with the same numbers (`CMTimeRoundingMethod`). The pipeline uses `Rounding`.
    public enum RoundingMethod: UInt32, Sendable, Hashable, CaseIterable {
        case roundHalfAwayFromZero = 1
        case roundTowardZero = 2
        case roundAwayFromZero = 3
        /// Toward zero into a coarser scale, away from zero into a finer one. A negative time that would become 0
        /// becomes the last tick before 0.
        case quickTime = 4
        case roundTowardPositiveInfinity = 5
        case roundTowardNegativeInfinity = 6

        public static let `default` = RoundingMethod.roundHalfAwayFromZero
    }

    /// Converts the time to another scale, like `CMTimeConvertScale`.
    ///
    /// - Returns: an infinity if the scale cannot represent the time, `invalid` for a scale that is not above 0. A time
    ///   that is not numeric stays unchanged.
    public func convertScale(_ newTimescale: Int32, method: RoundingMethod = .default) -> MediaTime {
        guard isNumeric else { return self }
        guard newTimescale > 0 else { return .invalid }
        let (whole, part) = (Int128(value) * Int128(newTimescale))
            .quotientAndRemainder(dividingBy: Int128(timescale))
        let away = Int128(part.signum())
        let ticks: Int128
        switch method {
        case .roundHalfAwayFromZero: ticks = part.magnitude * 2 >= UInt128(timescale) ? whole + away : whole
        case .roundTowardZero: ticks = whole
        case .roundAwayFromZero: ticks = whole + away
        case .quickTime:
            let rounded = newTimescale < timescale ? whole : whole + away
            ticks = rounded == 0 && value < 0 ? -1 : rounded
        case .roundTowardPositiveInfinity: ticks = part > 0 ? whole + 1 : whole
        case .roundTowardNegativeInfinity: ticks = part < 0 ? whole - 1 : whole
        }
        guard let value = Int64(exactly: ticks) else { return ticks < 0 ? .negativeInfinity : .positiveInfinity }
        return MediaTime(value: value, timescale: newTimescale)
    }
}
