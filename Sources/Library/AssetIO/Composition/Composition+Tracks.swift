import Foundation
package import MediaTypes

/// Track operations that only this package's other modules need.
extension Composition {
    /// Adds a track as `addTrack(mediaType:)` does, with the id `preferredID`, or with the next free id if
    /// `preferredID` is nil.
    ///
    /// - Throws: the errors of `addTrack(mediaType:)`; `invalidSettings` for an id that another track has, and for an
    ///   id that is not above 0.
    @discardableResult
    package mutating func addTrack(mediaType: MediaType, preferredID: Track.ID?) throws(MediaError) -> Track.ID {
        guard let id = preferredID else { return try addTrack(mediaType: mediaType) }
        let action = "cannot add a track to the composition"
        guard id > 0, id <= Int(Int32.max) else {
            throw MediaError(.invalidSettings, action, reason: "invalid track ID \(id)")
        }
        guard track(withID: id) == nil else {
            throw MediaError(.invalidSettings, action, reason: "another track has the ID \(id)")
        }
        let last = lastID
        lastID = id - 1
        defer { lastID = max(last, lastID) }
        return try addTrack(mediaType: mediaType)
    }

    /// A segment to be placed in a track.
    package struct Placed: Sendable {
        /// The time range in the composition.
        package var timeRange: TimeRange
        /// The presented media and its range; nil for a gap.
        package var media: (asset: Asset, track: AssetTrack, timeRange: TimeRange)?

        package init(timeRange: TimeRange, media: (asset: Asset, track: AssetTrack, timeRange: TimeRange)? = nil) {
            self.timeRange = timeRange
            self.media = media
        }
    }

    /// Replaces the segments of a track. The new segments must be contiguous, from 0 on. A segment that is longer or
    /// shorter than its media is slowed down or sped up.
    ///
    /// - Throws: `invalidSettings` for segments that are not contiguous, for media outside its track, for a track of a
    ///   different media type, and for one that does not belong to its asset; `unsupported` for a codec unknown to this
    ///   build. The composition is then unchanged.
    package mutating func replaceSegments(of id: Track.ID, with placed: [Placed]) throws(MediaError) {
        let action = "cannot replace the segments of track \(id)"
        let index = try index(of: id, action)
        var (segments, end): ([Segment], MediaTime) = ([], .zero)
        for place in placed {
            let range = place.timeRange
            guard range.start == end, range.duration.isNumeric, !range.isEmpty else {
                throw MediaError(
                    .invalidSettings, action,
                    reason: "the segment at \(range.start) does not begin where the previous one ends")
            }
            end = range.end
            guard let media = place.media else {
                segments.append(.gap(range.duration))
                continue
            }
            // Inserting into an empty composition checks if the media can be inserted.
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

    /// Returns the asset's track for one of this composition's tracks; nil for an empty track. The asset must be made
    /// of this composition.
    package func assetTrack(_ id: Track.ID, of asset: Asset) -> AssetTrack? {
        track(withID: id).flatMap { AssetTrack($0, assetID: asset.id) }
    }

    /// Inserts a time range of all video and audio tracks of another asset, each into a track of its own. The
    /// composition's own tracks of each type are used in order; if there are too few, tracks are added. In all other
    /// respects it works as `insertTimeRange(_:of:at:)`. Blocks the calling thread as `Asset.loadNow` does.
    package mutating func insertEveryTrackNow(
        _ range: TimeRange, of asset: Asset, at time: MediaTime
    ) throws(MediaError) {
        let action = "cannot insert into the composition"
        let sources = try asset.loadNow(.tracks).filter {
            ($0.mediaType == .video || $0.mediaType == .audio) && $0.formatDescription != nil
        }
        guard !sources.isEmpty else {
            throw MediaError(
                .unsupported, action, reason: "the asset has no video or audio in a format that this build supports")
        }
        let duration = max(try asset.loadNow(.duration), sources.map(\.timeRange.end).max() ?? .zero)
        var changed = self
        try changed.insert(
            range, of: asset, at: time, sources: sources, end: duration, chapters: try asset.loadNow(.chapters))
        self = changed
    }
}
