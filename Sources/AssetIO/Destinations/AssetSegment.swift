public import MediaTypes

/// One piece of a movie that is delivered as it grows (HTTP Live Streaming, RFC 8216; CMAF, ISO/IEC 23000-19).
public struct AssetSegment: Sendable {
    public enum Kind: Sendable, Hashable {
        /// The formats of the tracks, without samples. Comes first, and once more in front of the first segment of a track that
        /// was not known until then.
        case initialization
        /// Samples. Begins with a key frame where there is video.
        case media
    }

    /// Which standard's rules segments follow.
    public enum Profile: Sendable, Hashable {
        /// HTTP Live Streaming: all tracks in one stream.
        case hls
        /// The Common Media Application Format: one track in each stream, and brands that say so.
        case cmaf
    }

    /// Where a sample's bytes are in a segment.
    public struct SampleReport: Sendable, Hashable {
        /// When it is shown, from the session's start.
        public var presentationTime: MediaTime
        /// From the segment's first byte.
        public var offset: Int
        public var byteCount: Int
        public var isKeyFrame: Bool
    }

    /// What a media segment holds of one track.
    public struct TrackReport: Sendable, Hashable {
        /// As in the initialization segment, from 1.
        public var trackID: Int
        public var mediaType: MediaType
        /// When the first of its samples is shown, from the session's start.
        public var earliestPresentation: MediaTime
        public var duration: MediaTime
        public var sampleCount: Int
        /// The first in the order of decoding.
        public var firstSample: SampleReport
    }

    /// What a media segment holds.
    public struct Report: Sendable, Hashable {
        /// Each track that has samples in it.
        public var tracks: [TrackReport]
        /// When it begins, from the session's start: that of the track which sets the rhythm.
        public var start: MediaTime
        /// To the start of the segment after it, or to the end.
        public var duration: MediaTime
    }

    public var kind: Kind
    /// 0 for the first initialization segment, and 1 and so on for further ones; media segments count from 1.
    public var number: Int
    /// The bytes, as a player wants them.
    public var data: MediaData
    /// nil for an initialization segment.
    public var report: Report?
}
