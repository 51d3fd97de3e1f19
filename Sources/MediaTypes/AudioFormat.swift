/// How sound is stored: compressed by a codec, or linear PCM.
public struct AudioCodec: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The name people type: `aac`, `alac`, `flac`, `opus`, `pcm`.
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let linearPCM = AudioCodec(rawValue: "pcm")
    public static let aac = AudioCodec(rawValue: "aac")
    public static let alac = AudioCodec(rawValue: "alac")
    public static let flac = AudioCodec(rawValue: "flac")
    public static let opus = AudioCodec(rawValue: "opus")

    public var description: String { rawValue }
}

/// One sample of linear PCM: a signed integer or floating point.
public enum PCMSampleFormat: String, Sendable, Hashable, Codable, CaseIterable {
    case s8, s16, s24, s32, float32, float64

    /// Bytes of one sample of one channel; `s24` is packed in three.
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

/// Everything a decoder or encoder must know about sound before it hears any.
public struct AudioFormat: Sendable, Hashable {
    public var codec: AudioCodec
    /// Frames per second; a frame is one sample of each channel.
    public var sampleRate: Int
    public var channelCount: Int
    /// The loudspeakers, in the order in which decoded channels come. nil: mono or stereo by the count, unknown for more.
    public var layout: ChannelLayout?
    /// The payload of the source's `chan` atom, behind version and flags. A track that is passed through keeps it. Formats
    /// that differ in it alone are equal.
    package var storedChannelLayout: [UInt8] {
        get { channelAtom.payload }
        set { channelAtom.payload = newValue }
    }
    private var channelAtom = ChannelAtom()
    /// The sample format of linear PCM, interleaved; nil for compressed sound.
    public var pcm: PCMSampleFormat?
    /// The first byte of a PCM sample is its highest.
    public var isBigEndian: Bool
    /// The codec's set-up bytes: for AAC the AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1), for ALAC the magic cookie,
    /// for FLAC STREAMINFO (RFC 9639, 8.2), for Opus the OpusHead packet (RFC 7845, 5.1).
    public var decoderConfiguration: [UInt8]
    /// Frames in each compressed packet; 0 when it varies, 1 for PCM.
    public var framesPerPacket: Int
    /// The entry that a file describes the track with, where the other properties do not say all that a copy needs.
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

    /// Bytes of one frame of PCM, also of µ-law, A-law and unsigned bytes; nil for compressed sound.
    public var bytesPerFrame: Int? {
        if let pcm { return pcm.byteCount * channelCount }
        return Self.oneByteCodecs.contains(codec.rawValue) ? channelCount : nil
    }

    /// Codecs with one byte for a sample of one channel, which `PCMSampleFormat` has no name for.
    private static let oneByteCodecs: Set<String> = ["pcm_u8", "pcm_mulaw", "pcm_alaw"]
}

/// Bytes that are passed on and never compared: what they mean is in the layout.
private struct ChannelAtom: Sendable, Hashable {
    var payload: [UInt8] = []

    static func == (_: ChannelAtom, _: ChannelAtom) -> Bool { true }
    func hash(into _: inout Hasher) {}
}
