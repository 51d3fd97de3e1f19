import AVFoundation
import Foundation
import TestSupport
import Testing

@Suite struct AVOutputSettingsAssistantTests {
    @Test func settings_smallerSource_areNotLargerThanTheSource() throws {
        #expect(AVOutputSettingsAssistant(preset: .hevc1920x1080WithAlpha) == nil)
        let smaller = try #require(AVOutputSettingsAssistant(preset: .hevc1920x1080))
        #expect(smaller.videoSettings?[AVVideoCodecKey] as? AVVideoCodecType == .hevc)
        #expect(smaller.videoSettings?[AVVideoWidthKey] as? Int == 1920)
        for preset in AVOutputSettingsAssistant.availableOutputSettingsPresets() {
            #expect(AVOutputSettingsAssistant(preset: preset)?.videoSettings?[AVVideoCodecKey] != nil)
        }
        let assistant = try #require(AVOutputSettingsAssistant(preset: .preset1280x720))
        #expect(assistant.outputFileType == .mov && assistant.sourceVideoFormat == nil)
        #expect(assistant.videoSettings?[AVVideoWidthKey] as? Int == 1280)
        #expect(assistant.audioSettings?[AVFormatIDKey] != nil)
        #expect(assistant.sourceVideoMinFrameDuration == CMTime(value: 1, timescale: 30))
        let movies = try MadeMovies()
        let asset = AVURLAsset(url: try movies.movie())
        let video = try #require(asset.tracks(withMediaType: .video).first)
        let audio = try #require(asset.tracks(withMediaType: .audio).first)
        assistant.sourceVideoFormat = video.formatDescriptions.first as? CMVideoFormatDescription
        assistant.sourceAudioFormat = audio.formatDescriptions.first as? CMAudioFormatDescription
        assistant.sourceVideoAverageFrameDuration = CMTime(value: 1, timescale: 25)
        assistant.sourceVideoMinFrameDuration = CMTime(value: 1, timescale: 25)
        let settings = try #require(assistant.videoSettings)
        #expect(settings[AVVideoWidthKey] as? Int == 160 && settings[AVVideoHeightKey] as? Int == 120)
        #expect(assistant.audioSettings?[AVSampleRateKey] != nil)
        // A writer accepts them unchanged.
        let input = AVAssetWriterInput(mediaType: .video, outputSettings: settings)
        let other = AVAssetWriterInput(mediaType: .audio, outputSettings: assistant.audioSettings)
        let writer = try AVAssetWriter(outputURL: movies.directory.file("out.mov"), fileType: assistant.outputFileType)
        #expect(writer.canAdd(input) && writer.canAdd(other))
        writer.add(input)
        writer.add(other)
        #expect(writer.startWriting())
        writer.cancelWriting()
    }
}
