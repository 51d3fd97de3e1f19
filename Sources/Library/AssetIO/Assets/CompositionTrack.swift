public import Foundation
public import MediaTypes

extension Composition {
    /// One track: contiguous segments, from 0 on. For a property that is nil, the value of the first segment with media
    /// applies.
    public struct Track: Sendable, Identifiable {
        public let id: Int
        public let mediaType: MediaType
        var list = SegmentList()
        /// The rotation or shift to apply to frames before they are shown.
        public var preferredTransform: AffineTransform?
        /// The language as ISO 639-2/T code.
        public var languageCode: String?
        /// The language as BCP 47 tag.
        public var extendedLanguageTag: String?
        /// True if players present the track by default.
        public var isEnabled = true

        init(id: Int, mediaType: MediaType) {
            self.id = id
            self.mediaType = mediaType
        }

        /// Media and gaps, contiguous from 0 to the end. The last segment is never a gap.
        public var segments: [Segment] { list.segments }

        /// The time from the first media to the end of the last; empty for an empty track.
        public var timeRange: TimeRange {
            let start = segments.first { $0.source != nil }?.timeRange.start ?? .zero
            return TimeRange(start: start, end: list.end)
        }
    }

    /// A time range of a track.
    public struct Segment: Sendable {
        /// The time range in the composition.
        public internal(set) var timeRange: TimeRange
        /// The presented media; nil for a gap.
        public internal(set) var source: Source?
    }

    /// A time range of another asset's track.
    public struct Source: Sendable {
        public let asset: Asset
        public let track: AssetTrack
        /// The time range in the asset. It is as long as the segment, unless the segment was scaled or the asset's
        /// clock ran at a different rate.
        public internal(set) var timeRange: TimeRange
        /// Maps times of the asset to the clock that measures the segment's duration; nil if the segment is as long as
        /// its range in the asset.
        var map: TimeMap?
    }
}

extension Composition.Track {
    /// The gaps between the track's media, and the gaps of the media themselves. Reads no media.
    var gaps: [TimeRange] {
        segments.flatMap { segment in
            guard let source = segment.source else { return [segment.timeRange] }
            return source.asset.gaps(of: source.track).compactMap { gap in
                let part = gap.intersection(source.timeRange)
                guard !part.isEmpty else { return nil }
                return TimeRange(start: segment.time(of: part.start), end: segment.time(of: part.end))
            }
        }
    }
}

extension Asset {
    /// Returns the format of the media that a track shows at a time.
    func videoFormat(of track: AssetTrack, at time: MediaTime) -> VideoFormat? {
        guard case .composition(let composition) = origin,
            let segments = composition.track(withID: track.id)?.segments,
            let segment = segments.last(where: { $0.source != nil && $0.timeRange.start <= time }),
            let source = segment.source
        else { return track.formatDescription?.video }
        return source.asset.videoFormat(of: source.track, at: segment.sourceTime(of: time))
    }

    /// Returns the time ranges in which a track shows nothing, by its segments or its edit list. A time that one long
    /// frame fills is not a gap.
    func gaps(of track: AssetTrack) -> [TimeRange] {
        switch origin {
        case .file: track.edits.isEmpty ? [] : Composition.Track(of: track, in: self).gaps
        case .composition(let composition): composition.track(withID: track.id)?.gaps ?? []
        }
    }
}
