/// The storage form of audio: compressed by a codec, or linear PCM.
public struct AudioCodec: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The name that users type: `aac`, `alac`, `flac`, `opus`, `pcm`.
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let linearPCM = AudioCodec(rawValue: "pcm")
    public static let aac = AudioCodec(rawValue: "aac")
    public static let alac = AudioCodec(rawValue: "alac")
    public static let flac = AudioCodec(rawValue: "flac")
    public static let opus = AudioCodec(rawValue: "opus")

    public var description: String { rawValue }
}

/// The form of one linear PCM sample: a signed integer or floating point.
public enum PCMSampleFormat: String, Sendable, Hashable, Codable, CaseIterable {
    case s8, s16, s24, s32, float32, float64

    /// Bytes of one sample of one channel; `s24` is packed into three.
    public var byteCount: Int {
        switch self {
        case .s8: 1
        case .s16: 2
        case .s24: 3
        case .s32, .float32: 4
        case .float64: 8
        }
    }

    public var isFloatingPoint: Bool { self == .float32 || self == .float64 }
}

/// The format of audio: everything that a decoder or encoder needs to know before the first sample.
public struct AudioFormat: Sendable, Hashable {
    public var codec: AudioCodec
    /// Audio frames per second. An audio frame is one sample of each channel.
    public var sampleRate: Int
    public var channelCount: Int
    /// The loudspeakers, in the order of the decoded channels. nil means mono for one channel, stereo for two channels,
    /// and unknown for more.
    public var layout: ChannelLayout?
    /// The payload of the source's `chan` atom, after version and flags. A track that is passed through keeps this
    /// payload. Two formats that differ only in this payload are equal.
    package var storedChannelLayout: [UInt8] {
        get { channelAtom.payload }
        set { channelAtom.payload = newValue }
    }
    private var channelAtom = ChannelAtom()
    /// The sample format of linear PCM, interleaved; nil for compressed audio.
    public var pcm: PCMSampleFormat?
    /// True if the most significant byte of a PCM sample comes first.
    public var isBigEndian: Bool
    /// The codec's configuration bytes: the AudioSpecificConfig for AAC (ISO/IEC 14496-3, 1.6.2.1), the magic cookie
    /// for ALAC, STREAMINFO for FLAC (RFC 9639, 8.2), the OpusHead packet for Opus (RFC 7845, 5.1).
    public var decoderConfiguration: [UInt8]
    /// Audio frames in each compressed packet; 0 if the number varies, 1 for PCM.
    public var framesPerPacket: Int
    /// The sample description of the source file, if the other properties do not contain everything that a copy needs.
    package var storedEntry: StoredEntry?

    public init(
        codec: AudioCodec, sampleRate: Int, channelCount: Int, layout: ChannelLayout? = nil,
        pcm: PCMSampleFormat? = nil,
        decoderConfiguration: [UInt8] = [], framesPerPacket: Int = 0, isBigEndian: Bool = false
    ) {
        self.codec = codec
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.layout = layout
        self.pcm = pcm
        self.isBigEndian = isBigEndian
        self.decoderConfiguration = decoderConfiguration
        self.framesPerPacket = framesPerPacket
    }

    /// Interleaved linear PCM.
    public init(
        pcm: PCMSampleFormat, sampleRate: Int, channelCount: Int, layout: ChannelLayout? = nil,
        isBigEndian: Bool = false
    ) {
        self.init(
            codec: .linearPCM, sampleRate: sampleRate, channelCount: channelCount, layout: layout, pcm: pcm,
            framesPerPacket: 1, isBigEndian: isBigEndian)
    }

    /// Bytes of one audio frame of PCM; nil for compressed audio. µ-law, A-law and unsigned bytes count as PCM here.
    public var bytesPerFrame: Int? {
        if let pcm { return pcm.byteCount * channelCount }
        return Self.oneByteCodecs.contains(codec.rawValue) ? channelCount : nil
    }

    /// Codecs that store each sample in one byte, and for which `PCMSampleFormat` has no case.
    private static let oneByteCodecs: Set<String> = ["pcm_u8", "pcm_mulaw", "pcm_alaw"]
}

/// The bytes of a `chan` atom. The bytes are passed on but not compared, because the layout already has the same
/// information.
private struct ChannelAtom: Sendable, Hashable {
    var payload: [UInt8] = []

    static func == (_: ChannelAtom, _: ChannelAtom) -> Bool { true }
    func hash(into _: inout Hasher) {}
}
