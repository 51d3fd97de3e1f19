import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests of listing 19.
@Suite struct AssistedWriterTests {
    /// Returns the format of a track's media after decoding, which is the form that the writer's input gets.
    private func decodedFormat(
        of track: AVAssetTrack, in asset: AVAsset, _ settings: [String: Any]
    ) throws -> CMFormatDescription? {
        let reader = try AVAssetReader(asset: asset)
        let output = AVAssetReaderTrackOutput(track: track, outputSettings: settings)
        reader.add(output)
        guard reader.startReading() else { return nil }
        defer { reader.cancelReading() }
        return output.copyNextSampleBuffer()?.formatDescription
    }

    @Test func writer_settingsOfTheAssistant_writeBothTracks() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let (url, target) = (try movies.movie(), movies.directory.file("out.mov"))
        try await onThread {
            let asset = AVURLAsset(url: url)
            let video = try #require(asset.tracks(withMediaType: .video).first)
            let audio = try #require(asset.tracks(withMediaType: .audio).first)
            let pcm = [AVFormatIDKey: NSNumber(value: kAudioFormatLinearPCM)]
            let raw = [
                kCVPixelBufferPixelFormatTypeKey as String: NSNumber(
                    value: kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)
            ]
            let assisted = try #require(
                AssistedWriter(
                    .preset640x480, target, audio: try decodedFormat(of: audio, in: asset, pcm),
                    video: try decodedFormat(of: video, in: asset, raw),
                    averageFrameDuration: CMTime(value: 1, timescale: 30), minFrameDuration: video.minFrameDuration))
            let reader = try AVAssetReader(asset: asset)
            let outputs = [
                AVAssetReaderTrackOutput(track: audio, outputSettings: pcm),
                AVAssetReaderTrackOutput(track: video, outputSettings: raw),
            ]
            let inputs = [assisted.audioInput, assisted.videoInput]
            for (output, input) in zip(outputs, inputs) {
                #expect(reader.canAdd(output) && assisted.writer.canAdd(input))
                reader.add(output)
                assisted.writer.add(input)
            }
            #expect(reader.startReading() && assisted.writer.startWriting())
            assisted.writer.startSession(atSourceTime: .zero)
            let gates = zip(outputs, inputs).map { output, input in
                let gate = Gate()
                TrackReencoder(reader, output, assisted.writer, input).start { error in
                    #expect(error == nil)
                    gate.open()
                }
                return gate
            }
            for gate in gates { #expect(gate.wait()) }
            #expect(assisted.writer.finishWriting(), "\(String(describing: assisted.writer.error))")
        }
        let probe = try Probe(target.path, decodes: true)
        #expect(probe.complaints.isEmpty && probe.streams.count == 2 && abs(probe.format.seconds - 2) < 0.05)
        // The source is smaller than the preset.
        #expect(probe.video?.codecName == "h264" && probe.video?.width == 160 && probe.video?.frames == 60)
        #expect(probe.audio?.codecName == "aac")
    }

    @Test func writer_unavailablePreset_isNil() throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let second = CMTime(value: 1, timescale: 1)
        let assisted = AssistedWriter(
            .hevc1920x1080WithAlpha, directory.file("out.mov"), audio: nil, video: nil, averageFrameDuration: second,
            minFrameDuration: second)
        #expect(assisted == nil)
    }
}
