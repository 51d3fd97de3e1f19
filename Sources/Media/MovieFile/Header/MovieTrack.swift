package import MediaTypes

/// The description of one track, without its samples.
package struct MovieTrack: Sendable {
    /// The track ID: 1 for the first track.
    package var id: UInt32
    /// The format; nil until the first packet determines it (H.264 from a camera).
    package var format: FormatDescription?
    /// Formats that occur later in the track: further entries of its sample description table.
    package var otherFormats: [FormatDescription] = []
    /// True if the format of the samples may change while the movie is written.
    package var mayChangeFormat = false
    package var mediaType: MediaType
    /// Ticks per second of the track's sample times.
    package var timeScale: Int32
    /// The number of audio frames that an encoder inserts before the first captured one.
    package var primingFrames: Int
    /// ISO 639-2/T, three lowercase letters.
    package var language: String
    package var isEnabled: Bool
    /// The volume; 1.0 is full volume.
    package var volume: Float
    /// The display matrix: a b u c d v x y w, row by row; identity by default (QTFF, "Matrices").
    package var matrix: [Double]

    /// Size in pixels at which the movie shows the track; if nil, the size of the format with its pixel aspect ratio.
    package var naturalSize: (width: Double, height: Double)?
    /// BCP 47, such as `de-CH`; nil if there is none.
    package var extendedLanguage: String?
    /// The alternate group. Players choose one of the tracks of a group; 0 means no group.
    package var alternateGroup: Int
    /// The IDs of the tracks that this one refers to, by the type of reference.
    package var references: [TrackAssociation: [UInt32]]
    package var metadata: [MetadataItem]
    /// The maximum duration of a chunk of this track; if nil, the maximum duration of a fragment.
    package var chunkDuration: MediaTime?
    /// The alignment in bytes of each chunk's start; 0 or 1 for none.
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
