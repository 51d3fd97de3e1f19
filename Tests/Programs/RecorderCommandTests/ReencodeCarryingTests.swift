import Foundation
import MovieCommands
import TestSupport
import Testing

/// Metadata beyond video and audio: re-encoding keeps it or reports its loss.
@Suite(.timeLimit(.minutes(10))) struct ReencodeCarryingTests {
    private static let titles = """
        ;FFMETADATA1
        title=Walk
        [CHAPTER]
        TIMEBASE=1/1000
        START=0
        END=2000
        title=One
        [CHAPTER]
        TIMEBASE=1/1000
        START=2000
        END=4000
        title=Two

        """

    private struct Probe: Decodable {
        struct Stream: Decodable {
            let kind: String?
            let tag: String?
            let disposition: [String: Int]?
            let tags: [String: String]?

            private enum CodingKeys: String, CodingKey {
                case kind = "codec_type"
                case tag = "codec_tag_string"
                case disposition, tags
            }
        }
        struct Chapter: Decodable { let tags: [String: String]? }
        struct Format: Decodable { let tags: [String: String]? }
        let streams: [Stream]
        let chapters: [Chapter]
        let format: Format
    }

    /// Makes a movie with two languages, subtitles, chapters, a timecode, dates and a custom key.
    private func movie(in directory: TemporaryDirectory) throws -> URL {
        try Data(Self.titles.utf8).write(to: directory.file("titles"))
        try Data("1\n00:00:00,500 --> 00:00:01,500\nHello\n".utf8).write(to: directory.file("words.srt"))
        let url = directory.file("movie.mov")
        let made = try TestSupport.Command.run(
            MovieCheckerTests.words(
                "ffmpeg -v error -y -f lavfi -i testsrc2=s=160x120:r=25:d=4 -f lavfi -i sine=440:d=4 -f lavfi -i sine=880:d=4 "
                    + "-i \(directory.path("words.srt")) -i \(directory.path("titles")) -map 0 -map 1 -map 2 -map 3 "
                    + "-map_metadata 4 -map_chapters 4 -c:v libx264 -preset ultrafast -c:a aac -c:s mov_text "
                    + "-metadata:s:a:0 language=eng -metadata:s:a:1 language=fra -disposition:a:1 0 -timecode 10:00:00:00 "
                    + "-metadata creation_time=2024-05-06T07:08:09Z "
                    + "-metadata com.apple.quicktime.creationdate=2024-05-06T09:08:09+0200 "
                    + "-metadata com.example.own=hey -movflags use_metadata_tags \(url.path)"))
        #expect(made.status == 0, "\(made.errors)")
        return url
    }

    private func probe(_ url: URL) throws -> Probe {
        let result = try TestSupport.Command.run(
            "ffprobe", "-v", "error", "-of", "json", "-show_streams", "-show_format", "-show_chapters", url.path)
        return try JSONDecoder().decode(Probe.self, from: result.output)
    }

    /// The drop counts of a recorder.
    private static let account = #"{"video":{"captured":103,"written":100,"dropped":{"device":3}}}"#

    private func subtitles(_ url: URL) throws -> String {
        try TestSupport.Command.run("ffmpeg", "-v", "error", "-i", url.path, "-map", "0:s:0", "-f", "srt", "-").text
    }

    @Test(arguments: [("copy.mov", false), ("copy.mov", true), ("copy.mp4", false), ("copy.mp4", true)])
    func reencode_subtitlesAndCover_areKept(name: String, passes: Bool) async throws {
        let directory = try TemporaryDirectory()
        // A movie with MPEG-4 subtitles and a cover.
        let movie = directory.file("movie.mp4")
        try Data("1\n00:00:00,500 --> 00:00:01,500\nHello\n\n2\n00:00:02,000 --> 00:00:03,000\nWorld\n".utf8).write(
            to: directory.file("words.srt"))
        let made = try TestSupport.Command.run(
            MovieCheckerTests.words(
                "ffmpeg -v error -y -f lavfi -i testsrc2=s=160x120:r=25:d=4 -f lavfi -i sine=440:d=4 "
                    + "-i \(directory.path("words.srt")) -f lavfi -i color=red:s=32x32:r=1:d=1 -map 0 -map 1 -map 2 "
                    + "-map 2 -map 3 -c:v:0 libx264 -preset ultrafast -c:v:1 mjpeg -disposition:v:1 attached_pic -c:a aac -c:s mov_text -metadata:s:s:0 language=spa "
                    + "-metadata:s:s:1 language=fra -disposition:s:0 default -disposition:s:1 0 -metadata title=Walk "
                    + "-metadata artist=Me \(movie.path)"))
        #expect(made.status == 0, "\(made.errors)")
        var request = ReencodeRequest(inputs: [movie])
        request.output = directory.file(name)
        request.metadata = []
        if passes { (request.video, request.audio) = (.passthrough, .passthrough) }
        let summary = try await Reencoder(request).run()
        #expect(summary.leftOut == [], "\(summary.leftOut)")
        let copy = try probe(directory.file(name))
        let words = copy.streams.filter { $0.kind == "subtitle" }
        #expect(words.map(\.tag) == ["tx3g", "tx3g"] && words.map { $0.tags?["language"] } == ["spa", "fra"])
        #expect(words.map { $0.disposition?["default"] } == [1, 0])
        #expect(
            try subtitles(directory.file(name)) == subtitles(movie) && subtitles(movie).contains("--> 00:00:03,000"))
        #expect(copy.streams.contains { $0.disposition?["attached_pic"] == 1 })
        #expect(copy.format.tags?["title"] == "Walk" && copy.format.tags?["artist"] == "Me")
    }

    @Test(arguments: ["copy.mov", "copy.mp4"]) func reencode_dropCounts_areKept(name: String) async throws {
        let directory = try TemporaryDirectory()
        let source = directory.file("movie.mov")
        let made = try TestSupport.Command.run(
            MovieCheckerTests.words(MovieCheckerTests.movie + " -movflags use_metadata_tags -metadata")
                + ["recorder.ledger=\(Self.account)", source.path])
        #expect(made.status == 0, "\(made.errors)")
        var request = ReencodeRequest(inputs: [source])
        request.output = directory.file(name)
        let summary = try await Reencoder(request).run()
        #expect(summary.leftOut == [], "\(summary.leftOut)")
        let movie = try await MovieChecker().verify(directory.file(name))
        #expect(
            movie.isIntact && movie.text.contains("3 frames were dropped during recording: 3 device"),
            "\(movie.text)")
    }

    /// Closed captions of television, by FFmpeg's SCC reader.
    @Test func reencode_captions_areKeptOrReported() async throws {
        let directory = try TemporaryDirectory()
        try Data(
            ("Scenarist_SCC V1.0\n\n00:00:00:15\t9420 9420 94ae 94ae 9470 9470 c8e5 ecec ef80 942f 942f\n\n"
                + "00:00:02:00\t942c 942c\n\n").utf8
        ).write(to: directory.file("c.scc"))
        let source = directory.file("movie.mov")
        let made = try TestSupport.Command.run(
            MovieCheckerTests.words(
                "ffmpeg -v error -y -f lavfi -i testsrc2=s=160x120:r=25:d=4 -f lavfi -i sine=440:d=4 "
                    + "-i \(directory.path("c.scc")) -map 0 -map 1 -map 2 -c:v libx264 -preset ultrafast -c:a aac -c:s copy "
                    + source.path))
        #expect(made.status == 0, "\(made.errors)")
        var request = ReencodeRequest(inputs: [source])
        request.output = directory.file("copy.mov")
        #expect(try await Reencoder(request).run().leftOut == [])
        let packets = { (url: URL) in
            try TestSupport.Command.run(
                "ffprobe", "-v", "error", "-select_streams", "s", "-show_entries",
                "packet=pts_time,duration_time,data_hash",
                "-show_data_hash", "md5", "-of", "csv", url.path
            ).text
        }
        #expect(try packets(directory.file("copy.mov")) == packets(source) && packets(source).contains("0.495"))
        request.output = directory.file("copy.mp4")
        let summary = try await Reencoder(request).run()
        #expect(summary.leftOut.contains { $0.contains("eia_608") && $0.contains("write .mov") }, "\(summary.leftOut)")
    }

    @Test func reencode_joinedMovies_reportsDroppedTracks() async throws {
        let directory = try TemporaryDirectory()
        let source = try movie(in: directory)
        var request = ReencodeRequest(inputs: [source, source])
        request.output = directory.file("copy.mov")
        let summary = try await Reencoder(request).run()
        #expect(summary.leftOut.count(where: { $0.contains("audio (aac)") && $0.contains("movie.mov") }) == 2)
        #expect(summary.leftOut.count(where: { $0.contains("text (mov_text)") }) == 2, "\(summary.leftOut)")
    }

    @Test(arguments: [("copy.mov", false), ("copy.mov", true), ("copy.mp4", false), ("copy.mp4", true)])
    func reencode_tracksAndMetadata_areKeptOrReported(name: String, passes: Bool) async throws {
        let directory = try TemporaryDirectory()
        var request = ReencodeRequest(inputs: [try movie(in: directory)])
        request.output = directory.file(name)
        if passes { (request.video, request.audio) = (.passthrough, .passthrough) }
        let summary = try await Reencoder(request).run()
        let copy = try probe(directory.file(name))
        let audioTracks = copy.streams.filter { $0.kind == "audio" }
        #expect(audioTracks.map { $0.tags?["language"] } == ["eng", "fra"])
        #expect(audioTracks.map { $0.disposition?["default"] } == [1, 0])
        #expect(copy.chapters.map { $0.tags?["title"] } == ["One", "Two"])
        let facts = copy.format.tags ?? [:]
        #expect(facts["creation_time"]?.hasPrefix("2024-05-06T07:08:09") == true)
        #expect(facts["com.apple.quicktime.creationdate"] == "2024-05-06T09:08:09+0200")
        #expect(facts["com.example.own"] == "hey" && facts["title"] == "Walk")
        let hasTimecode = copy.streams.contains {
            $0.tag == "tmcd" && $0.tags?["timecode"] == "10:00:00:00"
        }
        #expect(hasTimecode == name.hasSuffix("mov"))
        #expect(summary.leftOut.contains { $0.contains("the timecode") } != hasTimecode)
        // QuickTime's own text format does not exist in MPEG-4.
        #expect(summary.leftOut.contains { $0.contains("mov_text") } != name.hasSuffix("mov"), "\(summary.leftOut)")
    }
}
