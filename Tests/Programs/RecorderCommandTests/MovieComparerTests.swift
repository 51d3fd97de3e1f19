import Foundation
import MediaTypes
import MovieCommands
import TestSupport
import Testing

/// Comparison of a movie with its source: a correct re-encoding passes, and each kind of fault is found.
@Suite(.timeLimit(.minutes(10))) struct MovieComparerTests {
    private let directory: TemporaryDirectory
    private let source: URL

    init() throws {
        directory = try TemporaryDirectory()
        source = directory.file("source.mp4")
        try MadeFile.copy(of: MovieCheckerTests.words(MovieCheckerTests.movie), to: source)
    }

    /// Runs FFmpeg on the source and returns the result.
    private func made(_ words: String, _ ending: String = "mp4") throws -> URL {
        let url = directory.file("copy." + ending)
        let command = ["ffmpeg", "-v", "error", "-y", "-i", source.path] + MovieCheckerTests.words(words) + [url.path]
        let result = try TestSupport.Command.run(command)
        #expect(result.status == 0, "\(result.errors)")
        return url
    }

    private func compare(_ copy: URL) async throws -> MovieComparison {
        try await MovieComparer().compare(copy, against: source)
    }

    private func kinds(_ comparison: MovieComparison) -> Set<MovieComparison.Difference.Kind> {
        Set(comparison.differences.map(\.kind))
    }

    @Test(
        arguments: [
            ("-c copy", "mov"), ("-c:v libx264 -crf 28 -c:a aac -b:a 64k", "mp4"),
            ("-c:v libx264 -crf 20 -vf scale=80:60 -c:a pcm_s16le", "mov"),
            ("-c:v libx265 -preset ultrafast -c:a copy", "mp4"),
        ])
    func compare_correctReencoding_isTheSame(words: String, ending: String) async throws {
        let comparison = try await compare(try made(words, ending))
        #expect(comparison.isSame, "\(comparison.text)")
        let video = try #require(comparison.tracks.first { $0.type == "video" })
        #expect(video.frames == 100 && video.sourceFrames == 100 && (video.ssim ?? 0) > 0.9)
        let audio = try #require(comparison.tracks.first { $0.type == "audio" })
        #expect((audio.audioCorrelation ?? 0) > 0.9 && audio.audioOffset == 0)
    }

    @Test func compare_ownReencoding_isTheSame() async throws {
        for (preset, name) in [(ReencodeRequestPreset.standard, "a.mov"), (.passthrough, "b.mp4")] {
            var request = ReencodeRequest(inputs: [source])
            request.output = directory.file(name)
            if preset == .passthrough { (request.video, request.audio) = (.passthrough, .passthrough) }
            _ = try await Reencoder(request).run()
            let comparison = try await compare(directory.file(name))
            #expect(comparison.isSame, "\(comparison.text)")
        }
    }

    private enum ReencodeRequestPreset { case standard, passthrough }

    @Test func compare_oneFrameMissing_isFound() async throws {
        let comparison = try await compare(
            try made("-vf select=not(eq(n\\,50)) -fps_mode passthrough -c:v libx264 -c:a copy"))
        let missing = try #require(comparison.differences.first { $0.kind == .frames }, "\(comparison.text)")
        #expect(missing.what.hasPrefix("1 frame is missing") && abs((missing.from ?? 0) - 2) < 0.001, "\(missing)")
    }

    @Test func compare_lateAudio_isFound() async throws {
        let comparison = try await compare(try made("-c:v copy -af adelay=100:all=1 -c:a aac"))
        #expect(kinds(comparison).contains(.audioOffset), "\(comparison.text)")
        let audio = try #require(comparison.tracks.first { $0.type == "audio" })
        #expect(abs(try #require(audio.audioOffset) - 0.1) < 0.005, "\(comparison.text)")
    }

    @Test func compare_lateFrames_areFound() async throws {
        let comparison = try await compare(
            try made("-vf setpts=PTS+0.02/TB -fps_mode passthrough -enc_time_base 1/90000 -c:v libx264 -c:a copy"))
        // Relative to the audio: in the video alone it would not be a difference. FFmpeg 7 also leaves out the last
        // frame.
        #expect(kinds(comparison).subtracting([.frames]) == [.audioOffset], "\(comparison.text)")
        #expect(abs(comparison.offset - 0.02) < 0.001, "\(comparison.text)")
    }

    @Test func compare_blackFramesOrAnotherMovie_isFound() async throws {
        let black = try await compare(try made("-vf drawbox=c=black:t=fill -c:v libx264 -c:a copy"))
        #expect(kinds(black) == [.ssim], "\(black.text)")
        let other = directory.file("other.mp4")
        let words =
            "ffmpeg -v error -y -f lavfi -i mandelbrot=s=160x120:r=25 -f lavfi -i sine=frequency=1000:beep_factor=3 -t 4 "
            + "-c:v libx264 -preset ultrafast -c:a aac -ac 2"
        try MadeFile.copy(of: MovieCheckerTests.words(words), to: other)
        let comparison = try await compare(other)
        #expect(kinds(comparison).isSuperset(of: [.ssim, .audio]), "\(comparison.text)")
    }

    @Test func compare_missingEndOrTrack_isFound() async throws {
        let part = try await compare(try made("-t 3 -c:v libx264 -c:a aac"))
        #expect(kinds(part).isSuperset(of: [.length, .frames]), "\(part.text)")
        let silent = try await compare(try made("-c:v copy -an"))
        #expect(kinds(silent).contains(.tracks), "\(silent.text)")
        let muted = try await compare(try made("-c:v copy -af volume=0 -c:a aac"))
        #expect(kinds(muted) == [.audio], "\(muted.text)")
    }

    /// Copies the source with some packets of a stream overwritten.
    private func damagedSource(_ stream: String, with byte: UInt8, _ packets: Range<Int>) throws -> URL {
        let found = try Probe.ask(source.path, "packet=pos,size", of: stream)
        let places = found.text.split(separator: "\n").map { $0.split(separator: ",").compactMap { Int($0) } }
        var bytes = try Data(contentsOf: source)
        for place in places[packets.clamped(to: places.indices)] {
            try #require(place.count == 2)
            bytes.replaceSubrange(place[1]..<place[1] + place[0], with: Data(repeating: byte, count: place[0]))
        }
        let url = directory.file("damaged.mp4")
        try bytes.write(to: url)
        return url
    }

    @Test func compare_noFrameOfTheSourceDecodes_isFound() async throws {
        let damaged = try damagedSource("v:0", with: 0, 0..<1000)
        let comparison = try await MovieComparer().compare(source, against: damaged)
        #expect(kinds(comparison) == [.decoding], "\(comparison.text)")
    }

    /// One GOP of ten.
    @Test func compare_fewFramesOfTheSourceDoNotDecode_isNoted() async throws {
        let damaged = try damagedSource("v:0", with: 0, 50..<60)
        let comparison = try await MovieComparer().compare(source, against: damaged)
        #expect(comparison.isSame && comparison.notes.count == 1, "\(comparison.text)")
        #expect(comparison.text.contains("frames of the source cannot be decoded"), "\(comparison.text)")
    }

    @Test func compare_noAudioOfTheSourceDecodes_isNotSilence() async throws {
        let damaged = try damagedSource("a:0", with: 0xFF, 0..<1000)
        let silent = try made("-c:v copy -af volume=0 -c:a aac")
        let comparison = try await MovieComparer().compare(silent, against: damaged)
        #expect(kinds(comparison).contains(.decoding), "\(comparison.text)")
    }

    @Test func comparison_encodedAsJSON_isUnchanged() async throws {
        let comparison = try await compare(source)
        let bytes = try JSONEncoder().encode(comparison)
        let again = try JSONDecoder().decode(MovieComparison.self, from: bytes)
        #expect(again == comparison && again.isSame)
        let text = String(decoding: bytes, as: UTF8.self)
        for key in ["frames", "sourceFrames", "ssim", "worstSSIM", "audioCorrelation", "audioOffset"] {
            #expect(text.contains("\"\(key)\":"), "\(text)")
        }
    }
}
