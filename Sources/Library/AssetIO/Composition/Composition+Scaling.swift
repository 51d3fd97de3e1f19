package import MediaTypes

extension Composition {
    /// Changes the duration of a time range in one track or in all. Frames are shown for a longer or shorter time.
    /// Audio is slowed down or sped up, which changes its pitch. Later content moves accordingly. Chapters move only if
    /// all tracks are scaled.
    ///
    /// - Throws: `invalidSettings` for a range that is empty, infinite or begins before 0, a duration that is not above
    ///   0, and an unknown track id.
    package mutating func scaleTimeRange(
        _ range: TimeRange, to duration: MediaTime, in id: Track.ID? = nil
    ) throws(MediaError) {
        let action = "cannot scale a time range"
        guard !range.isEmpty, range.start.isNumeric, range.start >= .zero, range.duration.isNumeric else {
            throw MediaError(.invalidSettings, action, reason: "the range is empty or begins before 0")
        }
        guard duration.isNumeric, duration > .zero else {
            throw MediaError(.invalidSettings, action, reason: "the new duration, \(duration), must be greater than 0")
        }
        if let id {
            tracks[try index(of: id, action)].list.scale(range, to: duration)
            return
        }
        for index in tracks.indices { tracks[index].list.scale(range, to: duration) }
        func moved(_ time: MediaTime) -> MediaTime {
            if time <= range.start { return time }
            if time >= range.end { return time - range.duration + duration }
            return range.start + MediaTime.scaled(time - range.start, from: range.duration, to: duration)
        }
        for index in chapters.indices {
            let range = chapters[index].timeRange
            chapters[index].timeRange = TimeRange(start: moved(range.start), end: moved(range.end))
        }
    }
}

extension Composition.Segment {
    /// Returns the same media with a different duration.
    func lasting(_ duration: MediaTime) -> Self {
        var result = self
        result.timeRange.duration = duration
        guard let source else { return result }
        if source.map == nil, source.timeRange.duration == duration { return result }
        let (media, old) = (source.timeRange, timeRange.duration)
        guard let map = source.map else {
            result.source?.map = Self.map(media, duration)
            return result
        }
        if map.pieces.count == 1, media.duration == duration {
            result.source?.map = nil
            return result
        }
        // Each piece of the map is scaled separately, as far as it is within the segment.
        let start = map.target(of: media.start)
        func moved(_ moment: MediaTime) -> MediaTime {
            MediaTime.scaled(map.target(of: moment) - start, from: old, to: duration)
        }
        let pieces = map.pieces.compactMap { piece -> TimeMap.Piece? in
            let part = piece.source.intersection(media)
            guard !part.isEmpty else { return nil }
            let target = TimeRange(start: moved(part.start), end: moved(part.end))
            return target.isEmpty ? nil : TimeMap.Piece(source: part, target: target)
        }
        result.source?.map = TimeMap(pieces) ?? Self.map(media, duration)
        return result
    }

    /// Returns a map from a time range of media to one of a different length; nil if the lengths are equal.
    static func map(_ media: TimeRange, _ duration: MediaTime) -> TimeMap? {
        guard media.duration != duration else { return nil }
        return TimeMap([TimeMap.Piece(source: media, target: TimeRange(start: .zero, duration: duration))])
    }
}

extension MediaTime {
    /// Maps a time within one length to the same fraction of another length. Exact at both ends, otherwise rounded to
    /// the nearest nanosecond.
    static func scaled(_ time: MediaTime, from: MediaTime, to: MediaTime) -> MediaTime {
        if time == from { return to }
        if time == .zero || from == to { return time }
        let (numerator, denominator) = (Int128(to.nanoseconds), Int128(max(1, from.nanoseconds)))
        let product = Int128(time.nanoseconds) * numerator * 2 + denominator
        return MediaTime(nanoseconds: Int64(clamping: product / (denominator * 2)))
    }
}
