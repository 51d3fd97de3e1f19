import MediaTypes

/// What an edit does to a chapter.
extension AssetChapter {
    /// The part within a range, at the place where the range goes to; nil when there is none.
    func moved(from range: TimeRange, to time: MediaTime) -> AssetChapter? {
        let part = timeRange.intersection(range)
        guard !part.isEmpty else { return nil }
        return AssetChapter(
            timeRange: TimeRange(start: part.start - range.start + time, duration: part.duration), title: title)
    }

    /// The chapter after something was put in: a later one moves, one around that place grows, or falls in two where
    /// others come between.
    func opened(at time: MediaTime, for length: MediaTime, isSplit: Bool) -> [AssetChapter] {
        if timeRange.end <= time { return [self] }
        if timeRange.start >= time {
            return [with(TimeRange(start: timeRange.start + length, duration: timeRange.duration))]
        }
        if !isSplit { return [with(TimeRange(start: timeRange.start, duration: timeRange.duration + length))] }
        return [
            with(TimeRange(start: timeRange.start, end: time)),
            with(TimeRange(start: time + length, end: timeRange.end + length)),
        ]
    }

    /// The chapter after a stretch was taken out; nil when nothing is left of it.
    func closed(over range: TimeRange) -> AssetChapter? {
        func moved(_ time: MediaTime) -> MediaTime {
            time <= range.start ? time : time < range.end ? range.start : time - range.duration
        }
        let left = TimeRange(start: moved(timeRange.start), end: moved(timeRange.end))
        return left.isEmpty ? nil : with(left)
    }

    private func with(_ timeRange: TimeRange) -> AssetChapter { AssetChapter(timeRange: timeRange, title: title) }
}
