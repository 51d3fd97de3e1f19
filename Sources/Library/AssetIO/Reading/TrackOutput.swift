import MediaCodecs
public import MediaTypes

/// Reads the samples of one track of an asset. Modeled on AVFoundation's `AVAssetReaderTrackOutput`.
public final class TrackOutput: AssetReaderOutput {
    public let track: AssetTrack
    /// The output settings; nil if samples are returned as they are stored.
    public let outputSettings: Settings?
    public let core: ReaderOutputCore

    /// Creates an output for a track.
    ///
    /// - Throws: `invalidSettings` for settings of a different media type, or out of range.
    public init(track: AssetTrack, outputSettings: Settings? = nil) throws(MediaError) {
        let action = "cannot create an output for track \(track.id)"
        if let outputSettings {
            guard outputSettings.mediaType == track.mediaType else {
                throw MediaError(
                    .invalidSettings, action,
                    reason: "its settings are for \(outputSettings.mediaType), but the track is \(track.mediaType)")
            }
            if case .pcm(let form) = outputSettings, let fault = form.fault {
                throw MediaError(.invalidSettings, action, reason: fault)
            }
        }
        self.track = track
        self.outputSettings = outputSettings
        core = ReaderOutputCore(tracks: [track], name: "track \(track.id)") {
            (asset, configuration, ranges) throws(MediaError) in
            try asset.source(
                of: track, ranges: configuration.mediaRange.map { [$0] } ?? ranges,
                SourceOptions(
                    settings: outputSettings, sharesMemory: !configuration.alwaysCopiesSampleData,
                    leavesUnread: configuration.leavesUnread, readsMedia: configuration.mediaRange != nil,
                    givesHiddenSamples: configuration.givesHiddenSamples, givesPreroll: configuration.givesPreroll,
                    showsHeldFrame: configuration.showsHeldFrame,
                    usefulBitDepth: configuration.usefulBitDepth, threadCount: configuration.decoderThreadCount,
                    damage: configuration.damage, frameMetadata: configuration.frameMetadata,
                    stop: configuration.stop))
        }
    }

    public var mediaType: MediaType { track.mediaType }
}

extension TrackOutput {
    /// The form of decoded samples.
    public enum Settings: Sendable, Hashable {
        /// Frames in a pixel format; nil for the format nearest to the stored one, which needs no conversion.
        case pixels(PixelFormat?)
        /// Audio.
        case pcm(PCM)

        /// Returns settings for interleaved PCM.
        public static func pcm(_ format: PCMSampleFormat) -> Settings { .pcm(PCM(format)) }

        public var mediaType: MediaType {
            switch self {
            case .pixels: .video
            case .pcm: .audio
            }
        }
    }

    /// A form of interleaved linear PCM. Properties that are nil follow the stored audio.
    public struct PCM: Sendable, Hashable {
        public var format: PCMSampleFormat
        public var isBigEndian: Bool
        /// The sample rate in frames per second.
        public var sampleRate: Int?
        /// The number of channels. Audio with a different number is mixed.
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

        /// The reason why this form is impossible for any audio; nil if it is possible.
        package var fault: String? {
            if let sampleRate, !(1...768_000).contains(sampleRate) { return "sampleRate is not between 1 and 768,000" }
            if let channelCount, !(1...64).contains(channelCount) { return "channelCount is not between 1 and 64" }
            if let layout, let channelCount, layout.channelCount != channelCount {
                return "layout \(layout.rawValue) does not have \(channelCount) channels"
            }
            return nil
        }
    }
}
