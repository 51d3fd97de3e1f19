import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of encoder settings: which are accepted, and which are refused by name before anything is written.
@Suite struct CodecSettingsTests {
    private func settings(
        _ codec: VideoCodec = .h264, _ width: Int = 320, _ height: Int = 180,
        _ change: (inout VideoSettings) -> Void = { _ in }
    ) -> VideoSettings {
        var settings = VideoSettings(codec: codec, width: width, height: height)
        change(&settings)
        return settings
    }

    private func refusal(_ settings: VideoSettings, in name: String = "movie.mov") throws -> MediaError? {
        let fixture = try WriterFixture(name: name)
        let input = try AssetWriterInput(mediaType: .video, outputSettings: .video(settings))
        let isTaken = fixture.writer.canAdd(input)
        do throws(MediaError) {
            try fixture.writer.add(input)
            #expect(isTaken)
            return nil
        } catch {
            #expect(!isTaken && fixture.writer.inputs.isEmpty && input.owner == nil)
            return error
        }
    }

    @Test func add_unsupportedSetting_isNamed() throws {
        let bad: [(String, VideoSettings)] = [
            ("321×180", settings(.h264, 321)), ("321×180", settings(.hevc, 321)),
            ("320×181", settings(.hevc, 320, 181)),
            ("8×8", settings(.hevc, 8, 8)), ("16386×180", settings(.hevc, 16_386)), ("62×62", settings(.av1, 62, 62)),
            ("321×180", settings(.proRes422, 321)), ("16386×2", settings(.proRes422HQ, 16_386, 2)),
            ("70000×2", settings(.mjpeg, 70_000, 2)),
            ("preset hasty", settings { $0.preset = "hasty" }),
            ("preset hasty", settings(.hevc) { $0.preset = "hasty" }),
            ("preset hasty", settings(.av1) { $0.preset = "hasty" }),
            ("profile main10", settings { $0.profile = .main10 }),
            ("profile baseline", settings(.hevc) { $0.profile = .baseline }),
            ("profile main10", settings(.hevc) { ($0.profile, $0.bitDepth) = (.main10, 8) }),
            ("profile main and", settings(.hevc) { ($0.profile, $0.bitDepth) = (.main, 10) }),
            ("profile high", settings(.av1) { $0.profile = .high }),
            ("profile high", settings(.proRes422) { $0.profile = .high }),
            ("profile main", settings(.mjpeg) { $0.profile = .main }),
            ("bit depth of 12", settings(.hevc) { $0.bitDepth = 12 }),
            ("bit depth of 10", settings(.mjpeg) { $0.bitDepth = 10 }),
            ("bit depth of 8", settings(.proRes422) { $0.bitDepth = 8 }),
            ("level 4.7", settings { $0.level = "4.7" }), ("level 7", settings(.hevc) { $0.level = "7" }),
            ("level 4", settings(.av1) { $0.level = "4" }), ("level 4", settings(.proRes422) { $0.level = "4" }),
            ("level 1.1 and 320×180", settings(.h264) { ($0.level, $0.expectedFrameRate) = ("1.1", 30) }),
            ("level 3.1 and 1920×1080", settings(.h264, 1920, 1080) { $0.level = "3.1" }),
            (
                "level 4 and 1920×1080 at 60",
                settings(.h264, 1920, 1080) { ($0.level, $0.expectedFrameRate) = ("4", 60) }
            ),
            ("level 3 and a bit rate", settings { ($0.level, $0.rateControl) = ("3", .bitRate(13_000_000)) }),
            ("level 3.1 and 1920×1080", settings(.hevc, 1920, 1080) { $0.level = "3.1" }),
            ("level 4 and a bit rate", settings(.hevc) { ($0.level, $0.rateControl) = ("4", .bitRate(13_000_000)) }),
            ("entropy mode cabac and profile", settings { ($0.entropyMode, $0.profile) = (.cabac, .baseline) }),
            ("entropy mode cavlc", settings(.hevc) { $0.entropyMode = .cavlc }),
            ("entropy mode cabac", settings(.mjpeg) { $0.entropyMode = .cabac }),
            ("a quality of 1.5", settings(.mjpeg) { $0.rateControl = .quality(1.5) }),
            ("a quality of -0.5", settings { $0.rateControl = .quality(-0.5) }),
            ("a quality of 0.5", settings(.proRes422) { $0.rateControl = .quality(0.5) }),
            ("a bit rate of 9000000", settings(.proRes422) { $0.rateControl = .bitRate(9_000_000) }),
            ("a bit rate of 0", settings(.hevc) { $0.rateControl = .bitRate(0) }),
            ("CRF 0.0", settings(.av1) { $0.rateControl = .constantQuality(0) }),
            ("CRF 52.0", settings(.hevc) { $0.rateControl = .constantQuality(52) }),
            ("CRF", settings(.mjpeg) { $0.rateControl = .constantQuality(.nan) }),
            ("17 B-frames", settings(.hevc) { $0.maximumBFrames = 17 }),
            ("a look-ahead of 251", settings(.av1) { $0.lookAhead = 251 }),
            ("a frame rate of 0", settings(.proRes422) { $0.expectedFrameRate = 0 }),
            ("a keyframe interval of 0", settings(.hevc) { $0.keyframeInterval = .zero }),
            ("a pixel aspect ratio", settings(.proRes422) { $0.pixelAspectRatio = Ratio(0, 1) }),
            ("a clean aperture", settings(.av1) { $0.cleanAperture = CleanAperture(width: 400, height: 180) }),
            ("an RGB color matrix", settings(.hevc) { $0.color = ColorDescription(matrix: 0) }),
        ]
        for (name, settings) in bad {
            let error = try refusal(settings)
            #expect(
                error?.code == .invalidSettings && error?.description.contains(name) == true, "\(name): \(error as Any)"
            )
        }
    }

    @Test func add_codecWithoutEncoder_isRefused() throws {
        for codec in [VideoCodec.vp9, .raw, VideoCodec(rawValue: "prores9")] {
            for name in ["movie.mov", "movie.mp4"] {
                let error = try refusal(settings(codec), in: name)
                #expect(error?.code == .unsupported && error?.description.contains("cannot encode \(codec)") == true)
            }
        }
    }

    @Test func add_codecUnsupportedByTheContainer_isRefused() throws {
        let codecs: [VideoCodec] = [
            .h264, .hevc, .av1, .mjpeg, .proRes422, .proRes422Proxy, .proRes422LT, .proRes422HQ,
        ]
        for codec in codecs {
            #expect(try refusal(settings(codec)) == nil)
            for name in ["movie.mp4", "movie.m4v"] {
                let error = try refusal(settings(codec), in: name)
                guard codec == .mjpeg || codec.proResTag != nil else {
                    #expect(error == nil)
                    continue
                }
                #expect(error?.code == .unsupported && error?.wayOut.contains(".mov") == true)
                #expect(error?.description.contains(codec == .mjpeg ? "mjpeg" : "prores") == true)
            }
            #expect(try refusal(settings(codec), in: "movie.m4a")?.code == .unsupported)
        }
    }

    @Test func add_invalidHint_isRefused() throws {
        let fixture = try WriterFixture()
        let input = try AssetWriterInput(
            mediaType: .video, outputSettings: .video(VideoSettings(codec: .hevc)),
            sourceFormatHint: .video(VideoFormat(pixelFormat: .nv12, width: 321, height: 180)))
        #expect(!fixture.writer.canAdd(input))
    }

    // MARK: H.264

    /// The values of a field in the parameter sets, as FFmpeg's reader reports them.
    private func field(_ name: String, of path: String) throws -> Set<String> {
        let result = try Command.run(
            "ffmpeg", "-v", "verbose", "-i", path, "-c", "copy", "-bsf:v", "trace_headers", "-f", "null", "-")
        let lines = result.errors.split(separator: "\n").filter { $0.contains(" \(name) ") }
        return Set(lines.compactMap { $0.split(separator: "=").last.map { $0.trimmingCharacters(in: .whitespaces) } })
    }

    @Test(arguments: ["1.3", "3", "4.1", "5.2"]) func h264Level_isStoredInTheStream(_ level: String) async throws {
        let movie = try await CodecMovie(.h264, count: 6) { $0.level = level }
        let code = String(Int((Double(level) ?? 0) * 10 + 0.5))
        #expect(try movie.facts()["level"] == code)
        #expect(try field("level_idc", of: movie.path) == [code])
        let track = try #require(
            try await Asset(url: movie.fixture.writer.outputURL).tracks(withMediaType: .video).first)
        #expect(track.formatDescription?.video?.decoderConfiguration[3] == UInt8(code))
    }

    @Test func hevcLevel_isStoredInTheStream() async throws {
        let movie = try await CodecMovie(.hevc, count: 6) { $0.level = "4.1" }
        #expect(try movie.facts()["level"] == "123")
    }

    @Test(arguments: VideoSettings.EntropyMode.allCases)
    func entropyMode_isStoredInTheStream(_ mode: VideoSettings.EntropyMode) async throws {
        for preset in ["ultrafast", "veryfast"] {
            let movie = try await CodecMovie(.h264, count: 6) { ($0.entropyMode, $0.preset) = (mode, preset) }
            #expect(try field("entropy_coding_mode_flag", of: movie.path) == [mode == .cabac ? "1" : "0"])
        }
    }

    @Test func h264Level_hardFrames_boundsTheBitRate() async throws {
        func movie(_ level: String?) async throws -> Int {
            let fixture = try WriterFixture()
            let video = try fixture.addPull(
                .video,
                .video(
                    settings(.h264, 320, 192) {
                        ($0.level, $0.rateControl, $0.preset, $0.expectedFrameRate) =
                            (level, .constantQuality(1), "ultrafast", 30)
                    }))
            try fixture.begin()
            try await video.feed(.receiver, 45) { number in
                SampleBuffer(
                    pixels: SyntheticMedia.noisyFrame(number),
                    presentationTime: WriterFixture.time(Double(number) / 30))
            }
            try await fixture.writer.finishWriting()
            return try Data(contentsOf: fixture.writer.outputURL).count
        }
        // 768,000 bit/s, and a quarter more in the High profile, with a buffer of two megabits.
        let (free, bounded) = (try await movie(nil), try await movie("1.3"))
        #expect(bounded * 8 < 960_000 * 3 / 2 + 2_500_000 && bounded * 3 < free, "\(bounded) of \(free)")
    }
}
