import Foundation
package import MediaTypes

/// What only this package's other modules need of a composition's tracks.
extension Composition {
    /// As `addTrack(mediaType:)`, under a number of one's choice; nil: the next one that is free.
    ///
    /// - Throws: also `invalidSettings` for a number that another track has, and one that is not above 0.
    @discardableResult
    package mutating func addTrack(mediaType: MediaType, preferredID: Track.ID?) throws(MediaError) -> Track.ID {
        guard let id = preferredID else { return try addTrack(mediaType: mediaType) }
        let action = "cannot add a track to the composition"
        guard id > 0, id <= Int(Int32.max) else {
            throw MediaError(.invalidSettings, action, reason: "\(id) is no track's number")
        }
        guard track(withID: id) == nil else {
            throw MediaError(.invalidSettings, action, reason: "another track has the number \(id)")
        }
        let last = lastID
        lastID = id - 1
        defer { lastID = max(last, lastID) }
        return try addTrack(mediaType: mediaType)
    }

    /// One segment as it shall be.
    package struct Placed: Sendable {
        /// In the composition.
        package var timeRange: TimeRange
        /// What is presented, and its range; nil for a gap.
        package var media: (asset: Asset, track: AssetTrack, timeRange: TimeRange)?

        package init(timeRange: TimeRange, media: (asset: Asset, track: AssetTrack, timeRange: TimeRange)? = nil) {
            self.timeRange = timeRange
            self.media = media
        }
    }

    /// Gives a track other segments, which follow each other from 0 on. One that is longer or shorter than its media is slower or
    /// faster.
    ///
    /// - Throws: `invalidSettings` for what is no such row, for media outside its track and a track of another kind or asset;
    ///   `unsupported` for a codec unknown to this build. Nothing is changed then.
    package mutating func replaceSegments(of id: Track.ID, with placed: [Placed]) throws(MediaError) {
        let action = "cannot give track \(id) other segments"
        let index = try index(of: id, action)
        var (segments, end): ([Segment], MediaTime) = ([], .zero)
        for place in placed {
            let range = place.timeRange
            guard range.start == end, range.duration.isNumeric, !range.isEmpty else {
                throw MediaError(
                    .invalidSettings, action, reason: "the segment at \(range.start) does not follow the one before")
            }
            end = range.end
            guard let media = place.media else {
                segments.append(.gap(range.duration))
                continue
            }
            // What is not to be inserted is refused there.
            var alone = Composition()
            try alone.insertTimeRange(
                media.timeRange, of: media.track, from: media.asset, at: .zero,
                into: alone.addTrack(mediaType: tracks[index].mediaType))
            var segment = Segment.media(media.timeRange, of: media.track, from: media.asset)
            segment.source?.map = Segment.map(media.timeRange, range.duration)
            segment.timeRange.duration = range.duration
            segments.append(segment)
        }
        tracks[index].list.replaceAll(with: segments)
    }

    /// A track as an asset made of this composition has it; nil for one with nothing in it.
    package func assetTrack(_ id: Track.ID, of asset: Asset) -> AssetTrack? {
        track(withID: id).flatMap { AssetTrack($0, assetID: asset.id) }
    }

    /// Puts a time range of all video and audio tracks of another asset in, each into a track of its own: the composition's
    /// own of its kind in their order, and new ones where they are too few, which are as the asset's. Otherwise as
    /// `insertTimeRange(_:of:at:)`. Blocks the calling thread as `Asset.loadNow` does.
    package mutating func insertEveryTrackNow(
        _ range: TimeRange, of asset: Asset, at time: MediaTime
    ) throws(MediaError) {
        let action = "cannot insert into the composition"
        let sources = try asset.loadBlocking(.tracks).filter {
            ($0.mediaType == .video || $0.mediaType == .audio) && $0.formatDescription != nil
        }
        guard !sources.isEmpty else {
            throw MediaError(
                .unsupported, action, reason: "the asset has neither video nor audio in a format known to this build")
        }
        let duration = max(try asset.loadBlocking(.duration), sources.map(\.timeRange.end).max() ?? .zero)
        var changed = self
        try changed.insert(
            range, of: asset, at: time, sources: sources, end: duration, chapters: try asset.loadBlocking(.chapters))
        self = changed
    }
}
