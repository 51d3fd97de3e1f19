/// How a film differs from the one that it was made of. A plain value, which encodes to an object of
/// `recorder verify --against --json`.
package struct FilmComparison: Sendable, Hashable, Codable {
    /// One thing that is not as in the source.
    package struct Difference: Sendable, Hashable, Codable {
        package enum Kind: String, Sendable, Hashable, Codable {
            /// A track is missing, or there are too many.
            case tracks
            /// The film, or a track, is shorter or longer.
            case length
            /// Pictures are missing, or were added.
            case pictures
            /// Pictures are shown at other times.
            case times
            /// Pictures do not look like the source's.
            case likeness
            /// The sound is another.
            case sound
            /// The sound is the same, but earlier or later.
            case soundOffset
            /// Something could not be decoded.
            case decoding
        }

        package var kind: Kind
        /// In words.
        package var what: String
        /// Of the copy; nil for what concerns all of it, or is in the source alone.
        package var track: Int?
        /// Seconds of film; nil where it has no place.
        package var from: Double?

        package init(_ kind: Kind, _ what: String, track: Int? = nil, from: Double? = nil) {
            (self.kind, self.what, self.track, self.from) = (kind, what, track, from)
        }
    }

    /// A track of the copy beside that of the source.
    package struct Track: Sendable, Hashable, Codable {
        /// `video` or `audio`.
        package var type: String
        package var id: Int
        package var sourceID: Int
        /// Pictures or packets that are shown; of sound nil, as codecs differ in how much a packet holds.
        package var pictures: Int64?
        package var sourcePictures: Int64?
        /// Seconds.
        package var duration: Double
        package var sourceDuration: Double
        /// Structural similarity of luma, the mean of all pictures that were looked at, at most 1; nil for sound.
        package var likeness: Double?
        package var worstLikeness: Double?
        /// Seconds at which that is.
        package var worstAt: Double?
        /// Correlation of the stretches that were listened to, the mean; nil for pictures, and where all was silent.
        package var soundLikeness: Double?
        /// Seconds by which the copy's sound is late, negative for early; nil where that could not be told.
        package var soundOffset: Double?
    }

    /// Path of the copy.
    package var file: String
    package var source: String
    /// Seconds by which the copy's time line begins later, as a whole: no difference.
    package var offset = 0.0
    package var tracks: [Track] = []
    package var differences: [Difference] = []
    /// What was not compared, and why.
    package var notes: [String] = []

    /// Nothing differs that should not.
    package var isSame: Bool { differences.isEmpty }

    package init(file: String, source: String) {
        self.file = file
        self.source = source
    }
}

/// What is compared, and how strictly.
package struct FilmComparisonOptions: Sendable, Hashable {
    /// So many pictures are looked at, spread over the film.
    package var pictures = 50
    /// The mean structural similarity that the pictures must have; a single one may be `slack` below. What the codecs make at the
    /// worst quality that anybody keeps films at is above, also of noisy films (docs/decisions/verifying.md).
    package var likeness = 0.85
    package var slack = 0.15
    /// So many stretches of sound are listened to, spread over the film.
    package var stretches = 30

    package init() {}
}
