import Foundation
import MediaTypes
import MovieFile
import RealTime
import TestSupport
import Testing

@testable import AssetIO

/// Tests of the rules of `AssetWriterInput`, in the order of the contract. Others of its rules: `BadInputTests` and
/// `PassthroughSessionTests` (appended samples), `PullDoorTests`, `PullWritingTests` and `MediaDataRequestTests`
/// (readiness and the pull forms), `InterleavedFileTests`, `MultiPassTests`, `PixelBufferAdaptorTests`,
/// `TrackAssociationTests`, `AudioFidelityTests`.
@Suite struct AssetWriterInputTableTests {
    private static let pcm = FormatDescription.audio(SyntheticMedia.pcm)

    private func reason(_ body: () throws -> Void) -> String? {
        do { try body() } catch {
            #expect((error as? MediaError)?.code == .invalidSettings)
            return (error as? MediaError)?.reason
        }
        return nil
    }

    // MARK: Settings

    @Test func input_missingSetting_isNamed() {
        func video(_ settings: VideoSettings) -> String? {
            reason { _ = try AssetWriterInput(mediaType: .video, outputSettings: .video(settings)) }
        }
        func audio(_ settings: AudioSettings) -> String? {
            reason { _ = try AssetWriterInput(mediaType: .audio, outputSettings: .audio(settings)) }
        }
        #expect(video(VideoSettings())?.hasPrefix("width") == true)
        #expect(video(VideoSettings(width: 64))?.hasPrefix("height") == true)
        #expect(audio(AudioSettings())?.hasPrefix("sampleRate") == true)
        #expect(audio(AudioSettings(sampleRate: 48_000))?.hasPrefix("channelCount") == true)
        #expect(audio(AudioSettings(sampleRate: 48_000, channelCount: 6))?.hasPrefix("layout") == true)
        for type in [MediaType.timecode, .text, .metadata] {
            #expect(
                reason { _ = try AssetWriterInput(mediaType: type, outputSettings: nil) }?.contains("sourceFormatHint")
                    == true)
        }
    }

    /// Without a hint, no encoder is open before the first sample.
    @Test func input_audioSettingOutOfRange_isNamed() {
        func reason(_ settings: AudioSettings) -> String? {
            self.reason { _ = try AssetWriterInput(mediaType: .audio, outputSettings: .audio(settings)) }
        }
        for rate in [3_000_000_000, 0, -48_000, .max, .min] {
            #expect(reason(AudioSettings(sampleRate: rate, channelCount: 2))?.hasPrefix("sampleRate") == true)
        }
        for count in [0, -1, 65, .max] {
            #expect(reason(AudioSettings(sampleRate: 48_000, channelCount: count))?.hasPrefix("channelCount") == true)
        }
    }

    @Test func input_contradictingSettings_areNamed() {
        let hint = FormatDescription.video(VideoFormat(pixelFormat: .nv12, width: 64, height: 48))
        let wide = OutputSettings.video(VideoSettings(width: 128, height: 48))
        let flat = FormatDescription.video(VideoFormat(pixelFormat: .nv12, width: 64, height: 0))
        #expect(
            reason { _ = try AssetWriterInput(mediaType: .video, outputSettings: wide, sourceFormatHint: flat) }
                == "width and height of the hint, 64×0, are not between 1 and 32767")
        let five = OutputSettings.audio(AudioSettings(sampleRate: 48_000, channelCount: 5, layout: .surround51))
        #expect(
            reason { _ = try AssetWriterInput(mediaType: .audio, outputSettings: five) }
                == "layout 5.1 has 6 channels, but channelCount is 5")
        let negative = OutputSettings.video(VideoSettings(width: -2, height: 48))
        #expect(
            reason { _ = try AssetWriterInput(mediaType: .video, outputSettings: negative) }?.hasPrefix("width") == true
        )
        #expect(
            reason { _ = try AssetWriterInput(mediaType: .audio, outputSettings: wide) }?.contains("outputSettings")
                == true)
        #expect(
            reason { _ = try AssetWriterInput(mediaType: .audio, outputSettings: nil, sourceFormatHint: hint) }?
                .contains("sourceFormatHint") == true)
    }

    @Test func add_settingsNoEncoderSupports_isRefused() throws {
        for settings in [
            VideoSettings(width: 64, height: 48, preset: "hasty"),
            VideoSettings(width: 64, height: 48, rateControl: .bitRate(0)),
            VideoSettings(codec: .vp9, width: 64, height: 48),
        ] {
            let fixture = try WriterFixture()
            let input = try AssetWriterInput(mediaType: .video, outputSettings: .video(settings))
            #expect(!fixture.writer.canAdd(input))
            let error = #expect(throws: MediaError.self) { try fixture.writer.add(input) }
            #expect([.invalidSettings, .unsupported].contains(error?.code) && error?.description.isEmpty == false)
            #expect(fixture.writer.status == .unknown && fixture.writer.inputs.isEmpty)
        }
    }

    @Test(arguments: [1, 2]) func input_oneOrTwoChannels_writesMonoOrStereo(channels: Int) async throws {
        let format = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: channels)
        let fixture = try WriterFixture()
        let audio = try fixture.addPull(.audio, .audio(AudioSettings()), hint: .audio(format))
        try fixture.begin()
        try await audio.feed(.receiver, 10) { number in
            SyntheticMedia.audio(
                [Int16](repeating: 100, count: 4800 * channels), format: format,
                at: WriterFixture.time(Double(number) / 10))
        }
        try await fixture.writer.finishWriting()
        let probe = try Probe.ask(fixture.path, "stream=channel_layout,channels")
        #expect(probe.text.contains(channels == 1 ? "1,mono" : "2,stereo"))
    }

    @Test func input_formatHint_completesTheSettings() async throws {
        let fixture = try WriterFixture()
        let hint = FormatDescription.video(VideoFormat(pixelFormat: .nv12, width: 64, height: 48))
        let video = try fixture.addPull(.video, .video(VideoSettings()), hint: hint)
        let audio = try fixture.addPull(.audio, .audio(AudioSettings()), hint: Self.pcm)
        try fixture.begin()
        async let frames: Void = video.feed(.receiver, 30) { WriterFixture.frame($0) }
        async let audioFeed: Void = audio.feed(.receiver, 30) { WriterFixture.audio($0) }
        _ = try await (frames, audioFeed)
        try await fixture.writer.finishWriting()
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.video?.width == 64 && probe.video?.height == 48 && probe.video?.frames == 30)
        #expect(probe.audio?.sampleRate == "48000" && probe.audio?.channels == 2)
    }

    // MARK: Readiness

    @Test func liveInput_ready_refusesNoFrame() async throws {
        let bytes = WriterFixture.frame(0).byteCount
        let fixture = try WriterFixture()
        let video = try fixture.add(
            .video, .video(VideoSettings(width: 64, height: 48, expectedFrameRate: 30)),
            budget: RealTimeBudget(bytes: 8 * bytes + bytes / 2))
        try fixture.begin()
        var counts = (ready: 0, refused: 0, notReady: 0)
        for number in 0..<3000 {
            guard video.isReadyForMoreMediaData else {
                counts.notReady += 1
                continue
            }
            counts.ready += 1
            if try !video.append(WriterFixture.frame(number)) { counts.refused += 1 }
        }
        #expect(counts.refused == 0 && counts.ready >= 8 && counts.notReady > 0, "\(counts)")
        // The input is ready again each time the encoder has accepted a frame.
        for number in 3000..<3020 {
            #expect(eventually { video.isReadyForMoreMediaData })
            counts.ready += 1
            if try !video.append(WriterFixture.frame(number)) { counts.refused += 1 }
        }
        #expect(counts.refused == 0, "\(counts)")
        try await fixture.writer.finishWriting()
        #expect(video.ledger.written == Int64(counts.ready) && video.ledger.droppedInAll == 0)
    }

    // MARK: Failure

    @Test func append_encoderFails_failsAndTheWriterReportsWhy() async throws {
        for isRealTime in [false, true] {
            let fixture = try WriterFixture {
                $0.makeEncoder = { _, _ in FakeTrackEncoder(failsAfter: 10) }
            }
            let video = try isRealTime ? fixture.addVideo() : fixture.addPullVideo()
            try fixture.begin()
            var number = 0
            var thrown: MediaError?
            let ends = eventually {
                defer { number += 1 }
                do throws(MediaError) {
                    // `append` returns false both for a full queue and for a failed track; the error tells them apart.
                    return try !video.append(WriterFixture.frame(number)) && video.error != nil
                } catch {
                    thrown = error
                    return error == FakeTrackEncoder.failure
                }
            }
            #expect(ends && (thrown == nil) == isRealTime)
            #expect(eventually { fixture.writer.status == .failed && fixture.writer.error == FakeTrackEncoder.failure })
            #expect(video.error == FakeTrackEncoder.failure && !video.isReadyForMoreMediaData)
            #expect(video.ledger[dropped: .encoder] > 0)
        }
    }

    @Test func pullWriter_oneTrackFails_failsTheOthersToo() async throws {
        let fixture = try WriterFixture {
            $0.makeEncoder = { input, directory throws(MediaError) in
                guard input.mediaType == .video else {
                    return try input.encoderOptions(temporaryDirectory: directory).open()
                }
                return FakeTrackEncoder(failsAfter: 10)
            }
        }
        let video = try fixture.addPullVideo()
        let audio = try fixture.addPullAudio()
        try fixture.begin()
        let audioFeed = Task { try await audio.feed(.receiver, 3000) { WriterFixture.audio($0) } }
        _ = try? await video.feed(.receiver, 3000) { WriterFixture.frame($0) }
        let error = await #expect(throws: MediaError.self) { try await audioFeed.value }
        #expect(error == FakeTrackEncoder.failure && fixture.writer.error == FakeTrackEncoder.failure)
    }

    // MARK: Set-up

    @Test func configure_afterTheStart_throwsForEachProperty() throws {
        let changes: [(inout AssetWriterInput.Configuration) -> Void] = [
            { $0.expectsMediaDataInRealTime = true }, { $0.realTimeBudget = RealTimeBudget(bytes: 1) },
            { $0.performsMultiPassEncodingIfSupported = true }, { $0.mediaTimeScale = 600 },
            { $0.languageCode = "deu" }, { $0.extendedLanguageTag = "de-CH" },
            { $0.metadata = [MetadataItem(key: "a", value: "b")] }, { $0.transform.rotate(byDegrees: 90) },
            { $0.naturalSize = CGSize(width: 32, height: 24) },
            { $0.preferredMediaChunkDuration = MediaTime(value: 1, timescale: 2) },
            { $0.preferredMediaChunkAlignment = 4096 }, { $0.marksOutputTrackAsEnabled = false },
            { $0.preferredVolume = 0.5 }, { $0.keepsOrder = true },
            { $0.presentedEnd = MediaTime(value: 1, timescale: 1) },
            { $0.stored = TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1)) },
            { $0.keepsSignedForm = true },
            {
                $0.edits = [
                    TrackEdit(
                        target: TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1)), mediaStart: .zero)
                ]
            },
        ]
        #expect(changes.count == Mirror(reflecting: AssetWriterInput.Configuration()).children.count)
        let fixture = try WriterFixture()
        let video = try fixture.addPullVideo()
        // Each of them would be accepted before the start.
        for change in changes {
            let other = try AssetWriterInput(
                mediaType: .video, outputSettings: .video(VideoSettings(width: 64, height: 48)))
            try other.configure(change)
            #expect(other.configuration != AssetWriterInput.Configuration())
        }
        try fixture.writer.startWriting()
        for change in changes { #expect(code { try video.configure(change) } == .invalidState) }
        #expect(video.configuration == AssetWriterInput.Configuration())
        fixture.writer.cancelWriting()
    }

    @Test func configure_invalidProperty_isNamedAndChangesNothing() throws {
        typealias Change = (inout AssetWriterInput.Configuration) -> Void
        let wrong: [(String, MediaType, Change)] = [
            ("mediaTimeScale", .audio, { $0.mediaTimeScale = 600 }),
            ("mediaTimeScale", .video, { $0.mediaTimeScale = -1 }),
            ("languageCode", .video, { $0.languageCode = "de" }), ("languageCode", .audio, { $0.languageCode = "DEU" }),
            ("languageCode", .video, { $0.languageCode = "dé" }), ("languageCode", .video, { $0.languageCode = "" }),
            ("extendedLanguageTag", .video, { $0.extendedLanguageTag = "" }),
            ("extendedLanguageTag", .video, { $0.extendedLanguageTag = "de_CH" }),
            ("extendedLanguageTag", .video, { $0.extendedLanguageTag = "de-" }),
            ("extendedLanguageTag", .video, { $0.extendedLanguageTag = "x" }),
            ("preferredVolume", .audio, { $0.preferredVolume = -1 }),
            ("preferredVolume", .audio, { $0.preferredVolume = .nan }),
            ("naturalSize", .video, { $0.naturalSize = CGSize(width: -1, height: 4) }),
            ("naturalSize", .video, { $0.naturalSize = CGSize(width: 40_000, height: 4) }),
            ("naturalSize", .audio, { $0.naturalSize = CGSize(width: 4, height: 4) }),
            ("transform", .audio, { $0.transform.rotate(byDegrees: 90) }),
            ("transform", .video, { $0.transform.tX = .nan }), ("transform", .video, { $0.transform.m11 = 1e9 }),
            ("preferredMediaChunkDuration", .video, { $0.preferredMediaChunkDuration = .zero }),
            ("preferredMediaChunkDuration", .video, { $0.preferredMediaChunkDuration = .positiveInfinity }),
            ("preferredMediaChunkAlignment", .video, { $0.preferredMediaChunkAlignment = -1 }),
            ("preferredMediaChunkAlignment", .video, { $0.preferredMediaChunkAlignment = .max }),
            ("realTimeBudget", .video, { $0.realTimeBudget.bytes = -1 }),
            (
                "performsMultiPassEncodingIfSupported", .video,
                {
                    $0.performsMultiPassEncodingIfSupported = true
                    $0.expectsMediaDataInRealTime = true
                }
            ),
        ]
        for (name, type, change) in wrong {
            let input = try AssetWriterInput(
                mediaType: type,
                outputSettings: type == .video
                    ? .video(VideoSettings(width: 64, height: 48))
                    : .audio(AudioSettings(sampleRate: 48_000, channelCount: 2)))
            #expect(reason { try input.configure(change) }?.hasPrefix(name) == true, "\(name)")
            #expect(input.configuration == AssetWriterInput.Configuration())
        }
    }

    @Test func input_transform_rotatesTheVideo() async throws {
        for (degrees, size) in [(90.0, "48,64"), (180, "64,48"), (270, "48,64")] {
            let fixture = try WriterFixture()
            var turn = AffineTransform.identity
            turn.rotate(byDegrees: CGFloat(degrees))
            let transform = turn
            let video = try fixture.addPull(.video, .video(VideoSettings(width: 64, height: 48))) {
                $0.transform = transform
            }
            try fixture.begin()
            try await video.feed(.receiver, 3) { WriterFixture.frame($0) }
            try await fixture.writer.finishWriting()
            let matrix = try Probe.ask(fixture.path, as: "default", options: ["-show_streams"]).text
            let rotation = matrix.split(separator: "\n").first { $0.hasPrefix("rotation=") }
            let found = try #require(rotation.flatMap { Int($0.dropFirst(9)) })
            #expect((found + Int(degrees)) % 360 == 0)
            // ffmpeg rotates decoded frames.
            let frame = fixture.path + ".png"
            _ = try Command.run("ffmpeg", "-v", "error", "-i", fixture.path, "-frames:v", "1", frame)
            let turned = try Probe.ask(frame, "stream=width,height")
            #expect(turned.text.trimmingCharacters(in: .whitespacesAndNewlines) == size)
        }
    }

    @Test func input_surround51_writesSixChannels() async throws {
        let format = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 6, layout: .surround51)
        let fixture = try WriterFixture()
        let audio = try fixture.addPull(.audio, .audio(AudioSettings(codec: .aac)), hint: .audio(format))
        try fixture.begin()
        try await audio.feed(.receiver, 10) { number in
            SyntheticMedia.audio(
                [Int16](repeating: 100, count: 4800 * 6), format: format, at: WriterFixture.time(Double(number) / 10))
        }
        try await fixture.writer.finishWriting()
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.audio?.channels == 6 && abs(probe.format.seconds - 1) < 0.001)
    }
}
