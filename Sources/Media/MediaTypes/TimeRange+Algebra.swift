/// Operations on ranges, like CMTimeRange's functions.
extension TimeRange {
    public static let zero = TimeRange(start: .zero, duration: .zero)
    public static let invalid = TimeRange(start: .invalid, duration: .invalid)

    /// True if both times are valid and the range does not end before it starts, like `CMTIMERANGE_IS_VALID`.
    public var isValid: Bool { start.isValid && duration.isValid && duration >= .zero }

    /// Returns the range from the earlier start to the later end, including any time between the two. Like
    /// `CMTimeRangeGetUnion`.
    ///
    /// - Returns: `invalid` if one of the ranges is invalid.
    public func union(_ other: TimeRange) -> TimeRange {
        guard isValid, other.isValid else { return .invalid }
        let (first, last) = (min(start, other.start), max(end, other.end))
        // The duration is set directly, because the difference of two infinities would be undefined.
        if last == .positiveInfinity { return TimeRange(start: first, duration: .positiveInfinity) }
        return TimeRange(start: first, end: last)
    }

    /// Returns true if another range is entirely within this one, like `CMTimeRangeContainsTimeRange`. An empty range
    /// may be at this range's end. Returns false if either is invalid.
    public func contains(_ other: TimeRange) -> Bool {
        isValid && other.isValid && start <= other.start && other.end <= end
    }
}

extension MediaTime {
    /// Returns the nearest time in a range, its end included, like `CMTimeClampToRange`; `invalid` if the range or the
    /// time is invalid.
    public func clamped(to range: TimeRange) -> MediaTime {
        guard isValid, range.isValid else { return .invalid }
        return self < range.start ? range.start : self > range.end ? range.end : self
    }

    /// Moves the time by a multiple of a range's length, so that the time is in the range, like `CMTimeFoldIntoRange`.
    /// For looped playback. A time in the range stays unchanged. The end of the range becomes its start.
    ///
    /// - Returns: `invalid` for a range that is empty or not finite, and for a time that is not finite.
    public func folded(into range: TimeRange) -> MediaTime {
        guard isNumeric, range.start.isNumeric, range.duration.isNumeric, !range.isEmpty else { return .invalid }
        if range.contains(self) { return self }
        let (offset, length) = (self - range.start, range.duration)
        // Both numbers count ticks of the product of both scales, so nothing is rounded. Each is at most 2^63 · 2^31.
        let whole = Int128(length.value) * Int128(offset.timescale)
        let part = Int128(offset.value) * Int128(length.timescale) % whole
        let inside = MediaTime(
            part < 0 ? part + whole : part, over: Int128(offset.timescale) * Int128(length.timescale),
            preferring: offset.timescale)
        return range.start + inside
    }

    /// Maps a time of one range to another range, like `CMTimeMapTimeFromRangeToRange`. The start is mapped to the
    /// start, the end to the end, and all other times in proportion, even times outside the range.
    ///
    /// - Returns: `invalid` for an empty range, and if only one range is endless. If both ranges are endless, the
    ///   starts are aligned and nothing is scaled.
    public func mapped(from source: TimeRange, to target: TimeRange) -> MediaTime {
        guard isValid, source.isValid, target.isValid, !source.isEmpty, !target.isEmpty else { return .invalid }
        if source.duration == .positiveInfinity, target.duration == .positiveInfinity {
            return self - source.start + target.start
        }
        return (self - source.start).scaled(from: source.duration, to: target.duration) + target.start
    }

    /// Maps a duration in proportion to the lengths of two ranges, like `CMTimeMapDurationFromRangeToRange`.
    ///
    /// - Returns: `invalid` for an empty range, and if only one range is endless. If both ranges are endless, the
    ///   duration stays unchanged.
    public func mappedDuration(from source: TimeRange, to target: TimeRange) -> MediaTime {
        guard isValid, source.isValid, target.isValid, !source.isEmpty, !target.isEmpty else { return .invalid }
        if source.duration == .positiveInfinity, target.duration == .positiveInfinity { return self }
        return scaled(from: source.duration, to: target.duration)
    }

    /// - Parameters:
    ///   - source: a duration above 0.
    ///   - target: a duration above 0.
    private func scaled(from source: MediaTime, to target: MediaTime) -> MediaTime {
        guard source.isNumeric, target.isNumeric else { return .invalid }
        guard isNumeric else { return self }
        var numerator = UInt128(target.value) * UInt128(source.timescale)
        var denominator = UInt128(source.value) * UInt128(target.timescale)
        var (a, b) = (numerator, denominator)
        while b != 0 { (a, b) = (b, a % b) }
        (numerator, denominator) = (numerator / a, denominator / a)
        // Bits beyond 62 are cut off. The error is far below any tick.
        let excess = max(0, 66 - min(numerator.leadingZeroBitCount, denominator.leadingZeroBitCount))
        (numerator, denominator) = (numerator >> excess, max(1, denominator >> excess))
        return MediaTime(
            Int128(value) * Int128(numerator), over: Int128(timescale) * Int128(denominator), preferring: timescale)
    }
}
