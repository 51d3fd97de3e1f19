/// The differences between a movie and its source. A plain value, which encodes to an object of
/// `recorder verify --against --json`.
package struct MovieComparison: Sendable, Hashable, Codable {
    /// One difference from the source.
    package struct Difference: Sendable, Hashable, Codable {
        package enum Kind: String, Sendable, Hashable, Codable {
            /// A track is missing, or there are additional tracks.
            case tracks
            /// The movie, or a track, is shorter or longer.
            case length
            /// Frames are missing, or were added.
            case frames = "frames"
            /// Frames are shown at other times.
            case times
            /// Frames do not look like the source's.
            case ssim = "ssim"
            /// The audio is different.
            case audio = "audio"
            /// The audio is the same, but earlier or later.
            case audioOffset = "audioOffset"
            /// A part of the copy or of the source could not be decoded.
            case decoding
        }

        package var kind: Kind
        /// A description of the difference.
        package var what: String
        /// The copy's track; nil if the difference affects the entire movie, or is in the source only.
        package var track: Int?
        /// The position in seconds of the movie; nil if the difference has none.
        package var from: Double?

        package init(_ kind: Kind, _ what: String, track: Int? = nil, from: Double? = nil) {
            (self.kind, self.what, self.track, self.from) = (kind, what, track, from)
        }
    }

    /// A track of the copy and its counterpart in the source.
    package struct Track: Sendable, Hashable, Codable {
        /// `video` or `audio`.
        package var type: String
        package var id: Int
        package var sourceID: Int
        /// The number of frames that are shown; nil for audio.
        package var frames: Int64?
        package var sourceFrames: Int64?
        /// The duration in seconds.
        package var duration: Double
        package var sourceDuration: Double
        /// The mean structural similarity of the compared frames' luma, at most 1; nil for audio.
        package var ssim: Double?
        package var worstSSIM: Double?
        /// The position of the worst frame, in seconds.
        package var worstAt: Double?
        /// The mean correlation of the compared audio; nil for video, and for silence.
        package var audioCorrelation: Double?
        /// The seconds by which the copy's audio is late, negative for early; nil if unknown.
        package var audioOffset: Double?

        private enum CodingKeys: String, CodingKey {
            case type, id, sourceID
            case frames = "frames"
            case sourceFrames = "sourceFrames"
            case duration, sourceDuration
            case ssim = "ssim"
            case worstSSIM = "worstSSIM"
            case worstAt
            case audioCorrelation = "audioCorrelation"
            case audioOffset = "audioOffset"
        }
    }

    /// The path of the copy.
    package var file: String
    package var source: String
    /// The seconds by which the copy's entire timeline begins later; this is not a difference.
    package var offset = 0.0
    package var tracks: [Track] = []
    package var differences: [Difference] = []
    /// The parts that were not compared, and why.
    package var notes: [String] = []

    /// True if there are no differences.
    package var isSame: Bool { differences.isEmpty }

    package init(file: String, source: String) {
        self.file = file
        self.source = source
    }
}

/// The amount and the strictness of a comparison.
package struct MovieComparisonOptions: Sendable, Hashable {
    /// The number of frames to compare, spread over the movie.
    package var frames = 50
    /// The minimum mean structural similarity of the frames; a single frame may be lower by `slack`. Every codec
    /// exceeds this minimum at the worst quality that is used in practice, even for noisy movies
    /// (docs/design/decisions/verifying.md).
    package var minimumSSIM = 0.85
    package var slack = 0.15
    /// The number of audio ranges to compare, spread over the movie.
    package var audioRanges = 30

    package init() {}
}
