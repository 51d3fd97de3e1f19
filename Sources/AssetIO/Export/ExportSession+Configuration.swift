public import Foundation
public import MediaTypes

extension ExportSession {
    /// What can be chosen before an export starts.
    public struct Configuration: Sendable, Hashable {
        /// What of the asset is exported; exact, also where samples are passed through. What lies behind the asset's end is
        /// left out.
        public var timeRange = TimeRange(start: .zero, end: .positiveInfinity)
        /// Facts about the movie; nil: those of the asset.
        public var metadata: [MetadataItem]?
        /// Tracks to export, by their ids; nil: the first video track and every audio track, and all of them where samples
        /// are passed through.
        public var trackIDs: [Int]?
        /// How pictures are encoded, in place of the preset's way; without `width` and `height` by `maximumVideoSize`.
        public var videoSettings: VideoSettings?
        /// How sound is encoded, in place of the preset's way; what is nil follows the source.
        public var audioSettings: AudioSettings?
        /// The box that pictures fit into, in place of the preset's; nil with `videoSettings`: the source's size.
        public var maximumVideoSize: CGSize?
        /// Kinds of media whose samples are stored as they are, whatever the preset says.
        public var passesThrough: Set<MediaType> = []
        /// Quarter turns clockwise that the movie is shown with, besides those that it has. Costs nothing: the track's
        /// matrix says it.
        public var quarterTurns = 0
        /// Makes whole pictures of fields.
        public var deinterlacesVideo = false
        /// Brings pictures of high dynamic range (PQ, HLG) to BT.709 at eight bits, or as many as `videoSettings` say: for screens
        /// that show nothing else. Otherwise they stay what they are. Needs libavfilter with `zscale`.
        public var mapsToStandardRange = false
        /// Pictures a second at equal distances; nil: every picture keeps its own time.
        public var frameRate: Double?
        /// Volumes of the audio tracks, which become one track.
        public var audioMix: AudioMix?
        /// How the video tracks are drawn into one picture.
        public var videoComposition: VideoComposition?
        /// Bytes that the file must not exceed; 0 for none. Pictures get as many bits as fit, in two passes; samples that are
        /// passed through end earlier.
        public var fileLengthLimit: Int64 = 0
        /// Puts the header before the media.
        public var shouldOptimizeForNetworkUse = false
        /// Encodes pictures of a given bit rate twice, the second time knowing what comes.
        public var performsMultiPassEncodingIfSupported = false
        /// Leaves out what is damaged and says so in `report`; false: damage fails the export.
        public var skipsDamagedMedia = false
        /// Replaces a file that has the output's name, in one step, at the end.
        public var overwritesExistingFile = false
        public var directoryForTemporaryFiles: URL?
        /// Pictures of more than eight bits keep ten of them where nobody chose a depth: in HEVC and AV1 always, in H.264
        /// those of high dynamic range, which eight bits would show in steps. Few play H.264 of ten bits.
        package var keepsDeepPictures = false
        /// When the film was made, where the asset does not say so; nil: now.
        package var undatedCreationDate: Date?
        package var part = ExportPart.whole
        /// Frames that pass through keep their times, also the one on screen at the start: a signature speaks of them.
        package var keepsStoredTimes = false

        public init() {}
    }
}

extension ExportSession.Configuration {
    /// What cannot be, in words that name the property.
    var fault: String? {
        if !timeRange.start.isNumeric || timeRange.start < .zero { return "timeRange begins before the asset" }
        if timeRange.isEmpty { return "timeRange is empty" }
        if let trackIDs {
            if trackIDs.isEmpty { return "trackIDs names no track" }
            if Set(trackIDs).count != trackIDs.count { return "trackIDs names a track twice" }
        }
        if let size = maximumVideoSize,
            !(size.width >= 2 && size.height >= 2 && size.width.isFinite && size.height.isFinite)
        {
            return "maximumVideoSize of \(size) has no room for a picture"
        }
        if let frameRate, !(frameRate >= 0.01 && frameRate <= 1000) {
            return "frameRate of \(frameRate) is not in 0.01 to 1000"
        }
        if fileLengthLimit < 0 { return "fileLengthLimit is negative" }
        return nil
    }
}

/// What an export could not keep.
public struct ExportReport: Sendable, Hashable {
    /// One line for each thing that the copy lacks, as "track 3, text (subrip): no decoder".
    public var leftOut: [String] = []
    /// Those lines of `leftOut` that are known only once the pictures were decoded.
    package var lostWithPictures: [String] = []
    /// Stretches of the source that were damaged and left out.
    public var damage: [DamagedTimeRange] = []
    public init() {}
}
