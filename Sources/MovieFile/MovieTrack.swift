package import MediaTypes

/// What the file says about one track, apart from its samples.
package struct MovieTrack: Sendable {
    /// 1 for the first track.
    package var id: UInt32
    /// nil until the first packet tells (a camera's own H.264).
    package var format: FormatDescription?
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

    package static let identityMatrix: [Double] = [1, 0, 0, 0, 1, 0, 0, 0, 1]

    package init(
        id: UInt32, mediaType: MediaType, format: FormatDescription?, timeScale: Int32, primingFrames: Int = 0,
        language: String = "und", isEnabled: Bool = true, volume: Float = 1,
        matrix: [Double] = MovieTrack.identityMatrix
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
    }
}
