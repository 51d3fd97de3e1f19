import AssetIO
import CommandInterface
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MovieCommands

@Suite(.timeLimit(.minutes(10))) struct ChunkedReencodingTests {
    private let directory: TemporaryDirectory
    private static let car = Project.file("Tests/Movies/car-detection.mp4")
    private static let bottle = Project.file("Tests/Movies/bottle-detection.mp4")

    init() throws { directory = try TemporaryDirectory() }

    private func make(_ name: String, _ arguments: [String], from source: URL? = nil) throws -> URL {
        let url = directory.file(name)
        let made = try TestSupport.Command.run(
            ["ffmpeg", "-v", "error", "-y"] + (source.map { ["-i", $0.path] } ?? []) + arguments + [url.path])
        try #require(made.status == 0, "\(made.errors)")
        return url
    }

    @Test(arguments: [VideoCodec.h264, .hevc, .av1]) func reencode_inChunks_matchesUnchunked(_ codec: VideoCodec)
        async throws
    {
        // Sixteen seconds of a street, with audio.
        let source = try make(
            "street.mov",
            ["-t", "16", "-vf", "scale=480:270", "-c:v", "libx264", "-g", "25", "-crf", "16", "-c:a", "copy"],
            from: Self.car)
        let movie = try await ChunkedMovie(source, codec, count: 4, in: directory)
        #expect(movie.seams.count == 4)
        try movie.expectAlike(in: directory)
    }

    @Test func reencode_irregularFrameTimesInChunks_matchesUnchunked() async throws {
        let source = try make(
            "bottle.mp4",
            ["-t", "20", "-fps_mode", "vfr", "-vf", "scale=320:180", "-c:v", "libx264", "-g", "30", "-crf", "16"],
            from: Self.bottle)
        let movie = try await ChunkedMovie(source, .h264, count: 4, in: directory) { $0.preset = "fast" }
        #expect(movie.seams.count > 2)
        try movie.expectAlike(in: directory)
    }

    /// The sum of the durations in the sample tables is 0.07 s shorter than the movie.
    @Test func reencode_halfTheFrameRateAtTheEndInChunks_showsTheLastFrame() async throws {
        let source = try make(
            "low.mp4",
            [
                "-f", "lavfi", "-i", "testsrc2=s=160x120:r=30:d=4,select='lt(n,60)+not(mod(n,2))'", "-fps_mode", "vfr",
                "-c:v", "libx264", "-preset", "veryfast", "-g", "20", "-pix_fmt", "yuv420p",
            ])
        let movie = try await ChunkedMovie(source, .h264, count: 2, in: directory)
        let (whole, joined) = (try ChunkedMovie.packets(movie.whole), try ChunkedMovie.packets(movie.joined))
        #expect(joined.map(\.shown).sorted() == whole.map(\.shown).sorted())
        #expect(try ChunkedMovie.frameTimes(movie.joined).count == 90)
        let end = try #require(try await Asset(url: movie.joined).tracks(withMediaType: .video).first).timeRange.end
        #expect(abs(end.seconds - 119.0 / 30) < 0.001)
    }

    /// Leading frames, stored after a keyframe and shown before it, belong to the previous chunk.
    @Test func reencode_openGOPsInChunks_matchesUnchunked() async throws {
        let source = try make(
            "open.mov",
            [
                "-t", "12", "-vf", "scale=320:180", "-c:v", "libx264", "-x264-params",
                "open-gop=1:keyint=25:min-keyint=25:bframes=3:scenecut=0", "-crf", "16", "-c:a", "copy",
            ], from: Self.car)
        let movie = try await ChunkedMovie(source, .h264, count: 3, in: directory)
        #expect(movie.seams.count == 3)
        try movie.expectAlike(in: directory)
    }

    @Test func reencode_tenBitInChunks_matchesUnchunked() async throws {
        let source = try make(
            "deep.mov",
            [
                "-t", "10", "-vf", "scale=320:180", "-pix_fmt", "yuv420p10le", "-c:v", "libx265", "-x265-params",
                "log-level=none:keyint=25:open-gop=1", "-preset", "ultrafast", "-crf", "16", "-tag:v", "hvc1", "-an",
            ], from: Self.car)
        let movie = try await ChunkedMovie(source, .hevc, count: 3, in: directory, audio: .none)
        #expect(movie.seams.count == 3)
        try movie.expectAlike(in: directory)
        #expect(try Probe.ask(movie.joined.path, "stream=pix_fmt", of: "v", as: "csv=p=0").text.contains("yuv420p10le"))
    }

    /// Several audio tracks, one of which begins late and one of which passes through; chapters, a timecode, metadata.
    @Test(arguments: [false, true]) func reencode_allTrackKindsInChunks_matchesUnchunked(passesAudio: Bool) async throws
    {
        try Data(
            ";FFMETADATA1\ntitle=Walk\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=4000\ntitle=One\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=4000\nEND=9000\ntitle=Two\n"
                .utf8
        ).write(to: directory.file("titles"))
        let source = try make(
            "movie.mov",
            [
                "-f", "lavfi", "-i", "testsrc2=s=192x108:r=30000/1001:d=9", "-f", "lavfi", "-i", "sine=440:r=48000:d=9",
                "-f",
                "lavfi", "-i", "sine=880:r=44100:d=3", "-i", directory.path("titles"), "-filter_complex",
                "[2:a]asetpts=PTS+4/TB[late]", "-map", "0", "-map", "1", "-map", "[late]", "-map_metadata", "3",
                "-map_chapters", "3", "-c:v", "libx264", "-preset", "ultrafast", "-g", "30", "-bf", "2", "-c:a", "aac",
                "-metadata:s:a:0", "language=deu", "-timecode", "10:00:00;00", "-metadata",
                "creation_time=2024-05-06T07:08:09Z",
            ])
        try MovieRotation.set(clockwise: 270, in: source)
        let movie = try await ChunkedMovie(
            source, .h264, count: 3, in: directory, audio: passesAudio ? .passthrough : .standard)
        #expect(movie.seams.count == 3)
        try movie.expectAlike(in: directory, size: 0.05)
    }

    @Test func reencode_fileWideSettingsInChunks_isRefused() async throws {
        let source = try make(
            "short.mov", ["-f", "lavfi", "-i", "testsrc2=s=128x72:r=25:d=3", "-c:v", "libx264", "-preset", "ultrafast"])
        let changes: [(String, (inout ReencodeRequest) -> Void)] = [
            ("bit rate", { $0.video = .encode(VideoSettings(rateControl: .bitRate(500_000)), twoPass: true) }),
            ("size limit", { $0.largestSize = 100_000 }), ("frame rate", { $0.frameRate = 12 }),
            ("deinterlacing", { $0.deinterlaces = true }), ("not encoded", { $0.video = .passthrough }),
        ]
        for (word, change) in changes {
            var request = ReencodeRequest(inputs: [source])
            change(&request)
            request.output = directory.file("refused.mov")
            do throws(RecordingFailure) {
                _ = try await ChunkedReencoder(request, count: 2)
                Issue.record("\(word) was not refused")
            } catch {
                #expect(error.error.code == .invalidSettings && error.error.reason.contains(word), "\(error)")
            }
        }
        #expect(!FileManager.default.fileExists(atPath: directory.path("refused.mov")))
    }

    @Test func join_partsOfOtherSettings_isRefused() async throws {
        let source = try make(
            "short.mov",
            ["-f", "lavfi", "-i", "testsrc2=s=128x72:r=25:d=4", "-c:v", "libx264", "-preset", "ultrafast", "-g", "25"])
        var request = ReencodeRequest(inputs: [source])
        var parts = EncodedParts()
        let middle = MediaTime(value: 2, timescale: 1)
        for (index, preset) in ["ultrafast", "medium"].enumerated() {
            request.video = .encode(VideoSettings(preset: preset), twoPass: false)
            request.output = directory.file("\(index).mov")
            let range =
                index == 0 ? TimeRange(start: .zero, end: middle) : TimeRange(start: middle, end: .positiveInfinity)
            _ = try await Reencoder(request, part: .frames(range, threads: 1)).run()
            parts.frames.append(directory.file("\(index).mov"))
        }
        request.output = directory.file("joined.mov")
        do throws(RecordingFailure) {
            _ = try await Reencoder(request, part: .joined(parts)).run()
            Issue.record("it was joined")
        } catch { #expect(error.error.reason.contains("headers of chunk 2"), "\(error)") }
        #expect(!FileManager.default.fileExists(atPath: directory.path("joined.mov")))
    }

    @Test func reencode_cancelledInChunks_leavesNothing() async throws {
        let source = try make(
            "long.mov",
            [
                "-f", "lavfi", "-i", "testsrc2=s=640x360:r=25:d=60", "-c:v", "libx264", "-preset", "ultrafast", "-g",
                "50",
            ])
        var request = ReencodeRequest(inputs: [source])
        request.output = directory.file("copy.mov")
        request.video = .encode(VideoSettings(preset: "slow"), twoPass: false)
        let stretched = try await ChunkedReencoder(request, count: 3)
        let run = Task { try await stretched.run() }
        #expect(eventually { stretched.progress > 0 })
        stretched.cancel()
        await #expect(throws: RecordingFailure.self) { _ = try await run.value }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["long.mov"])
    }

    @Test func chunkCount_fitsDurationProcessorsAndMemory() {
        let much = Int64(1) << 40
        let count = ChunkCount.automatic
        #expect(count.number(duration: 3600, processors: 8, availableMemory: much) == 1)
        #expect(count.number(duration: 3600, processors: 16, availableMemory: much) == 2)
        #expect(count.number(duration: 3600, processors: 64, availableMemory: much) == 8)
        #expect(count.number(duration: 3600, processors: 64, availableMemory: 4 << 30) == 2)
        #expect(count.number(duration: 130, processors: 64, availableMemory: much) == 2)
        #expect(count.number(duration: .infinity, processors: 64, availableMemory: much) == 1)
        #expect(ChunkCount.count(5).number(duration: 1, processors: 1, availableMemory: 0) == 5)
        #expect(throws: OptionError.self) { _ = try ChunkCount(parsing: "0") }
        #expect(throws: OptionError.self) { _ = try ChunkCount(parsing: "many") }
    }
}
