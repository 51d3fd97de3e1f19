/// How a track is to be stored. nil settings of an input mean passthrough.
public enum OutputSettings: Sendable, Hashable {
    case video(VideoSettings)
    case audio(AudioSettings)

    public var mediaType: MediaType {
        switch self {
        case .video: .video
        case .audio: .audio
        }
    }
}

/// How video is encoded.
public struct VideoSettings: Sendable, Hashable {
    public enum RateControl: Sendable, Hashable {
        /// x264's constant rate factor, 0 (lossless) to 51; 23 is its default.
        case constantQuality(Double)
        /// Average bits per second.
        case bitRate(Int)
    }

    /// Of H.264 (ITU-T H.264, annex A). `high10` is for ten bits a sample alone, and the others for eight.
    public enum Profile: String, Sendable, Hashable, Codable, CaseIterable { case baseline, main, high, high10 }

    /// What becomes of pictures whose size is not that of the settings. Of a picture with a clean aperture that is all there is
    /// of it. The model is AVFoundation's `AVVideoScalingModeKey`.
    public enum ScalingMode: String, Sendable, Hashable, Codable, CaseIterable {
        /// As large as it fits with its shape kept, and never larger than it is: the track becomes smaller than the settings
        /// say where the hint has another shape, or less of a picture. Without a hint the settings' size stays, and what a
        /// picture does not fill is black.
        case fit
        /// Stretched to the size.
        case resize
        /// As large as it fits with its shape kept; black beside it, or above and below.
        case resizeAspect
        /// So large that nothing of the size stays empty, with its shape kept: what is too much is cut off.
        case resizeAspectFill
    }

    public var codec: VideoCodec
    /// Pixels; nil: taken from the source format hint. Pictures of another size are scaled.
    public var width: Int?
    public var height: Int?
    /// How pictures of another size are scaled; nil: `resize`, of an export `resizeAspect`. A picture that has the size is stored as
    /// it is.
    public var scalingMode: ScalingMode?
    public var rateControl: RateControl
    /// x264's preset, `ultrafast` to `placebo`.
    public var preset: String
    /// nil: the encoder's choice.
    public var profile: Profile?
    /// Bits of one stored sample, 8 or 10; pictures of the other depth are converted. nil: 10 for `high10`, else 8.
    public var bitDepth: Int?
    /// The longest time from one key frame to the next; positive.
    public var keyFrameInterval: MediaTime
    /// The most B-frames in a row, 0 to 16; nil: the preset's. A live encoder may use fewer.
    public var maximumBFrames: Int?
    /// The most pictures that the encoder looks ahead, 0 to 250; nil: the preset's. A live encoder may use fewer; with none and
    /// without B-frames it gives each picture's packet before it takes the next picture.
    public var lookAhead: Int?
    /// Frames per second to expect: it shapes rate control and look-ahead, never the times of frames. nil: 30.
    public var expectedFrameRate: Double?
    public var pixelAspectRatio: Ratio
    public var cleanAperture: CleanAperture?
    /// nil: as the source says.
    public var color: ColorDescription?

    public init(
        codec: VideoCodec = .h264, width: Int? = nil, height: Int? = nil,
        rateControl: RateControl = .constantQuality(23),
        preset: String = "veryfast", profile: Profile? = nil,
        keyFrameInterval: MediaTime = MediaTime(value: 2, timescale: 1), expectedFrameRate: Double? = nil,
        pixelAspectRatio: Ratio = .one, cleanAperture: CleanAperture? = nil, color: ColorDescription? = nil,
        bitDepth: Int? = nil, maximumBFrames: Int? = nil
    ) {
        self.codec = codec
        self.width = width
        self.height = height
        self.rateControl = rateControl
        self.preset = preset
        self.profile = profile
        self.keyFrameInterval = keyFrameInterval
        self.expectedFrameRate = expectedFrameRate
        self.pixelAspectRatio = pixelAspectRatio
        self.cleanAperture = cleanAperture
        self.color = color
        self.bitDepth = bitDepth
        self.maximumBFrames = maximumBFrames
    }
}

/// How sound is encoded.
public struct AudioSettings: Sendable, Hashable {
    public var codec: AudioCodec
    /// Frames per second; nil: taken from the source format hint.
    public var sampleRate: Int?
    /// nil: taken from the source format hint.
    public var channelCount: Int?
    /// Needed for more than two channels.
    public var layout: ChannelLayout?
    /// Bits per second, for AAC; nil: 64,000 a channel.
    public var bitRate: Int?
    /// The sample format to store, for linear PCM; nil: 16 bits.
    public var pcm: PCMSampleFormat?
    /// For linear PCM: the first byte of a sample is its highest.
    public var isBigEndian: Bool
    /// For linear PCM: the channels of a frame side by side. Nothing else can be stored; false is refused.
    public var isInterleaved: Bool
    /// Bits of a sample to keep, for ALAC: 16 or 24; nil: 16 where the input has no more, else 24.
    public var bitDepth: Int?

    public init(
        codec: AudioCodec = .aac, sampleRate: Int? = nil, channelCount: Int? = nil, layout: ChannelLayout? = nil,
        bitRate: Int? = nil, pcm: PCMSampleFormat? = nil, isBigEndian: Bool = false, isInterleaved: Bool = true,
        bitDepth: Int? = nil
    ) {
        self.codec = codec
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.layout = layout
        self.bitRate = bitRate
        self.pcm = pcm
        self.isBigEndian = isBigEndian
        self.isInterleaved = isInterleaved
        self.bitDepth = bitDepth
    }
}
