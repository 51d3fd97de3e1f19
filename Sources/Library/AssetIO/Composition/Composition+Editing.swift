public import MediaTypes

extension Composition {
    /// Inserts a time range of another asset's track into a track of the composition. Later content moves by the length
    /// of the range.
    ///
    /// If `time` is after the end of the track, a gap is inserted before the range. If the inserted range begins before
    /// the other track does, the insertion begins with a gap.
    ///
    /// - Parameters:
    ///   - range: a time range in the other asset; an infinite range extends to the end of the other track.
    ///   - time: a time in the composition.
    /// - Throws: `invalidSettings` for a range that is empty or not within the track, a time before 0, an unknown track
    ///   id, a track of a different media type, and a track that does not belong to `asset`; `unsupported` for a codec
    ///   unknown to this build.
    public mutating func insertTimeRange(
        _ range: TimeRange, of track: AssetTrack, from asset: Asset, at time: MediaTime, into id: Track.ID
    ) throws(MediaError) {
        let action = "cannot insert into track \(id)"
        let index = try index(of: id, action)
        guard track.assetID == asset.id else {
            throw MediaError(.invalidSettings, action, reason: "track \(track.id) belongs to another asset")
        }
        guard track.mediaType == tracks[index].mediaType else {
            throw MediaError(
                .invalidSettings, action,
                reason: "it is \(tracks[index].mediaType), but the track to insert is \(track.mediaType)")
        }
        guard track.formatDescription != nil else {
            throw MediaError(
                .unsupported, action, reason: "the track to insert has an unknown format, \(track.codecName)")
        }
        try Self.require(time, action)
        let range = try Self.clipped(range, to: track.timeRange.end, action)
        tracks[index].list.insert(Self.segments(range, of: track, from: asset), at: time)
    }

    /// Inserts a complete track of another asset into a track. `map` converts its times. No mapped time may be before
    /// 0.
    ///
    /// - Throws: the errors of `insertTimeRange`.
    package mutating func insert(
        _ track: AssetTrack, from asset: Asset, by map: TimeMap, into id: Track.ID
    ) throws(MediaError) {
        let whole = TimeRange(start: .zero, end: .positiveInfinity)
        if let shift = map.shift {
            return try insertTimeRange(whole, of: track, from: asset, at: shift, into: id)
        }
        // Inserting into an empty composition checks if the track can be inserted.
        var alone = Composition()
        try alone.insertTimeRange(
            whole, of: track, from: asset, at: .zero, into: alone.addTrack(mediaType: track.mediaType))
        let (action, media) = ("cannot insert into track \(id)", track.timeRange)
        let target = TimeRange(start: map.target(of: media.start), end: map.target(of: media.end))
        try Self.require(target.start, action)
        let source = Source(asset: asset, track: track, timeRange: media, map: map)
        tracks[try index(of: id, action)].list.insert(
            [Segment(timeRange: target, source: source)], at: target.start)
    }

    /// Inserts a time range of another asset: its first enabled video track, its first enabled audio track and its
    /// chapters. If all tracks of a type are disabled, the first one is inserted.
    ///
    /// They are inserted into the composition's own first tracks of these types, which are added if missing. In every
    /// track, the content from `time` on moves by the length of the range. If the asset's track is shorter than the
    /// range, a gap follows it.
    ///
    /// - Parameters:
    ///   - range: a time range in the other asset; an infinite range extends to the asset's end.
    ///   - time: a time in the composition.
    /// - Throws: `invalidSettings` for a range that is empty or not within the asset and for a time before 0;
    ///   `unsupported` for an asset without video and audio; the errors of loading. The composition is then unchanged.
    public mutating func insertTimeRange(
        _ range: TimeRange, of asset: Asset, at time: MediaTime
    ) async throws(MediaError) {
        let (all, duration, chapters) = try await asset.load(.tracks, .duration, .chapters)
        try insert(range, of: asset, at: time, tracks: all, end: duration, chapters: chapters)
    }

    /// Variant for threads that are not tasks. Blocks the calling thread as `Asset.loadNow` does.
    @available(*, noasync, message: "use insertTimeRange")
    public mutating func insertTimeRangeNow(
        _ range: TimeRange, of asset: Asset, at time: MediaTime
    ) throws(MediaError) {
        try insert(
            range, of: asset, at: time, tracks: try asset.loadNow(.tracks),
            end: try asset.loadNow(.duration), chapters: try asset.loadNow(.chapters))
    }

    private mutating func insert(
        _ range: TimeRange, of asset: Asset, at time: MediaTime, tracks all: [AssetTrack], end duration: MediaTime,
        chapters: [AssetChapter]
    ) throws(MediaError) {
        let sources = try Self.presented(all, "cannot insert into the composition")
        let end = max(duration, sources.map(\.timeRange.end).max() ?? .zero)
        try insert(range, of: asset, at: time, sources: sources, end: end, chapters: chapters)
    }

    /// - Parameters:
    ///   - sources: tracks of the asset; each is inserted into the next track of the same type in the composition.
    ///   - duration: the asset's duration.
    mutating func insert(
        _ range: TimeRange, of asset: Asset, at time: MediaTime, sources: [AssetTrack], end duration: MediaTime,
        chapters: [AssetChapter]
    ) throws(MediaError) {
        let action = "cannot insert into the composition"
        try Self.require(time, action)
        let range = try Self.clipped(range, to: duration, action)
        var fillings: [Track.ID: [Segment]] = [:]
        for source in sources {
            let known = tracks.first { $0.mediaType == source.mediaType && fillings[$0.id] == nil }?.id
            let id = if let known { known } else { try addTrack(mediaType: source.mediaType) }
            fillings[id] = Self.segments(range, of: source, from: asset)
        }
        for index in tracks.indices {
            tracks[index].list.insert(fillings[tracks[index].id] ?? [.gap(range.duration)], at: time)
        }
        let inserted = chapters.compactMap { $0.moved(from: range, to: time) }
        self.chapters = self.chapters.flatMap { $0.opened(at: time, for: range.duration, isSplit: !inserted.isEmpty) }
        self.chapters += inserted
        self.chapters.sort { $0.timeRange.start < $1.timeRange.start }
    }

    /// Inserts a gap into one track, or into all tracks and the chapters. The content from the range's start on moves
    /// later by the range's length. A track always ends with media, so a gap at or after its end has no effect.
    ///
    /// - Throws: `invalidSettings` for a range that is empty, infinite or begins before 0, and for an unknown track id.
    public mutating func insertEmptyTimeRange(
        _ range: TimeRange, into id: Track.ID? = nil
    ) throws(MediaError) {
        let action = "cannot insert an empty time range"
        try Self.require(range, action)
        for index in try indices(id, action) { tracks[index].list.insert([.gap(range.duration)], at: range.start) }
        guard id == nil else { return }
        chapters = chapters.flatMap { $0.opened(at: range.start, for: range.duration, isSplit: false) }
    }

    /// Removes a time range from one track, or from all tracks and the chapters. Later content moves earlier by the
    /// range's duration.
    ///
    /// - Throws: `invalidSettings` for a range that is empty or begins before 0, and for an unknown track id.
    public mutating func removeTimeRange(_ range: TimeRange, from id: Track.ID? = nil) throws(MediaError) {
        let action = "cannot remove a time range"
        guard !range.isEmpty, range.start.isNumeric, range.start >= .zero else { throw Self.badRange(action) }
        for index in try indices(id, action) { tracks[index].list.remove(range) }
        guard id == nil else { return }
        chapters = chapters.compactMap { $0.closed(over: range) }
    }

    // MARK: Rules

    /// Returns the presented tracks of an asset: one video and one audio track.
    static func presented(_ tracks: [AssetTrack], _ action: String) throws(MediaError) -> [AssetTrack] {
        let usable = tracks.filter { $0.formatDescription != nil }
        let known = [MediaType.video, .audio].compactMap { usable.presented($0) }
        guard !known.isEmpty else {
            throw MediaError(
                .unsupported, action, reason: "the asset has no video or audio in a format that this build supports")
        }
        return known
    }

    private static func segments(_ range: TimeRange, of track: AssetTrack, from asset: Asset) -> [Segment] {
        let media = range.intersection(track.timeRange)
        guard !media.isEmpty else { return [.gap(range.duration)] }
        return [
            .gap(media.start - range.start), .media(media, of: track, from: asset), .gap(range.end - media.end),
        ]
    }

    private func indices(_ id: Track.ID?, _ action: String) throws(MediaError) -> [Int] {
        guard let id else { return Array(tracks.indices) }
        return [try index(of: id, action)]
    }

    /// The tolerance for rounding: headers count in coarser ticks than tracks.
    private static let rounding = MediaTime(value: 1, timescale: 1000)

    private static func clipped(
        _ range: TimeRange, to end: MediaTime, _ action: String
    ) throws(MediaError) -> TimeRange {
        let isOpen = range.duration == .positiveInfinity
        guard !range.isEmpty, range.start.isNumeric, range.start >= .zero, isOpen || range.duration.isNumeric else {
            throw badRange(action)
        }
        guard range.start < end, isOpen || range.end <= end + rounding else {
            throw MediaError(
                .invalidSettings, action,
                reason: "the range is not within its source, which ends at \(end.words)")
        }
        return TimeRange(start: range.start, end: isOpen ? end : min(range.end, end))
    }

    private static func require(_ time: MediaTime, _ action: String) throws(MediaError) {
        guard time.isNumeric, time >= .zero else {
            throw MediaError(.invalidSettings, action, reason: "the time, \(time), must be 0 or later")
        }
    }

    private static func require(_ range: TimeRange, _ action: String) throws(MediaError) {
        guard !range.isEmpty, range.start.isNumeric, range.start >= .zero, range.duration.isNumeric else {
            throw badRange(action)
        }
    }

    private static func badRange(_ action: String) -> MediaError {
        MediaError(.invalidSettings, action, reason: "the range is empty or begins before 0")
    }
}

/// The effect of an edit on a chapter.
extension AssetChapter {
    /// Returns the part of the chapter within a range, moved to where the range is inserted; nil if there is none.
    func moved(from range: TimeRange, to time: MediaTime) -> AssetChapter? {
        let part = timeRange.intersection(range)
        guard !part.isEmpty else { return nil }
        return AssetChapter(
            timeRange: TimeRange(start: part.start - range.start + time, duration: part.duration), title: title)
    }

    /// Returns the chapter after an insertion. A later chapter moves. A chapter around the insertion grows, or is split
    /// in two if other chapters come between.
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

    /// Returns the chapter after a time range was removed; nil if nothing is left of it.
    func closed(over range: TimeRange) -> AssetChapter? {
        func moved(_ time: MediaTime) -> MediaTime {
            time <= range.start ? time : time < range.end ? range.start : time - range.duration
        }
        let left = TimeRange(start: moved(timeRange.start), end: moved(timeRange.end))
        return left.isEmpty ? nil : with(left)
    }

    private func with(_ timeRange: TimeRange) -> AssetChapter { AssetChapter(timeRange: timeRange, title: title) }
}
