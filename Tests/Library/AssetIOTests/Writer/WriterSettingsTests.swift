import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of settings: which are allowed, which are not, and where they are stored.
@Suite struct WriterSettingsTests {
    @Test func input_contradictingSettings_areRefused() throws {
        let video = OutputSettings.video(VideoSettings(width: 64, height: 48))
        let audio = OutputSettings.audio(AudioSettings(sampleRate: 48_000, channelCount: 2))
        let pcm = FormatDescription.audio(SyntheticMedia.pcm)
        #expect(code { _ = try AssetWriterInput(mediaType: .audio, outputSettings: video) } == .invalidSettings)
        #expect(code { _ = try AssetWriterInput(mediaType: .video, outputSettings: audio) } == .invalidSettings)
        #expect(
            code { _ = try AssetWriterInput(mediaType: .video, outputSettings: video, sourceFormatHint: pcm) }
                == .invalidSettings)
        #expect(code { _ = try AssetWriterInput(mediaType: .timecode, outputSettings: nil) } == .invalidSettings)
        for settings in [VideoSettings(), VideoSettings(width: 64)] {
            #expect(
                code { _ = try AssetWriterInput(mediaType: .video, outputSettings: .video(settings)) }
                    == .invalidSettings)
        }
        for settings in [
            AudioSettings(), AudioSettings(sampleRate: 48_000), AudioSettings(sampleRate: 48_000, channelCount: 6),
        ] {
            #expect(
                code { _ = try AssetWriterInput(mediaType: .audio, outputSettings: .audio(settings)) }
                    == .invalidSettings)
        }
        let input = try AssetWriterInput(
            mediaType: .audio, outputSettings: .audio(AudioSettings()), sourceFormatHint: pcm)
        #expect(code { try input.configure { $0.mediaTimeScale = 600 } } == .invalidSettings)
        for volume in [-1, 200, Float.nan, .infinity] {
            #expect(code { try input.configure { $0.preferredVolume = volume } } == .invalidSettings)
        }
        let frame = try AssetWriterInput(mediaType: .video, outputSettings: video)
        #expect(code { try frame.configure { $0.mediaTimeScale = -1 } } == .invalidSettings)
    }

    @Test func configure_nonPositiveIntervalOrScale_throws() throws {
        let fixture = try WriterFixture()
        let changes: [(inout AssetWriter.Configuration) -> Void] = [
            { $0.movieTimeScale = 0 }, { $0.movieFragmentInterval = .zero }, { $0.movieFragmentInterval = .invalid },
            { $0.movieFragmentInterval = .positiveInfinity }, { $0.initialMovieFragmentInterval = .invalid },
        ]
        let before = fixture.writer.configuration
        for change in changes {
            #expect(code { try fixture.writer.configure(change) } == .invalidSettings)
            #expect(fixture.writer.configuration == before)
        }
    }

    @Test func start_encoderCannotBeOpened_failsAndLeavesNothing() throws {
        let fixture = try WriterFixture {
            $0.makeEncoder = { _, _ throws(MediaError) in
                throw MediaError(.invalidSettings, "cannot open the encoder", reason: "it says no")
            }
        }
        _ = try fixture.addVideo()
        #expect(code { try fixture.writer.startWriting() } == .invalidSettings)
        #expect(fixture.writer.status == .failed && fixture.directory.names == [])
    }

    @Test func configuration_isStoredInTheFile() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        try video.configure {
            $0.languageCode = "deu"
            $0.mediaTimeScale = 90_000
            $0.marksOutputTrackAsEnabled = false
        }
        try fixture.writer.configure {
            $0.movieTimeScale = 600
            $0.metadata = [MetadataItem(key: MetadataItem.titleKey, value: "Türkamera")]
            $0.creationDate = Date(timeIntervalSince1970: 1_700_000_000)
        }
        try fixture.begin()
        try fixture.appendFrames(0..<30, to: video)
        try await fixture.writer.finishWriting()
        let probe = try Probe(fixture.path)
        #expect(probe.video?.tags?["language"] == "deu" || probe.video?.tags?["language"] == "ger")
        #expect(probe.video?.timeBase == "1/90000")
        #expect(probe.format.tags?[MetadataItem.titleKey] == "Türkamera")
        #expect(probe.format.tags?["creation_time"]?.hasPrefix("2023-11-14T22:13:20") == true)
        #expect(abs(probe.format.seconds - 1) < 0.002)
    }
}
