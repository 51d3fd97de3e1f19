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
        /// A constant rate factor: of H.264 0 (lossless) to 51, of HEVC 0 to 51, of AV1 1 to 63; lower is better. JPEG takes
        /// H.264's numbers for steps of about the same size; a kind of ProRes has its own quality, and takes none.
        case constantQuality(Double)
        /// Average bits per second. Not for ProRes.
        case bitRate(Int)
        /// From 0, the smallest, to 1, the best, on each codec's own scale. Not for ProRes.
        case quality(Double)

        /// The constant rate factor, on a scale that ends with `most`; nil for a bit rate.
        package func factor(most: Double) -> Double? {
            switch self {
            case .constantQuality(let factor): factor
            // 0 would be lossless.
            case .quality(let quality): most - (most - 1) * quality
            case .bitRate: nil
            }
        }
    }

    /// Of H.264 (ITU-T H.264, annex A), HEVC (ITU-T H.265, annex A: `main`, `main10`) and AV1 (`main`). `high10` and
    /// `main10` are for ten bits a sample alone, the others of H.264 and HEVC for eight.
    public enum Profile: String, Sendable, Hashable, Codable, CaseIterable { case baseline, main, high, high10, main10 }

    /// How H.264 writes its numbers (ITU-T H.264, 9).
    public enum EntropyMode: String, Sendable, Hashable, Codable, CaseIterable {
        /// Variable lengths: for the simplest decoders.
        case cavlc
        /// Arithmetic coding: a tenth smaller. Not in profile baseline.
        case cabac
    }

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
    /// How much work is put into the pictures: x264's names, `ultrafast` to `placebo`, which x265 has too and AV1 has levels
    /// for. Of no effect on JPEG and ProRes.
    public var preset: String
    /// nil: the encoder's choice.
    public var profile: Profile?
    /// The level that H.264 or HEVC keeps to, as "4.1" (ITU-T H.264, table A-1; H.265, A.4): decoders of that level play it.
    /// nil: the lowest that fits.
    public var level: String?
    /// For H.264; nil: the preset's.
    public var entropyMode: EntropyMode?
    /// Bits of one stored sample, 8 or 10; pictures of the other depth are converted. nil: 10 for `high10`, `main10` and
    /// ProRes, else 8.
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
    /// nil: as the source says. JPEG has a matrix and a range of its own, into which pictures are brought.
    public var color: ColorDescription?
    /// nil: as the source says.
    public var masteringDisplay: MasteringDisplay?
    /// nil: as the source says.
    public var contentLight: ContentLightLevel?
    /// Where the samples of colour lie; nil: as the source says. JPEG and ProRes have places of their own.
    public var chromaPosition: ChromaPosition?
    /// Threads that encode, 1 to 64; nil: as many as suit this machine. With the same number the same pictures give the same
    /// bytes however many processors a machine has, by the same versions of the encoders; another number gives others in H.264
    /// and HEVC. Not for JPEG and ProRes, whose bytes do not depend on it.
    public var threadCount: Int?
    /// Frames are two fields, in this order. H.264 and ProRes code them as fields; of HEVC and AV1 only the track says so.
    /// nil: whole frames.
    package var fieldOrder: FieldOrder?
    /// What is encoded becomes part of one track with what others encode with the same settings: its header does not depend on
    /// the pictures.
    package var isJoined = false

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
    /// Needed for more than two channels, as `.surround51`, or `.discrete(6)` for six microphones; nil: the input's, where the
    /// count is the same.
    public var layout: ChannelLayout?
    /// Bits per second, for AAC and Opus; nil: 64,000 a channel.
    public var bitRate: Int?
    /// The sample format to store, for linear PCM; nil: 16 bits.
    public var pcm: PCMSampleFormat?
    /// For linear PCM: the first byte of a sample is its highest.
    public var isBigEndian: Bool
    /// For linear PCM: the channels of a frame side by side. Nothing else can be stored; false is refused.
    public var isInterleaved: Bool
    /// Bits of a sample to keep, for ALAC and FLAC: 16 or 24; nil: 16 where the input has no more, else 24.
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
