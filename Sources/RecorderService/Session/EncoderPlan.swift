import AssetIO
import CommandInterface
import MediaTypes
import RealTime

/// Opens the encoders that a configuration asks for, the next faster one where the last could not keep up.
final class EncoderPlan: Sendable {
    private let configuration: RecordingConfiguration
    private let latency: LatencyMeter
    private let mayEase: @Sendable () -> Bool
    /// How many pictures wait for their encoder at most.
    let videoBudget: RealTimeBudget
    private let steps = Locked(0)
    /// A microphone's ring may hold more than the pictures' two seconds, and after a standstill comes all at once.
    private static let soundBudget = RealTimeBudget(duration: MediaTime(value: 10, timescale: 1))

    /// Long enough for whoever takes the processor for a while; what waits is lost in a crash.
    private static let patience = MediaTime(value: 4, timescale: 1)

    /// - Parameters:
    ///   - latency: of the video's encoders.
    ///   - mayEase: whether an encoder that falls behind may work less hard; asked each time.
    init(
        _ configuration: RecordingConfiguration, latency: LatencyMeter,
        mayEase: @escaping @Sendable () -> Bool = { true }
    ) {
        self.mayEase = mayEase
        videoBudget = RealTimeBudget(
            duration: Self.patience, bytes: Int(clamping: configuration.queueMemory ?? QueueMemory.share()))
        self.configuration = configuration
        self.latency = latency
    }

    /// - Parameter frameRate: what the camera is set to.
    func open(_ format: FormatDescription, frameRate: Double?) throws(MediaError) -> any TrackEncoder {
        let settings: OutputSettings? =
            format.mediaType == .video
            ? try videoSettings(format, frameRate: frameRate ?? configuration.frameRate?.framesPerSecond)
            : .audio(configuration.audio)
        let isVideo = format.mediaType == .video
        return try LiveEncoder(
            format.mediaType, settings: settings, format: format, budget: isVideo ? videoBudget : Self.soundBudget,
            isLowLatency: configuration.isLowLatency, latency: isVideo ? latency : nil, mayEase: isVideo ? mayEase : nil
        )
    }

    /// x264's preset for the next encoder.
    var preset: String? {
        guard case .h264(let preset, _, _) = configuration.video else { return nil }
        guard let index = EncodingText.presets.firstIndex(of: preset) else { return preset }
        return EncodingText.presets[max(0, index - steps.withLock { $0 })]
    }

    /// The next encoder is to be faster.
    ///
    /// - Returns: its preset; nil when there is none.
    func stepDown() -> String? {
        let before = preset
        steps.withLock { $0 += 1 }
        guard preset != before else {
            steps.withLock { $0 -= 1 }
            return nil
        }
        return preset
    }

    /// nil: the camera's own pictures are stored as they come. That is also what happens to a camera that gives H.264,
    /// where H.264 is wanted.
    private func videoSettings(
        _ format: FormatDescription, frameRate: Double?
    ) throws(MediaError) -> OutputSettings? {
        let codec = format.video?.codec ?? .raw
        switch configuration.video {
        case .passthrough:
            guard codec != .raw else {
                throw MediaError(
                    .deviceUnsuitable, "cannot store pictures untouched", reason: "this camera gives raw ones",
                    wayOut: "--codec h264 compresses them")
            }
            return nil
        case .h264(let preset, let rateControl, let keyFrameInterval):
            guard codec != .h264 else { return nil }
            var settings = VideoSettings(
                rateControl: rateControl, preset: self.preset ?? preset, keyFrameInterval: keyFrameInterval,
                expectedFrameRate: frameRate)
            if configuration.isLowLatency { (settings.maximumBFrames, settings.lookAhead) = (0, 0) }
            return .video(settings)
        }
    }
}
