package import MediaTypes

/// What the file says about one track, apart from its samples.
package struct MovieTrack: Sendable {
    /// 1 for the first track.
    package var id: UInt32
    /// nil until the first packet tells (a camera's own H.264).
    package var format: FormatDescription?
    /// Formats that come later in the track: further entries of its sample description table.
    package var otherFormats: [FormatDescription] = []
    /// Samples of another format may come while the movie is written.
    package var mayChangeFormat = false
    package var mediaType: MediaType
    /// Ticks per second of the track's sample times.
    package var timeScale: Int32
    /// Frames that an audio encoder puts before the first real one.
    package var primingFrames: Int
    /// ISO 639-2/T, three lower-case letters.
    package var language: String
    package var isEnabled: Bool
    /// 1.0 is full volume.
    package var volume: Float
    /// a b u c d v x y w, row by row; identity by default (QTFF, "Matrices").
    package var matrix: [Double]

    /// Pixels as the movie shows them; nil: those of the format, with its pixel aspect ratio.
    package var naturalSize: (width: Double, height: Double)?
    /// BCP 47, as `de-CH`; nil for none.
    package var extendedLanguage: String?
    /// Tracks of one group other than 0 stand for each other: players choose one.
    package var alternateGroup: Int
    /// The ids of the tracks that this one refers to, by the kind of reference.
    package var references: [TrackAssociation: [UInt32]]
    package var metadata: [MetadataItem]
    /// The longest stretch of this track that stands together in the file; nil: a fragment's.
    package var chunkDuration: MediaTime?
    /// Each chunk begins at a multiple of so many bytes; 0 or 1 for any place.
    package var chunkAlignment: Int

    package static let identityMatrix: [Double] = [1, 0, 0, 0, 1, 0, 0, 0, 1]

    package init(
        id: UInt32, mediaType: MediaType, format: FormatDescription?, timeScale: Int32, primingFrames: Int = 0,
        language: String = "und", isEnabled: Bool = true, volume: Float = 1,
        matrix: [Double] = MovieTrack.identityMatrix, naturalSize: (width: Double, height: Double)? = nil,
        extendedLanguage: String? = nil, alternateGroup: Int = 0, references: [TrackAssociation: [UInt32]] = [:],
        metadata: [MetadataItem] = [], chunkDuration: MediaTime? = nil, chunkAlignment: Int = 0
    ) {
        self.id = id
        self.mediaType = mediaType
        self.format = format
        self.timeScale = timeScale
        self.primingFrames = primingFrames
        self.language = language
        self.isEnabled = isEnabled
        self.volume = volume
        self.matrix = matrix
        self.naturalSize = naturalSize
        self.extendedLanguage = extendedLanguage
        self.alternateGroup = alternateGroup
        self.references = references
        self.metadata = metadata
        self.chunkDuration = chunkDuration
        self.chunkAlignment = chunkAlignment
    }
}
