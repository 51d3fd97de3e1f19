extension MediaTime {
    /// The ways of rounding of CMTime, with its numbers (`CMTimeRoundingMethod`). What the pipeline rounds by is `Rounding`.
    public enum RoundingMethod: UInt32, Sendable, Hashable, CaseIterable {
        case roundHalfAwayFromZero = 1
        case roundTowardZero = 2
        case roundAwayFromZero = 3
        /// Toward zero into a coarser scale, away from zero into a finer one; and a negative time never becomes 0, but the last
        /// tick before it.
        case quickTime = 4
        case roundTowardPositiveInfinity = 5
        case roundTowardNegativeInfinity = 6

        public static let `default` = RoundingMethod.roundHalfAwayFromZero
    }

    /// The same time in another scale, as `CMTimeConvertScale`.
    ///
    /// - Returns: an infinity for what the scale cannot tell, `invalid` for a scale that is not above 0. What is no number
    ///   stays what it is.
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
