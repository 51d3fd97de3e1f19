import AssetIO
import Capture
import Foundation
import MediaTypes

/// A recording's file through `AssetWriter`: one real-time input a source.
struct AssetSink: MovieSink {
    private let writer: AssetWriter
    private let videoTrack: AssetTrackSink?
    private let audioTrack: AssetTrackSink?

    var video: (any TrackSink)? { videoTrack }
    var audio: (any TrackSink)? { audioTrack }
    var bytesWritten: Int64 { writer.bytesWritten }

    /// - Parameter created: the wall clock, for the movie's creation date.
    init(
        _ configuration: RecordingConfiguration, location: OutputLocation, sources: RecordingSources, created: Date
    ) throws(MediaError) {
        writer = try AssetWriter(outputURL: URL(fileURLWithPath: location.path))
        videoTrack = try sources.camera.map { camera throws(MediaError) in
            try AssetTrackSink(
                .video, settings: Self.videoSettings(configuration, camera: camera), format: camera.format)
        }
        audioTrack = try sources.microphone.map { microphone throws(MediaError) in
            try AssetTrackSink(.audio, settings: .audio(configuration.audio), format: microphone.format)
        }
        let isQuickTime = writer.fileType == .mov
        for track in [videoTrack, audioTrack].compactMap(\.self) { try writer.add(track.input) }
        try writer.configure { writer in
            writer.creationDate = created
            writer.overwritesExistingFile = configuration.overwrite
            writer.timecode = isQuickTime ? Self.timecode(sources.camera) : nil
            writer.metadata = [
                MetadataItem(key: MetadataItem.creationDateKey, value: CaptureProcess.timestamp(created)),
                MetadataItem(key: MetadataItem.softwareKey, value: RecorderVersion.text),
                MetadataItem(key: MetadataItem.titleKey, value: configuration.name.description),
            ]
        }
    }

    /// For `CaptureProcess`, which knows only the protocol.
    static func make(
        _ configuration: RecordingConfiguration, location: OutputLocation, sources: RecordingSources, created: Date
    ) throws(MediaError) -> any MovieSink {
        try AssetSink(configuration, location: location, sources: sources, created: created)
    }

    func forEachEvent(_ body: @Sendable (MovieSinkEvent) -> Void) async {
        for await event in writer.events {
            if let event = Self.event(event) { body(event) }
        }
    }

    func start() throws(MediaError) { try writer.startWriting() }

    func startSession(at time: MediaTime) throws(MediaError) { try writer.startSession(atSourceTime: time) }

    func finish(endingAt end: MediaTime) async throws(MediaError) {
        try writer.endSession(atSourceTime: end)
        try await writer.finishWriting()
    }

    func cancel() { writer.cancelWriting() }

    /// The time of day, counted in the camera's frames. nil without a camera.
    private static func timecode(_ camera: (any CaptureSource)?) -> TimecodeFormat? {
        guard let camera else { return nil }
        let interval = camera.frameRate?.interval ?? MediaTime(value: 1, timescale: 30)
        let framesPerSecond = max(1, min(255, Int((1 / interval.seconds).rounded())))
        // 29.97 and 59.94 frames a second fall behind the clock unless numbers are left out.
        let isNTSC =
            framesPerSecond % 30 == 0 && interval == MediaTime(value: 1001, timescale: Int32(framesPerSecond * 1000))
        return TimecodeFormat(frameDuration: interval, framesPerSecond: framesPerSecond, dropsFrames: isNTSC)
    }

    /// nil: the camera's own pictures are stored as they come. That is also what happens to a camera that gives H.264,
    /// where H.264 is wanted.
    private static func videoSettings(
        _ configuration: RecordingConfiguration, camera: any CaptureSource
    ) throws(MediaError) -> OutputSettings? {
        let codec = camera.format.video?.codec ?? .raw
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
            return .video(
                VideoSettings(
                    rateControl: rateControl, preset: preset, keyFrameInterval: keyFrameInterval,
                    expectedFrameRate: (camera.frameRate ?? configuration.frameRate)?.framesPerSecond))
        }
    }

    private static func event(_ event: AssetWriterEvent) -> MovieSinkEvent? {
        switch event {
        case .began: .firstSampleWritten
        case .inputFailed(let mediaType, let error): .trackFailed(mediaType, error)
        case .failed(let error): .failed(error)
        case .completed: nil
        }
    }
}

/// One input of the writer.
struct AssetTrackSink: TrackSink {
    let input: AssetWriterInput

    init(_ mediaType: MediaType, settings: OutputSettings?, format: FormatDescription) throws(MediaError) {
        input = try AssetWriterInput(mediaType: mediaType, outputSettings: settings, sourceFormatHint: format)
        try input.configure { $0.expectsMediaDataInRealTime = true }
    }

    func append(_ sample: SampleBuffer) {
        // Refused samples are in the ledger. What throws here, a writer that failed, is told by its events.
        _ = try? input.append(sample)
    }

    func noteLoss(count: Int64, cause: DropCause) { input.noteLoss(count, cause: cause) }
    func markAsFinished() { input.markAsFinished() }
    var ledger: Ledger { input.ledger }
    var queueDepth: Int { input.queueDepth }
    var filledGaps: (count: Int, frames: Int64) { input.filledGaps }
}
