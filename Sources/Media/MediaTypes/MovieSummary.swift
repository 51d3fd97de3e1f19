/// The contents of a movie file for users and scripts: tracks, times, metadata and the state of the file.
///
/// Encodes to the object that `recorder info --json` prints.
public struct MovieSummary: Sendable, Hashable, Codable {
    public struct Track: Sendable, Hashable, Codable {
        public var id: Int
        /// `video`, `audio`, `text`, …
        public var type: String
        /// The codec's usual short name: `h264`, `aac`.
        public var codec: String
        /// The width of a frame in pixels; nil for audio.
        public var width: Int?
        public var height: Int?
        /// The average number of frames per second.
        public var frameRate: Double?
        public var frameCount: Int?
        /// The number of frames that are shown, if an edit list hides some; nil if all are shown. For example, a
        /// recording hides the frames that only the first shown frame depends on.
        public var shownFrameCount: Int?
        /// Audio frames per second; nil for video.
        public var sampleRate: Int?
        public var channels: Int?
        /// Bits per second.
        public var bitRate: Int?
        /// The duration in seconds; nil if unknown.
        public var duration: Double?
        /// Seconds from the movie's start to the track's first sample.
        public var start: Double?
        /// The language as ISO 639-2; nil if undetermined.
        public var language: String?
        /// The rotation in degrees clockwise; 0 for upright.
        public var rotation: Int?
        /// The aspect ratio of a pixel, such as `4:3`; nil for square pixels.
        public var pixelAspectRatio: String?
        /// FFmpeg's name of the stored format, such as `yuv420p10le`.
        public var pixelFormat: String?
        /// The number of bits per sample; nil if not specified.
        public var bitDepth: Int?
        /// FFmpeg's names of primaries, transfer function and matrix, such as `bt709`, or `bt2020/smpte2084/bt2020nc`;
        /// nil if not specified.
        public var color: String?
        /// True if sample values are 0–255 instead of 16–235; nil if not specified.
        public var isFullRange: Bool?
        /// The name of a `FieldOrder` case: `progressive`, `upperFirst`; nil if not specified.
        public var fieldOrder: String?
        /// The timecode of the first frame, such as `14:03:22:17`; nil unless the track is a timecode track.
        public var timecode: String?

        public init(id: Int, type: String, codec: String) {
            self.id = id
            self.type = type
            self.codec = codec
        }
    }

    public struct Chapter: Sendable, Hashable, Codable {
        /// The start, in seconds from the start of the movie.
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
        /// A recording in fragments that was not finalized, or is still in progress; every fragment is intact.
        case unfinished
        /// The same as `unfinished`, but the file ends in the middle of a fragment.
        case torn
        /// The state is unknown, because the file has another container, or another program wrote its fragments.
        case unknown
    }

    /// The path as passed by the caller.
    public var file: String
    public var container: String
    /// The duration in seconds; nil if the file does not contain it.
    public var duration: Double?
    /// The size in bytes.
    public var size: Int64
    public var tracks: [Track] = []
    public var metadata: [String: String] = [:]
    public var chapters: [Chapter] = []
    /// Captured, written and dropped samples for each kind of track, if a recorder stored the ledger.
    public var ledger: [String: Ledger]?
    /// The relation to other recordings, if a recorder stored it.
    public var clock: RecordingClock?
    public var health: Health = .unknown

    public init(file: String, container: String, size: Int64) {
        self.file = file
        self.container = container
        self.size = size
    }
}
