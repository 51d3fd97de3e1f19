public import Foundation
public import MediaTypes

extension ExportSession {
    /// The settings that can be changed before an export starts.
    public struct Configuration: Sendable, Hashable {
        /// The time range of the asset to export. It is exact, even if samples are passed through. A part of it after
        /// the asset's end is left out.
        public var timeRange = TimeRange(start: .zero, end: .positiveInfinity)
        /// Metadata of the movie; nil for the metadata of the asset.
        public var metadata: [MetadataItem]?
        /// The ids of the tracks to export. If nil, every audio track and the first enabled video track are exported;
        /// if all video tracks are disabled, the first one. If video is passed through, every video track is exported.
        /// If audio is mixed, disabled audio tracks are left out.
        public var trackIDs: [Int]?
        /// The video settings, instead of the preset's. Without `width` and `height` the size follows
        /// `maximumVideoSize`.
        public var videoSettings: VideoSettings?
        /// The audio settings, instead of the preset's. Properties that are nil follow the source.
        public var audioSettings: AudioSettings?
        /// The box that frames must fit into. If nil, it is the preset's box or, if `videoSettings` is set, the
        /// source's size.
        public var maximumVideoSize: CGSize?
        /// Media types whose samples are passed through, whatever the preset.
        public var passesThrough: Set<MediaType> = []
        /// Quarter turns clockwise, in addition to the movie's own rotation. They need no encoding: they are stored in
        /// the track's matrix.
        public var quarterTurns = 0
        /// True if interlaced frames are deinterlaced.
        public var deinterlacesVideo = false
        /// True if HDR frames (PQ, HLG) are converted to BT.709, for screens without HDR. The result has the bit depth
        /// of `videoSettings`, or else eight bits. If false, the frames' color tags are kept. Needs libavfilter with
        /// `zscale`.
        public var mapsToStandardRange = false
        /// The constant frame rate, in frames per second; nil if every frame keeps its timestamp.
        public var frameRate: Double?
        /// The volumes of the audio tracks, which are mixed into one track.
        public var audioMix: AudioMix?
        /// The layers of video tracks that are rendered into one frame.
        public var videoComposition: VideoComposition?
        /// The maximum size of the file in bytes, or 0 for no limit. Video is encoded in two passes, with the highest
        /// bit rate that fits. If nothing is encoded, the movie is shortened at the end.
        public var fileLengthLimit: Int64 = 0
        /// True if the header is stored before the media.
        public var shouldOptimizeForNetworkUse = false
        /// True if video with a given bit rate is encoded in two passes, which gives better quality at that rate.
        public var performsMultiPassEncodingIfSupported = false
        /// True if damaged media is left out and listed in `report`. If false, damage fails the export.
        public var skipsDamagedMedia = false
        /// True if an existing output file is replaced, in one step, at the end.
        public var overwritesExistingFile = false
        public var directoryForTemporaryFiles: URL?
        /// True if video of more than eight bits is encoded with ten bits, unless a depth is set. In HEVC and AV1, this
        /// applies to all such video. Few players support ten-bit H.264. In H.264, this therefore applies only to HDR
        /// video, which would show banding with eight bits.
        package var keepsDeepFrames = false
        /// The creation date to use if the asset has none; nil for the present time.
        package var undatedCreationDate: Date?
        package var part = ExportPart.whole
        /// Metadata of a part. The movie's own metadata is only in the joined movie.
        package var partMetadata: [MetadataItem] = []
        /// The crop, the rotation, the flip and the masks of encoded frames, relative to the frame as players show it.
        /// The result has no matrix. `maximumVideoSize` limits its size. A scale or a stamp in these settings is
        /// invalid.
        package var frameStage = FrameStageSettings()
        /// True if a disabled audio track is left out if an enabled one of its alternate group is exported.
        package var leavesOutDisabledAlternates = false
        /// True if everything that a signature covers passes through unchanged. This includes the timestamps of frames
        /// (even of the frame on screen at the start), the marking of keyframes, and the sample descriptions.
        package var keepsSignedForm = false

        public init() {}
    }
}

extension ExportSession.Configuration {
    /// The fault of the configuration, in words that name the property; nil if there is none.
    var fault: String? {
        if !timeRange.start.isNumeric || timeRange.start < .zero { return "timeRange begins before the asset" }
        if timeRange.isEmpty { return "timeRange is empty" }
        if let trackIDs {
            if trackIDs.isEmpty { return "trackIDs is empty" }
            if Set(trackIDs).count != trackIDs.count { return "trackIDs names a track twice" }
        }
        if let size = maximumVideoSize,
            !(size.width >= 2 && size.height >= 2 && size.width.isFinite && size.height.isFinite)
        {
            return "maximumVideoSize of \(size) is too small for a frame"
        }
        if let frameRate, !(frameRate >= 0.01 && frameRate <= 1000) {
            return "frameRate of \(frameRate) is not between 0.01 and 1000"
        }
        if fileLengthLimit < 0 { return "fileLengthLimit is negative" }
        if frameStage.scale != nil || frameStage.stamp.isActive { return "frameStage has a scale or a stamp" }
        return nil
    }
}
