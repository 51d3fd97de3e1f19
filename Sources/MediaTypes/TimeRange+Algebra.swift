/// Ranges together, as CMTimeRange's functions have them.
extension TimeRange {
    public static let zero = TimeRange(start: .zero, duration: .zero)
    public static let invalid = TimeRange(start: .invalid, duration: .invalid)

    /// As `CMTIMERANGE_IS_VALID`: both times are valid, and it does not end before it begins.
    public var isValid: Bool { start.isValid && duration.isValid && duration >= .zero }

    /// From where the first of both begins to where the last ends, with what lies between. As `CMTimeRangeGetUnion`.
    ///
    /// - Returns: `invalid` where one of them is.
    public func union(_ other: TimeRange) -> TimeRange {
        guard isValid, other.isValid else { return .invalid }
        let (first, last) = (min(start, other.start), max(end, other.end))
        // Both for ever: the difference of two infinities says nothing.
        if last == .positiveInfinity { return TimeRange(start: first, duration: .positiveInfinity) }
        return TimeRange(start: first, end: last)
    }

    /// Whether all of another range lies within, as `CMTimeRangeContainsTimeRange`; an empty one where it stands, the end
    /// included. false for what is not valid.
    public func contains(_ other: TimeRange) -> Bool {
        isValid && other.isValid && start <= other.start && other.end <= end
    }
}

extension MediaTime {
    /// The nearest time in a range, its end included, as `CMTimeClampToRange`. `invalid` for a range or a time that is.
    public func clamped(to range: TimeRange) -> MediaTime {
        guard isValid, range.isValid else { return .invalid }
        return self < range.start ? range.start : self > range.end ? range.end : self
    }

    /// The time as many lengths of a range earlier or later as bring it into the range, as `CMTimeFoldIntoRange`: for what plays
    /// in a loop. What lies in the range stays where it is, and its end becomes its start.
    ///
    /// - Returns: `invalid` for a range that is empty or not finite, and for a time that is not finite.
    public func folded(into range: TimeRange) -> MediaTime {
        guard isNumeric, range.start.isNumeric, range.duration.isNumeric, !range.isEmpty else { return .invalid }
        if range.contains(self) { return self }
        let (offset, length) = (self - range.start, range.duration)
        // Both in ticks of the product of both scales, which no rounding touches: 2^63 · 2^31 each.
        let whole = Int128(length.value) * Int128(offset.timescale)
        let part = Int128(offset.value) * Int128(length.timescale) % whole
        let inside = MediaTime(
            part < 0 ? part + whole : part, over: Int128(offset.timescale) * Int128(length.timescale),
            preferring: offset.timescale)
        return range.start + inside
    }

    /// The time that stands in one range where this one stands in the other, as `CMTimeMapTimeFromRangeToRange`: start on start,
    /// end on end, others in proportion, also outside.
    ///
    /// - Returns: `invalid` for an empty range, and where only one is endless. Of two endless ones the starts are brought
    ///   together, and nothing is scaled.
    public func mapped(from source: TimeRange, to target: TimeRange) -> MediaTime {
        guard isValid, source.isValid, target.isValid, !source.isEmpty, !target.isEmpty else { return .invalid }
        if source.duration == .positiveInfinity, target.duration == .positiveInfinity {
            return self - source.start + target.start
        }
        return (self - source.start).scaled(from: source.duration, to: target.duration) + target.start
    }

    /// A length of time, in proportion to the lengths of two ranges, as `CMTimeMapDurationFromRangeToRange`.
    ///
    /// - Returns: `invalid` for an empty range, and where only one is endless. Of two endless ones the length stays.
    public func mappedDuration(from source: TimeRange, to target: TimeRange) -> MediaTime {
        guard isValid, source.isValid, target.isValid, !source.isEmpty, !target.isEmpty else { return .invalid }
        if source.duration == .positiveInfinity, target.duration == .positiveInfinity { return self }
        return scaled(from: source.duration, to: target.duration)
    }

    /// - Parameters:
    ///   - source: above 0, as `target`.
    private func scaled(from source: MediaTime, to target: MediaTime) -> MediaTime {
        guard source.isNumeric, target.isNumeric else { return .invalid }
        guard isNumeric else { return self }
        var numerator = UInt128(target.value) * UInt128(source.timescale)
        var denominator = UInt128(source.value) * UInt128(target.timescale)
        var (a, b) = (numerator, denominator)
        while b != 0 { (a, b) = (b, a % b) }
        (numerator, denominator) = (numerator / a, denominator / a)
        // What 62 bits do not hold is rounded there, far below any tick.
        let excess = max(0, 66 - min(numerator.leadingZeroBitCount, denominator.leadingZeroBitCount))
        (numerator, denominator) = (numerator >> excess, max(1, denominator >> excess))
        return MediaTime(
            Int128(value) * Int128(numerator), over: Int128(timescale) * Int128(denominator), preferring: timescale)
    }
}
