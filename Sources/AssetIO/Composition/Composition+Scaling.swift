package import MediaTypes

extension Composition {
    /// Has a stretch of one track or of all take another time: pictures are shown longer or shorter, sound is heard slower or
    /// faster, with its pitch. What comes later follows at once; chapters go with it when all tracks do.
    ///
    /// - Throws: `invalidSettings` for a range that is empty, infinite or begins before 0, a duration that is not above 0, and
    ///   for an id that no track has.
    package mutating func scaleTimeRange(
        _ range: TimeRange, to duration: MediaTime, in id: Track.ID? = nil
    ) throws(MediaError) {
        let action = "cannot scale a time range"
        guard !range.isEmpty, range.start.isNumeric, range.start >= .zero, range.duration.isNumeric else {
            throw MediaError(.invalidSettings, action, reason: "the range is empty or begins before 0")
        }
        guard duration.isNumeric, duration > .zero else {
            throw MediaError(.invalidSettings, action, reason: "the new duration, \(duration), is not above 0")
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
            let stretch = chapters[index].timeRange
            chapters[index].timeRange = TimeRange(start: moved(stretch.start), end: moved(stretch.end))
        }
    }
}

extension Composition.Segment {
    /// The same media in another time.
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
        // Each line of the map for itself, as far as the segment has it.
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

    /// From a stretch of media to one of another length; nil where both are alike.
    static func map(_ media: TimeRange, _ duration: MediaTime) -> TimeMap? {
        guard media.duration != duration else { return nil }
        return TimeMap([TimeMap.Piece(source: media, target: TimeRange(start: .zero, duration: duration))])
    }
}

extension MediaTime {
    /// What part of one length is, as the same part of another; exact at both ends, else to the nearest nanosecond.
    static func scaled(_ time: MediaTime, from: MediaTime, to: MediaTime) -> MediaTime {
        if time == from { return to }
        if time == .zero || from == to { return time }
        let (numerator, denominator) = (Int128(to.nanoseconds), Int128(max(1, from.nanoseconds)))
        let product = Int128(time.nanoseconds) * numerator * 2 + denominator
        return MediaTime(nanoseconds: Int64(clamping: product / (denominator * 2)))
    }
}
