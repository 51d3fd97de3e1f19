public import MediaTypes

/// A segment of a movie that is delivered while it is written (HTTP Live Streaming, RFC 8216; CMAF, ISO/IEC 23000-19).
public struct AssetSegment: Sendable {
    public enum Kind: Sendable, Hashable {
        /// The formats of the tracks, without samples. The first segment is of this kind. If a track appears later,
        /// another initialization segment precedes that track's first segment.
        case initialization
        /// Samples. The segment begins with a keyframe if there is video.
        case media
    }

    /// The standard whose rules segments follow.
    public enum Profile: Sendable, Hashable {
        /// HTTP Live Streaming: all tracks in one stream.
        case hls
        /// The Common Media Application Format: one track in each stream, and brands that declare it.
        case cmaf
    }

    /// The position of a sample's bytes in a segment.
    public struct SampleReport: Sendable, Hashable {
        /// The timestamp, from the session's start.
        public var presentationTime: MediaTime
        /// The offset from the segment's first byte.
        public var offset: Int
        public var byteCount: Int
        public var isKeyframe: Bool
    }

    /// The content of a media segment for one track.
    public struct TrackReport: Sendable, Hashable {
        /// The id as in the initialization segment, counted from 1.
        public var trackID: Int
        public var mediaType: MediaType
        /// The timestamp of the first sample in presentation order, from the session's start.
        public var earliestPresentation: MediaTime
        public var duration: MediaTime
        public var sampleCount: Int
        /// The first sample in decode order.
        public var firstSample: SampleReport
    }

    /// The content of a media segment.
    public struct Report: Sendable, Hashable {
        /// All tracks that have samples in the segment.
        public var tracks: [TrackReport]
        /// The start of the segment in the track that decides where segments end, measured from the session's start.
        public var start: MediaTime
        /// The time from `start` to the start of the next segment, or to the movie's end.
        public var duration: MediaTime
    }

    public var kind: Kind
    /// The number of the segment. Initialization segments count from 0, media segments from 1.
    public var number: Int
    /// The bytes in the form that a player expects.
    public var data: MediaData
    /// The content of a media segment; nil for an initialization segment.
    public var report: Report?
}
