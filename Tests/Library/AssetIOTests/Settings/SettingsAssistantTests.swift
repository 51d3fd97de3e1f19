import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

@Suite struct SettingsAssistantTests {
    @Test func assistant_smallSource_isNeverScaledUp() throws {
        for preset in SettingsAssistant.availablePresets() where preset != .audioOnly {
            var assistant = try SettingsAssistant(preset: preset)
            assistant.sourceVideoFormat = VideoFormat(codec: .h264, width: 320, height: 240)
            let settings = try #require(assistant.videoSettings)
            #expect(settings.width == 320 && settings.height == 240)
        }
    }

    @Test func assistant_largeSource_fitsThePreset() throws {
        var assistant = try SettingsAssistant(preset: .size1280x720)
        assistant.sourceVideoFormat = VideoFormat(codec: .hevc, width: 3840, height: 2160)
        assistant.sourceVideoAverageFrameDuration = MediaTime(value: 1001, timescale: 30_000)
        let settings = try #require(assistant.videoSettings)
        #expect(settings.width == 1280 && settings.height == 720)
        #expect(abs((settings.expectedFrameRate ?? 0) - 29.97) < 0.01)
        #expect(assistant.outputFileType == .mov)
    }

    @Test func assistant_anyAudioFormat_choosesSupportedSettings() throws {
        var assistant = try SettingsAssistant(preset: .audioOnly)
        #expect(assistant.videoSettings == nil && assistant.outputFileType == .m4a)
        for (rate, channels) in [(192_000, 2), (7350, 1), (37_000, 3), (48_000, 6), (44_100, 7), (48_000, 8)] {
            assistant.sourceAudioFormat = AudioFormat(pcm: .s16, sampleRate: rate, channelCount: channels)
            let settings = assistant.audioSettings
            _ = try AssetWriterInput(mediaType: .audio, outputSettings: .audio(settings))
            #expect(settings.layout?.channelCount == settings.channelCount)
        }
    }

    @Test func assistant_passthroughOrUnknownPreset_throws() {
        #expect(throws: MediaError.self) { try SettingsAssistant(preset: .passthrough) }
        #expect(throws: MediaError.self) { try SettingsAssistant(preset: ExportPreset(rawValue: "excellent")) }
    }

    @Test func assistant_settings_areAcceptedByAWriter() async throws {
        let directory = try TemporaryDirectory()
        var assistant = try SettingsAssistant(preset: .size640x480)
        assistant.sourceVideoFormat = VideoFormat(pixelFormat: .nv12, width: 1280, height: 720)
        let writer = try AssetWriter(outputURL: directory.file("a.mov"), fileType: assistant.outputFileType)
        let input = try AssetWriterInput(
            mediaType: .video, outputSettings: assistant.videoSettings.map { .video($0) })
        let audio = try AssetWriterInput(mediaType: .audio, outputSettings: .audio(assistant.audioSettings))
        try writer.add(input)
        try writer.add(audio)
        try writer.startWriting()
        writer.cancelWriting()
        #expect(directory.names == [])
    }
}
