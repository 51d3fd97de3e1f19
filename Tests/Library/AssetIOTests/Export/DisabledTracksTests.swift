import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of the tracks that an export chooses if some are disabled.
@Suite struct DisabledTracksTests {
    private let fixture: ReadingFixture

    init() throws { fixture = try ReadingFixture() }

    /// A dark video (disabled), a bright video, and two tones, of which the second is disabled. The ids are 1 to 4.
    private func movie() throws -> URL {
        try fixture.make(
            "disabled.mov",
            [
                "color=black:s=64x48:r=10:d=0.5", "color=white:s=64x48:r=10:d=0.5", "sine=f=440:r=48000:d=0.5",
                "sine=f=2000:r=48000:d=0.5",
            ],
            ["-map", "0", "-map", "1", "-map", "2", "-map", "3", "-c:v", "libx264", "-pix_fmt", "yuv420p"]
                + ["-c:a", "pcm_s16le", "-disposition:v:0", "0", "-disposition:v:1", "default"]
                + ["-disposition:a:0", "default", "-disposition:a:1", "0"])
    }

    private func choice(
        _ tracks: [AssetTrack], _ preset: ExportPreset = .highQuality,
        configure: (inout ExportSession.Configuration) -> Void = { _ in }
    ) throws -> TrackChoice {
        var configuration = ExportSession.Configuration()
        configure(&configuration)
        return try TrackChoice(tracks, preset: preset, configuration, fileType: .mov)
    }

    @Test func export_firstVideoDisabled_takesTheEnabledOneAndKeepsSeparateAudio() async throws {
        let tracks = try await Asset(url: try movie()).load(.tracks)
        try #require(tracks.map(\.isEnabled) == [false, true, true, false])
        let choice = try choice(tracks)
        #expect(choice.video.map(\.id) == [2] && choice.audio.map(\.id) == [3, 4])
        #expect(choice.leftOut == ["track 1, video (h264): only one video track is exported"])
        #expect(try self.choice(tracks, .passthrough).video.map(\.id) == [1, 2])
        #expect(try self.choice(tracks) { $0.trackIDs = [1, 3] }.video.map(\.id) == [1])
        #expect(try self.choice(Array(tracks.prefix(1))).video.map(\.id) == [1])
    }

    @Test func export_mixWithDisabledTrack_leavesItOutUnlessRequested() async throws {
        let tracks = try await Asset(url: try movie()).load(.tracks)
        let mixed = try choice(tracks) { $0.audioMix = AudioMix() }
        #expect(mixed.audio.map(\.id) == [3] && mixed.leftOut.contains { $0.contains("only enabled tracks are mixed") })
        #expect(
            try choice(tracks) {
                $0.audioMix = AudioMix()
                $0.trackIDs = [2, 3, 4]
            }.audio.map(\.id) == [3, 4])
        // If all are disabled, there would be no audio at all.
        #expect(try choice([tracks[1], tracks[3]]) { $0.audioMix = AudioMix() }.audio.map(\.id) == [4])
    }

    @Test func export_disabledAlternative_isLeftOutIfConfigured() async throws {
        let url = fixture.directory.file("languages.mov")
        let writer = try AssetWriter(outputURL: url, fileType: .mov)
        let inputs = try (0..<2).map { _ in
            try AssetWriterInput(
                mediaType: .audio, outputSettings: nil,
                sourceFormatHint: .audio(AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 1)))
        }
        for input in inputs { try writer.add(input) }
        try writer.add(InputGroup(inputs: inputs, defaultInput: inputs[1]))
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        for input in inputs {
            try await input.appendWhenReady(
                SampleBuffer(
                    pcm: MediaData([UInt8](repeating: 0, count: 9600)),
                    format: AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 1), presentationTime: .zero))
            input.markAsFinished()
        }
        try await writer.finishWriting()
        let tracks = try await Asset(url: url).load(.tracks)
        try #require(tracks.map(\.isEnabled) == [false, true])
        #expect(try choice(tracks).audio.count == 2)
        #expect(try choice(tracks) { $0.leavesOutDisabledAlternates = true }.audio.map(\.id) == [2])
        #expect(try choice([tracks[0]]) { $0.leavesOutDisabledAlternates = true }.audio.map(\.id) == [1])
    }

    @Test func frameGenerator_firstVideoDisabled_showsTheEnabledOne() async throws {
        let generator = FrameGenerator(asset: Asset(url: try movie()))
        let image = try await generator.image(at: .zero).image
        #expect(try #require(image.plane(0).first) > 200)
    }

    @Test func joining_disabledTracks_takesTheEnabledOnes() async throws {
        let asset = Asset(url: try movie())
        let joined = try await Composition.joining([asset, asset])
        let sources = joined.tracks.map { $0.segments.compactMap(\.source?.track.id) }
        #expect(sources == [[2, 2], [3, 3]])
    }
}
