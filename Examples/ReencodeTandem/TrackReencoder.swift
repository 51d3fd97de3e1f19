import AssetIO
import Dispatch
import MediaTypes

/// Re-encodes one track on a serial queue: a reader's output decodes it, and a writer's input encodes it.
final class TrackReencoder: @unchecked Sendable {
    // Unchecked: mutable state is used on `queue` alone.
    let queue: DispatchQueue
    let mediaType: MediaType
    private let output: TrackOutput
    private let input: AssetWriterInput
    private let writer: AssetWriter
    private var ended: (@Sendable (MediaError?) -> Void)?
    private(set) var hasEnded = false

    init(
        _ track: AssetTrack, preset: ExportPreset, size: FrameSize?, from reader: AssetReader, to writer: AssetWriter
    ) throws(MediaError) {
        mediaType = track.mediaType
        queue = DispatchQueue(label: "reencode.\(track.mediaType)")
        self.writer = writer
        var assistant = try SettingsAssistant(preset: preset)
        if track.mediaType == .video {
            // Frames stay in the decoder's format. The copy keeps size, pixel aspect ratio and clean aperture.
            assistant.sourceVideoFormat = track.formatDescription?.video
            assistant.sourceVideoMinFrameDuration = track.minFrameDuration
            output = try TrackOutput(track: track, outputSettings: .pixels(nil))
            var settings = assistant.videoSettings
            if let size, var scaled = settings {
                // The writer scales the frames that the decoder outputs. Black bars keep the aspect ratio.
                (scaled.width, scaled.height, scaled.scalingMode) = (size.width, size.height, .resizeAspect)
                (scaled.pixelAspectRatio, scaled.cleanAperture) = (.one, nil)
                settings = scaled
            }
            input = try AssetWriterInput(mediaType: .video, outputSettings: settings.map { .video($0) })
        } else {
            assistant.sourceAudioFormat = track.formatDescription?.audio
            let settings = assistant.audioSettings
            let form = TrackOutput.PCM(
                .float32, sampleRate: settings.sampleRate, channelCount: settings.channelCount,
                layout: settings.layout)
            output = try TrackOutput(track: track, outputSettings: .pcm(form))
            input = try AssetWriterInput(mediaType: .audio, outputSettings: .audio(settings))
        }
        // The encoder is finished with a frame before the decoder reuses its memory.
        try output.configure { $0.alwaysCopiesSampleData = false }
        try input.configure { configuration in
            configuration.languageCode = track.languageCode ?? "und"
            guard track.mediaType == .video else { return }
            // A movie recorded upright stays upright, and every frame keeps its time.
            configuration.transform = track.preferredTransform
            configuration.mediaTimeScale = track.naturalTimeScale
        }
        try reader.add(output)
        try writer.add(input)
    }

    /// Feeds the input whenever it is ready.
    ///
    /// - Parameter ended: a handler called exactly once, on the queue. It gets nil after the last sample, otherwise the
    ///   error, which is `cancelled` after `cancel`.
    func start(ended: @escaping @Sendable (MediaError?) -> Void) {
        queue.async { [self] in
            self.ended = ended
            do throws(MediaError) {
                try input.requestMediaDataWhenReady(on: queue) { [self] in feed() }
            } catch {
                end(error)
            }
        }
    }

    /// Cancels the track. Safe to call from any thread.
    func cancel() { queue.async { self.end(Reencoder.cancelled) } }

    // MARK: On the queue

    private func feed() {
        // After a failure of the writer, the block is called once more, even if the input is not ready.
        if let error = input.error ?? writer.error { return end(error) }
        while !hasEnded, input.isReadyForMoreMediaData {
            guard let sample = output.copyNextSampleBuffer() else { return end(nil) }
            do throws(MediaError) {
                try input.append(sample)
            } catch {
                end(error)
            }
        }
    }

    private func end(_ error: MediaError?) {
        guard !hasEnded else { return }
        hasEnded = true
        input.markAsFinished()
        let ended = ended
        self.ended = nil
        ended?(error)
    }
}
