public import AVFoundation
import AssetIO
import Capture
import Foundation
import MediaTypes
import RealTime

/// Records a camera and a microphone to a QuickTime movie. After a crash, everything up to the last fragment can be
/// repaired.
open class AVCaptureMovieFileOutput: AVCaptureFileOutput, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    private struct Choices {
        var fragmentInterval = CMTime.invalid
        var metadata: [AVMetadataItem]?
        var videoSettings: [String: Any] = [:]
        var audioSettings: [String: Any] = [:]
    }

    private let choices = Locked(Choices())

    public override init() { super.init() }

    /// The duration of the movie's fragments. A crash loses at most one fragment. `.invalid` selects the library's
    /// default, about a second. Apple's default is ten seconds.
    open var movieFragmentInterval: CMTime {
        get { choices.withLock { $0.fragmentInterval } }
        set { choices.withLock { $0.fragmentInterval = newValue } }
    }

    /// Metadata for the next movie.
    open var metadata: [AVMetadataItem]? {
        get { choices.withLock { $0.metadata } }
        set { choices.withLock { $0.metadata = newValue } }
    }

    /// The codecs for `setOutputSettings`.
    open var availableVideoCodecTypes: [AVVideoCodecType] { [.h264, .hevc, .jpeg, .proRes422] }

    /// Returns the settings of a connection. Empty settings mean H.264 in the camera's size, or AAC at the microphone's
    /// rate.
    open func outputSettings(for connection: AVCaptureConnection) -> [String: Any] {
        choices.withLock { connection.mediaType == .audio ? $0.audioSettings : $0.videoSettings }
    }

    /// Sets the settings of a connection, with the keys of a writer's input. The next recording is the first to use
    /// them. nil or empty settings select the default.
    open func setOutputSettings(_ outputSettings: [String: Any]?, for connection: AVCaptureConnection) {
        let isAudio = connection.mediaType == .audio
        choices.withLock { choices in
            if isAudio {
                choices.audioSettings = outputSettings ?? [:]
            } else {
                choices.videoSettings = outputSettings ?? [:]
            }
        }
    }

    // MARK: The session's side

    override func accepts(_ mediaType: AVMediaType, beside connections: [AVCaptureConnection]) -> Bool {
        (mediaType == .video || mediaType == .audio) && !connections.contains { $0.mediaType == mediaType }
    }

    override func sink(for connection: AVCaptureConnection) -> (any CaptureSink)? {
        MovieSink(self, isVideo: connection.mediaType == .video)
    }

    /// Returns true. Even packets can be rotated, because only the track's transform changes.
    override func canTurn(_ codec: VideoCodec) -> Bool { true }

    override func makeRecording(
        to url: URL, _ connections: [AVCaptureConnection], report: @escaping MovieRecording.Report
    ) throws(MediaError) -> MovieRecording {
        var inputs: [AssetWriterInput] = []
        for connection in connections {
            guard let format = connection.sourceFormat else { continue }
            inputs.append(try input(for: connection, format))
        }
        guard !inputs.isEmpty else {
            throw MediaError(
                .invalidState, "cannot record to \(url.path)", reason: "the session is not running",
                wayOut: "call startRunning first")
        }
        let (interval, metadata) = choices.withLock { ($0.fragmentInterval, $0.metadata ?? []) }
        return try MovieRecording(
            to: url, inputs: inputs, limits: state.withLock { $0.limits },
            configure: { configuration in
                if interval.isNumeric, interval > .zero { configuration.movieFragmentInterval = interval.media }
                configuration.metadata = AVMetadataItem.engine(metadata, for: .mov)
            }, report: report)
    }

    private func input(
        for connection: AVCaptureConnection, _ format: FormatDescription
    ) throws(MediaError) -> AssetWriterInput {
        let words = outputSettings(for: connection)
        let settings: OutputSettings?
        switch format {
        case .audio:
            settings = try words.isEmpty ? .audio(AudioSettings()) : WriterSettings.settings(words, for: .audio)
        case .video(let video) where video.codec == .h264 && words.isEmpty:
            // The camera's own stream is stored as it is.
            settings = nil
        case .video, .timecode, .text, .metadata:
            let chosen = try words.isEmpty ? .video(VideoSettings()) : WriterSettings.settings(words, for: .video)
            if case .video(var video) = chosen {
                // Encoders count the time from one keyframe to the next in frames of this rate.
                video.expectedFrameRate = video.expectedFrameRate ?? connection.expectedFrameRate
                settings = .video(video)
            } else {
                settings = chosen
            }
        }
        let input = try AssetWriterInput(
            mediaType: format.mediaType, outputSettings: settings, sourceFormatHint: format)
        if case .video = format { try input.setOrientation(connection.orientation) }
        return input
    }
}

/// The path of a connection's samples to the recording in progress, if there is one.
private final class MovieSink: CaptureSink, @unchecked Sendable {
    // Unchecked: `output` is set once, by the initializer.
    private weak var output: AVCaptureMovieFileOutput?
    private let isVideo: Bool

    init(_ output: AVCaptureMovieFileOutput, isVideo: Bool) {
        self.output = output
        self.isVideo = isVideo
    }

    func receive(_ event: DeviceEvent) {
        guard let output, let recording = output.recording else { return }
        switch event {
        case .sample(let sample): recording.append(sample, keeping: output)
        case .lost(let count, let cause, _): recording.lose(count, cause, isVideo: isVideo)
        case .gone, .back: break
        }
    }
}
