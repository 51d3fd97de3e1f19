import AssetIO
import Capture
import CommandInterface
import MediaCodecs
import MediaTypes
import RealTime
import RecorderStorage

/// Opens the configured encoders. If an encoder could not keep up, the next one gets a faster preset.
final class EncoderPlan: Sendable {
    private let configuration: RecordingConfiguration
    private let latency: LatencyMeter
    private let mayReduceEffort: @Sendable () -> Bool
    /// The maximum time and bytes of frames that wait for their encoder.
    let videoBudget: RealTimeBudget
    private let steps = Locked(0)
    /// The maximum duration of audio that waits for its encoder. It is longer than `patience`, because a microphone's
    /// ring buffer may hold more audio, all of which arrives at once after a stall.
    private static let audioBudget = RealTimeBudget(duration: MediaTime(value: 10, timescale: 1))

    /// The maximum duration of frames that wait for their encoder. It is long enough for phases in which other programs
    /// use the processor. A crash loses the waiting frames.
    private static let patience = MediaTime(value: 4, timescale: 1)

    /// Creates a plan that begins with the configured preset.
    ///
    /// - Parameters:
    ///   - latency: The meter that measures the video encoders.
    ///   - mayReduceEffort: Returns true if an encoder that lags may reduce its effort. Called before each reduction.
    init(
        _ configuration: RecordingConfiguration, latency: LatencyMeter,
        mayReduceEffort: @escaping @Sendable () -> Bool = { true }
    ) {
        self.mayReduceEffort = mayReduceEffort
        videoBudget = RealTimeBudget(
            duration: Self.patience, bytes: Int(clamping: configuration.queueMemory ?? QueueMemory.share()))
        self.configuration = configuration
        self.latency = latency
    }

    /// Opens the encoder for a track.
    ///
    /// - Parameters:
    ///   - frameRate: The camera's current setting.
    ///   - sink: Accepts the packets.
    ///   - mayLeaveOutRepeats: Returns true if frames that repeat the one before may be left out now. Called for each
    ///     frame if the configuration allows leaving out repeated frames.
    func open(
        _ format: FormatDescription, frameRate: Double?, sink: any PacketSink,
        mayLeaveOutRepeats: @escaping @Sendable () -> Bool = { true }
    ) throws(MediaError) -> any EncoderGeneration {
        let isVideo = format.mediaType == .video
        let settings: OutputSettings?
        if isVideo {
            let rate = movieRate ?? frameRate ?? configuration.frameRate?.framesPerSecond
            settings = try videoSettings(format, frameRate: rate)
        } else {
            settings = try audioSettings(format)
        }
        return try LiveEncoder(
            format.mediaType, settings: settings, format: format, sink: sink,
            budget: isVideo ? videoBudget : Self.audioBudget,
            isLowLatency: isVideo ? holdsNothing : configuration.isLowLatency,
            latency: isVideo ? latency : nil, mayReduceEffort: isVideo ? mayReduceEffort : nil,
            mayLeaveOutRepeats: isVideo && configuration.skipsIdentical ? mayLeaveOutRepeats : nil,
            opening: isVideo ? hardware : nil)
    }

    /// Opens the machine's encoder; nil if x264 is configured.
    private var hardware: VideoEncoderOpening? {
        guard case .v4l2(let path) = configuration.encoder else { return nil }
        let holdsNothing = holdsNothing
        return { settings, color, timeScale throws(MediaError) in
            try HardwareH264Encoder(
                path: path, settings: settings, color: color, timeScale: timeScale, holdsNothing: holdsNothing)
        }
    }

    /// Opens an encoder for the sub-stream.
    ///
    /// - Parameters:
    ///   - format: The format of the recorded frames.
    ///   - sink: Accepts the packets.
    static func openSubstream(
        _ format: FormatDescription, _ substream: SubstreamSettings, sink: any PacketSink
    ) throws(MediaError) -> any EncoderGeneration {
        var settings = VideoSettings(
            width: substream.size.width, height: substream.size.height,
            rateControl: substream.bitRate.map(VideoSettings.RateControl.bitRate) ?? .constantQuality(26),
            expectedFrameRate: substream.frameRate.framesPerSecond)
        settings.scalingMode = .fit
        // No frame is held back, so that viewers see it at once. GOPs are short, so that viewers can switch quickly
        // between the two streams.
        (settings.maximumBFrames, settings.lookAhead) = (0, 0)
        settings.keyframeInterval = MediaTime(value: 2, timescale: 1)
        return try LiveEncoder(
            .video, settings: .video(settings), format: format, sink: sink, budget: substreamBudget, isLowLatency: true)
    }

    /// Large enough to have no effect, because the sub-stream itself limits the number of waiting frames
    /// (`SubStream.mostWaiting`).
    private static let substreamBudget = RealTimeBudget(duration: MediaTime(value: 10, timescale: 1), bytes: 256 << 20)

    /// The frame rate of a time-lapse's movie; nil for other recordings.
    private var movieRate: Double? { configuration.timeLapse?.playRate.framesPerSecond }

    /// True if the encoder holds no frames back. A frame that is held back waits for the next frame, which may come
    /// hours later in a time-lapse. In a video without changes, the next frame may come a keyframe interval later.
    private var holdsNothing: Bool {
        configuration.isLowLatency || configuration.timeLapse != nil || configuration.skipsIdentical
    }

    /// The preset for the next encoder.
    var preset: String? {
        guard case .encoded(_, let preset, _, _) = configuration.video, configuration.encoder == .x264 else {
            return nil
        }
        guard let index = EncodingText.presets.firstIndex(of: preset) else { return preset }
        return EncodingText.presets[max(0, index - steps.withLock { $0 })]
    }

    /// Selects a faster preset for the next encoder.
    ///
    /// - Returns: The new preset; nil if there is no faster one.
    func stepDown() -> String? {
        let before = preset
        steps.withLock { $0 += 1 }
        guard preset != before else {
            steps.withLock { $0 -= 1 }
            return nil
        }
        return preset
    }

    /// Returns the encoder's settings; nil if the compressed audio of a network camera is stored unchanged.
    private func audioSettings(_ format: FormatDescription) throws(MediaError) -> OutputSettings? {
        guard let audio = format.audio, audio.pcm == nil else {
            return .audio(Self.settings(configuration.audio, of: format.audio))
        }
        guard audio.codec == configuration.audio.codec || audio.codec == .opus && configuration.keepsOpus else {
            throw MediaError(
                .deviceUnsuitable, "cannot record with --audio-codec \(configuration.audio.codec)",
                reason: "this camera delivers \(audio.codec), which is stored unchanged",
                wayOut: "remove --audio-codec, or set the camera's audio to Opus or G.711")
        }
        return nil
    }

    /// Returns the settings for audio of a microphone. Linear PCM keeps every bit of it.
    static func settings(_ wanted: AudioSettings, of microphone: AudioFormat?) -> AudioSettings {
        var settings = wanted
        if settings.codec == .linearPCM, let microphone {
            settings.pcm = settings.pcm ?? AudioFit.sampleFormat(of: microphone)
        }
        return settings
    }

    /// Returns the encoder's settings; nil if the camera's own compressed frames are stored unchanged, for example
    /// because they already have the configured codec.
    private func videoSettings(
        _ format: FormatDescription, frameRate: Double?
    ) throws(MediaError) -> OutputSettings? {
        let codec = format.video?.codec ?? .raw
        if configuration.timeLapse != nil, codec.hasDependentFrames {
            throw MediaError(
                .deviceUnsuitable, "cannot record with --every",
                reason: "this camera delivers \(codec.title), whose frames need the ones before them",
                wayOut: "use --pixel-format mjpeg or yuyv")
        }
        if configuration.skipsIdentical, codec.hasDependentFrames {
            throw MediaError(
                .deviceUnsuitable, "cannot record with --skip-identical",
                reason: "this camera delivers \(codec.title), which is stored without decoding",
                wayOut: "use --pixel-format mjpeg or yuyv, or remove --skip-identical")
        }
        switch configuration.video {
        case .passthrough:
            guard codec != .raw else {
                throw MediaError(
                    .deviceUnsuitable, "cannot record with --codec passthrough",
                    reason: "this camera delivers raw frames",
                    wayOut: "use --codec h264")
            }
            return nil
        case .encoded(let wanted, let preset, let rateControl, let keyframeInterval):
            guard codec != wanted else { return nil }
            guard codec == .raw || codec == .mjpeg else { throw refusal(to: wanted, from: codec) }
            var settings = VideoSettings(
                codec: wanted, rateControl: rateControl, preset: self.preset ?? preset,
                keyframeInterval: keyframeInterval, expectedFrameRate: frameRate)
            if holdsNothing { (settings.maximumBFrames, settings.lookAhead) = (0, 0) }
            // A hardware encoder encodes the lines of both fields as one frame.
            if configuration.encoder == .x264 { settings.fieldOrder = format.video?.fieldOrder }
            return .video(settings)
        }
    }

    /// The error for a camera whose own compressed frames cannot be encoded to a different codec.
    private func refusal(to wanted: VideoCodec, from codec: VideoCodec) -> MediaError {
        let other = wanted == .h264 ? "H.264" : "MJPEG"
        return MediaError(
            .deviceUnsuitable, "cannot record with --codec \(wanted)",
            reason: "this camera delivers \(codec.title), which is not decoded while it is recorded",
            wayOut: "use --codec passthrough, or set the camera to \(other)")
    }
}
