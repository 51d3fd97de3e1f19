import AssetIO
import Foundation
import MediaTypes

/// Exports a movie with everything it contains: rotation, metadata, chapters, timecode, every audio track.
///
/// Cancelling the task cancels the export and leaves no output file.
func export(_ input: URL, to output: URL, preset: ExportPreset = .highQuality) async throws {
    let session = try ExportSession(asset: Asset(url: input), preset: preset)
    try await session.export(to: output)
    for line in session.report.leftOut { print("left out: \(line)") }
}

/// Exports a movie by hand, for control over every sample. Uses a reader, a writer and two tasks: one for the first
/// video track, and one for the first audio track.
///
/// - Parameter look: a closure that sees every decoded sample on its way to the encoder.
func reencode(
    _ input: URL, to output: URL, preset: ExportPreset = .highQuality,
    look: @escaping @Sendable (SampleBuffer) async throws -> Void = { _ in }
) async throws {
    let asset = Asset(url: input)
    let reader = try AssetReader(asset: asset)
    let writer = try AssetWriter(outputURL: output)
    do {
        let lanes = try await lanes(asset, preset, reader, writer)
        try reader.startReading()
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (output, receiver) in lanes {
                group.addTask {
                    while let sample = try await output.next() {
                        try await look(sample)
                        try await receiver.append(sample)
                    }
                    receiver.finish()
                }
            }
            // The first task that fails cancels the other.
            for try await _ in group {}
        }
        try await writer.finishWriting()
    } catch {
        reader.cancelReading()
        writer.cancelWriting()
        // A failed writer leaves its unfinished file, which could be repaired. This program deletes it, because the
        // source still exists.
        if writer.status == .failed { try? FileManager.default.removeItem(at: writer.temporaryURL) }
        throw error
    }
}

/// Returns an output and a receiver for the first video track, and for the first audio track.
private func lanes(
    _ asset: Asset, _ preset: ExportPreset, _ reader: AssetReader, _ writer: AssetWriter
) async throws -> [(TrackOutput, AssetWriterInput.SampleBufferReceiver)] {
    var assistant = try SettingsAssistant(preset: preset)
    var lanes: [(TrackOutput, AssetWriterInput.SampleBufferReceiver)] = []
    if let track = try await asset.tracks(withMediaType: .video).first {
        assistant.sourceVideoFormat = track.formatDescription?.video
        let output = try TrackOutput(track: track, outputSettings: .pixels(nil))
        let settings = assistant.videoSettings.map { OutputSettings.video($0) }
        let input = try AssetWriterInput(mediaType: .video, outputSettings: settings)
        try input.configure {
            $0.transform = track.preferredTransform
            $0.mediaTimeScale = track.naturalTimeScale
        }
        try reader.add(output)
        lanes.append((output, try writer.inputReceiver(for: input)))
    }
    if let track = try await asset.tracks(withMediaType: .audio).first {
        assistant.sourceAudioFormat = track.formatDescription?.audio
        let settings = assistant.audioSettings
        let form = TrackOutput.PCM(
            .float32, sampleRate: settings.sampleRate, channelCount: settings.channelCount, layout: settings.layout)
        let output = try TrackOutput(track: track, outputSettings: .pcm(form))
        let input = try AssetWriterInput(mediaType: .audio, outputSettings: .audio(settings))
        try reader.add(output)
        lanes.append((output, try writer.inputReceiver(for: input)))
    }
    return lanes
}
