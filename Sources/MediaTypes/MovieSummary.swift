/// What a movie file holds, for people and scripts: tracks, times, facts and the state of the file.
///
/// Encodes to the object that `recorder info --json` prints.
public struct MovieSummary: Sendable, Hashable, Codable {
    public struct Track: Sendable, Hashable, Codable {
        public var id: Int
        /// `video`, `audio`, `text`, …
        public var type: String
        /// The codec's usual short name: `h264`, `aac`.
        public var codec: String
        /// Pixels; nil for sound.
        public var width: Int?
        public var height: Int?
        /// Average frames per second.
        public var frameRate: Double?
        public var frameCount: Int?
        /// Those of them that are shown, where an edit list hides some, as those before the start of a recording that lead up
        /// to it; nil where all are.
        public var shownFrameCount: Int?
        /// Audio frames per second; nil for pictures.
        public var sampleRate: Int?
        public var channels: Int?
        /// Bits per second.
        public var bitRate: Int?
        /// Seconds.
        public var duration: Double?
        /// Seconds from the movie's start to the track's first sample.
        public var start: Double?
        /// ISO 639-2, nil when undetermined.
        public var language: String?
        /// Degrees clockwise; 0 for upright.
        public var rotation: Int?
        /// Of a pixel, as `4:3`; nil for square ones.
        public var pixelAspectRatio: String?
        /// FFmpeg's name of what is stored, as `yuv420p10le`.
        public var pixelFormat: String?
        /// Bits of one sample.
        public var bitDepth: Int?
        /// FFmpeg's names of primaries, transfer function and matrix, as `bt709`, or `bt2020/smpte2084/bt2020nc`; nil where
        /// nobody said.
        public var color: String?
        /// 0–255 instead of 16–235; nil where nobody said.
        public var isFullRange: Bool?
        /// As the cases of `FieldOrder` are called: `progressive`, `upperFirst`; nil where nobody said.
        public var fieldOrder: String?
        /// The first frame's time code, as `14:03:22:17`; nil for all but timecode tracks.
        public var timecode: String?

        public init(id: Int, type: String, codec: String) {
            self.id = id
            self.type = type
            self.codec = codec
        }
    }

    public struct Chapter: Sendable, Hashable, Codable {
        /// Seconds.
        public var start: Double
        public var end: Double
        public var title: String?

        public init(start: Double, end: Double, title: String?) {
            self.start = start
            self.end = end
            self.title = title
        }
    }

    public enum Health: String, Sendable, Hashable, Codable {
        /// An ordinary movie with a complete header.
        case whole
        /// A recording in fragments that was not finished, or is still going on; every fragment is whole.
        case unfinished
        /// As `unfinished`, and it ends in the middle of a fragment.
        case torn
        /// Another program's file, in another container: nothing is known.
        case unknown
    }

    /// Path as it was given.
    public var file: String
    public var container: String
    /// Seconds; nil when the file does not say.
    public var duration: Double?
    /// Bytes.
    public var size: Int64
    public var tracks: [Track] = []
    public var metadata: [String: String] = [:]
    public var chapters: [Chapter] = []
    /// Captured, written and dropped samples for each kind of track, where a recorder left the account.
    public var ledger: [String: Ledger]?
    /// What relates it to other recordings, where a recorder left that.
    public var clock: RecordingClock?
    public var health: Health = .unknown

    public init(file: String, container: String, size: Int64) {
        self.file = file
        self.container = container
        self.size = size
    }
}
