public import Foundation
public import MediaTypes

extension Composition {
    /// One track: segments that follow each other from 0 on. What is nil is as in the first segment with media.
    public struct Track: Sendable, Identifiable {
        public let id: Int
        public let mediaType: MediaType
        var list = SegmentList()
        /// How pictures are to be turned or moved before they are shown.
        public var preferredTransform: AffineTransform?
        /// ISO 639-2/T.
        public var languageCode: String?
        /// BCP 47.
        public var extendedLanguageTag: String?
        /// To be presented unless chosen otherwise.
        public var isEnabled = true

        init(id: Int, mediaType: MediaType) {
            self.id = id
            self.mediaType = mediaType
        }

        /// Media and gaps, without a hole from 0 to the end. The last is never a gap.
        public var segments: [Segment] { list.segments }

        /// From the first media to the end of the last; empty for a track with nothing in it.
        public var timeRange: TimeRange {
            let start = segments.first { $0.source != nil }?.timeRange.start ?? .zero
            return TimeRange(start: start, end: list.end)
        }
    }

    /// A stretch of a track.
    public struct Segment: Sendable {
        /// In the composition.
        public internal(set) var timeRange: TimeRange
        /// What is presented; nil for a gap.
        public internal(set) var source: Source?
    }

    /// A stretch of a track of another asset.
    public struct Source: Sendable {
        public let asset: Asset
        public let track: AssetTrack
        /// In the asset; as long as the segment, unless its clock ran at another rate.
        public internal(set) var timeRange: TimeRange
        /// From the asset's time to another's, of which the segment keeps the distances; nil: as they are in the asset.
        var map: TimeMap?
    }
}
