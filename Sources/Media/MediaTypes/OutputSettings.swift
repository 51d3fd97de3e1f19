/// The storage settings of a track. An input whose settings are nil uses passthrough.
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

/// The settings of a video encoder.
public struct VideoSettings: Sendable, Hashable {
    public enum RateControl: Sendable, Hashable {
        /// A constant rate factor: 0 (lossless) to 51 for H.264, 0 to 51 for HEVC, 1 to 63 for AV1. A lower factor
        /// means higher quality. For JPEG, a number selects a quantizer step of about the same size as in H.264. Does
        /// not apply to ProRes, whose kinds have fixed qualities.
        case constantQuality(Double)
        /// Average bits per second. Not for ProRes.
        case bitRate(Int)
        /// A quality from 0, the smallest file, to 1, the best, on each codec's own scale. Not for ProRes.
        case quality(Double)

        /// Returns the constant rate factor, on a scale whose maximum is `most`; nil for a bit rate.
        package func factor(most: Double) -> Double? {
            switch self {
            case .constantQuality(let factor): factor
            // 0 would be lossless.
            case .quality(let quality): most - (most - 1) * quality
            case .bitRate: nil
            }
        }
    }

    /// A profile of H.264 (ITU-T H.264, annex A), HEVC (ITU-T H.265, annex A: `main`, `main10`) or AV1 (`main`).
    /// `high10` and `main10` are only for ten bits per sample. The other profiles of H.264 and HEVC are only for eight.
    public enum Profile: String, Sendable, Hashable, Codable, CaseIterable { case baseline, main, high, high10, main10 }

    /// The entropy coding of H.264 (ITU-T H.264, 9).
    public enum EntropyMode: String, Sendable, Hashable, Codable, CaseIterable {
        /// Variable-length codes: for the simplest decoders.
        case cavlc
        /// Arithmetic coding: the result is a tenth smaller. Not in profile baseline.
        case cabac
    }

    /// The scaling of frames whose size differs from the size in the settings. If a frame has a clean aperture, only
    /// the part inside it counts. Modeled on AVFoundation's `AVVideoScalingModeKey`.
    public enum ScalingMode: String, Sendable, Hashable, Codable, CaseIterable {
        /// Scales to the largest size that fits, keeping the aspect ratio, and never enlarges. The track becomes
        /// smaller than the settings if the format hint has another aspect ratio, or a smaller frame. Without a hint
        /// the size of the settings is used, and the area that a frame does not fill is black.
        case fit
        /// Stretches to the size.
        case resize
        /// Scales to the largest size that fits, keeping the aspect ratio. The area at the sides, or above and below,
        /// is black.
        case resizeAspect
        /// Scales to fill the entire size, keeping the aspect ratio; the excess is cropped.
        case resizeAspectFill
    }

    public var codec: VideoCodec
    /// The width in pixels; nil means that of the source format hint. Frames of a different size are scaled.
    public var width: Int?
    public var height: Int?
    /// The scaling of frames of a different size. nil means `resize`, or `resizeAspect` in an export. A frame that has
    /// the size already is stored unchanged.
    public var scalingMode: ScalingMode?
    public var rateControl: RateControl
    /// The effort of the encoder, by x264's names, `ultrafast` to `placebo`. x265 uses the same names, and AV1 has
    /// matching levels. No effect on JPEG and ProRes.
    public var preset: String
    /// The profile; nil lets the encoder choose.
    public var profile: Profile?
    /// The maximum level of H.264 or HEVC, such as "4.1" (ITU-T H.264, table A-1; H.265, A.4). Decoders of that level
    /// can play the track. nil means the lowest level that fits.
    public var level: String?
    /// The entropy coding, for H.264; nil means that of the preset.
    public var entropyMode: EntropyMode?
    /// The number of bits per stored sample, 8 or 10; frames of the other depth are converted. nil means 10 for
    /// `high10`, `main10` and ProRes, otherwise 8.
    public var bitDepth: Int?
    /// The maximum time from one keyframe to the next; positive. If frames come more slowly than `expectedFrameRate`, a
    /// keyframe is made when the time has passed. If they come faster, keyframes are more frequent, because encoders
    /// count frames. A live AV1 encoder only counts frames.
    public var keyframeInterval: MediaTime
    /// The maximum time from one keyframe to the next, if `keyframeInterval` stands for a number of frames at
    /// `expectedFrameRate`; infinite if only this number limits it. nil means `keyframeInterval`.
    package var longestKeyframeInterval: MediaTime?
    /// The maximum number of consecutive B-frames, 0 to 16; nil means that of the preset. A live encoder may use fewer.
    public var maximumBFrames: Int?
    /// The maximum number of frames that the encoder looks ahead, 0 to 250; nil means that of the preset. A live
    /// encoder may use fewer. Without look-ahead and B-frames, the encoder returns each frame's packet before it
    /// accepts the next frame.
    public var lookAhead: Int?
    /// The expected frames per second, for rate control and look-ahead. The expected rate never changes the times of
    /// frames. nil means 30.
    public var expectedFrameRate: Double?
    public var pixelAspectRatio: Ratio
    public var cleanAperture: CleanAperture?
    /// The color tags; nil means those of the source. JPEG has a fixed matrix and range, to which frames are converted.
    public var color: ColorDescription?
    /// The mastering display; nil means that of the source.
    public var masteringDisplay: MasteringDisplay?
    /// The content light level; nil means that of the source.
    public var contentLight: ContentLightLevel?
    /// The position of the chroma samples; nil means that of the source. JPEG and ProRes have fixed positions.
    public var chromaPosition: ChromaPosition?
    /// The number of encoding threads, 1 to 64; nil means a number chosen for this machine. The bytes are the same on
    /// any number of processors if the number of threads, the frames and the versions of the encoders are the same. For
    /// H.264 and HEVC, another number of threads results in other bytes. The setting does not apply to JPEG and ProRes,
    /// whose bytes do not depend on threads.
    public var threadCount: Int?
    /// The order of the two fields of each frame; nil means progressive frames. H.264 and ProRes code the fields; for
    /// HEVC and AV1, only the track states the order.
    package var fieldOrder: FieldOrder?
    /// True if the outputs of several encoders with the same settings are joined in one track. The header must then not
    /// depend on the frames.
    package var isJoined = false

    public init(
        codec: VideoCodec = .h264, width: Int? = nil, height: Int? = nil,
        rateControl: RateControl = .constantQuality(23),
        preset: String = "veryfast", profile: Profile? = nil,
        keyframeInterval: MediaTime = MediaTime(value: 2, timescale: 1), expectedFrameRate: Double? = nil,
        pixelAspectRatio: Ratio = .one, cleanAperture: CleanAperture? = nil, color: ColorDescription? = nil,
        bitDepth: Int? = nil, maximumBFrames: Int? = nil
    ) {
        self.codec = codec
        self.width = width
        self.height = height
        self.rateControl = rateControl
        self.preset = preset
        self.profile = profile
        self.keyframeInterval = keyframeInterval
        self.expectedFrameRate = expectedFrameRate
        self.pixelAspectRatio = pixelAspectRatio
        self.cleanAperture = cleanAperture
        self.color = color
        self.bitDepth = bitDepth
        self.maximumBFrames = maximumBFrames
    }
}

/// The settings of an audio encoder.
public struct AudioSettings: Sendable, Hashable {
    public var codec: AudioCodec
    /// Audio frames per second; nil means the rate of the source format hint.
    public var sampleRate: Int?
    /// The channel count; nil means that of the source format hint.
    public var channelCount: Int?
    /// The loudspeakers. Required for more than two channels, such as `.surround51`, or `.discrete(6)` for six
    /// microphones. nil means those of the input, if the input has the same channel count.
    public var layout: ChannelLayout?
    /// Bits per second, for AAC and Opus; nil means 64,000 per channel.
    public var bitRate: Int?
    /// The sample format to store, for linear PCM; nil means 16 bits.
    public var pcm: PCMSampleFormat?
    /// True if the most significant byte of a linear PCM sample comes first.
    public var isBigEndian: Bool
    /// True if the channels of a linear PCM frame are stored next to each other. No other form is supported; false is
    /// refused.
    public var isInterleaved: Bool
    /// The number of bits per sample to keep, for ALAC and FLAC: 16 or 24. nil means 16 if the input has no more,
    /// otherwise 24.
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
