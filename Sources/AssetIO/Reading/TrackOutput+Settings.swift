import MediaCodecs
public import MediaTypes

extension TrackOutput {
    /// The form that decoded samples are given in.
    public enum Settings: Sendable, Hashable {
        /// Pictures; nil: in the format that is nearest to what is stored, which costs no conversion.
        case pixels(PixelFormat?)
        /// Sound.
        case pcm(PCM)

        /// Interleaved PCM.
        public static func pcm(_ format: PCMSampleFormat) -> Settings { .pcm(PCM(format)) }

        public var mediaType: MediaType {
            switch self {
            case .pixels: .video
            case .pcm: .audio
            }
        }
    }

    /// A form of interleaved linear PCM; what is nil stays as it is stored.
    public struct PCM: Sendable, Hashable {
        public var format: PCMSampleFormat
        public var isBigEndian: Bool
        /// Frames per second.
        public var sampleRate: Int?
        /// Other counts than the stored one are mixed.
        public var channelCount: Int?
        public var layout: ChannelLayout?

        public init(
            _ format: PCMSampleFormat, isBigEndian: Bool = false, sampleRate: Int? = nil, channelCount: Int? = nil,
            layout: ChannelLayout? = nil
        ) {
            self.format = format
            self.isBigEndian = isBigEndian
            self.sampleRate = sampleRate
            self.channelCount = channelCount
            self.layout = layout
        }

        var output: PCMOutput {
            PCMOutput(
                pcm: format, isBigEndian: isBigEndian, sampleRate: sampleRate, channelCount: channelCount,
                layout: layout)
        }

        var fault: String? {
            if let sampleRate, !(1...768_000).contains(sampleRate) { return "sampleRate is not in 1 to 768,000" }
            if let channelCount, !(1...8).contains(channelCount) { return "channelCount is not in 1 to 8" }
            if let layout, let channelCount, layout.channelCount != channelCount {
                return "layout \(layout.rawValue) has not \(channelCount) channels"
            }
            return nil
        }
    }
}
