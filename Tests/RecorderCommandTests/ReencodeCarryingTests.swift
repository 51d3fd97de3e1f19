import Foundation
import MovieCommands
import TestSupport
import Testing

/// What a film says besides its pictures and its sound comes out of a re-encoding, or is named.
@Suite(.timeLimit(.minutes(2))) struct ReencodeCarryingTests {
    private static let titles = """
        ;FFMETADATA1
        title=Film
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

    /// Two languages, subtitles, chapters, a timecode, dates and a key of its own.
    private func film(in directory: TemporaryDirectory) throws -> URL {
        try Data(Self.titles.utf8).write(to: directory.file("titles"))
        try Data("1\n00:00:00,500 --> 00:00:01,500\nHello\n".utf8).write(to: directory.file("words.srt"))
        let url = directory.file("film.mov")
        let made = try TestSupport.Command.run(
            FilmVerifierTests.words(
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

    @Test(arguments: [("copy.mov", false), ("copy.mov", true), ("copy.mp4", false), ("copy.mp4", true)])
    func whatGoesInComesOutOrIsNamed(name: String, passes: Bool) async throws {
        let directory = try TemporaryDirectory()
        var request = ReencodeRequest(inputs: [try film(in: directory)])
        request.output = directory.file(name)
        if passes { (request.video, request.audio) = (.passthrough, .passthrough) }
        let summary = try await Reencoder(request).run()
        let copy = try probe(directory.file(name))
        let sounds = copy.streams.filter { $0.kind == "audio" }
        #expect(sounds.map { $0.tags?["language"] } == ["eng", "fra"])
        #expect(sounds.map { $0.disposition?["default"] } == [1, 0])
        #expect(copy.chapters.map { $0.tags?["title"] } == ["One", "Two"])
        let facts = copy.format.tags ?? [:]
        #expect(facts["creation_time"]?.hasPrefix("2024-05-06T07:08:09") == true)
        #expect(facts["com.apple.quicktime.creationdate"] == "2024-05-06T09:08:09+0200")
        #expect(facts["com.example.own"] == "hey" && facts["title"] == "Film")
        let hasTimecode = copy.streams.contains {
            $0.tag == "tmcd" && $0.tags?["timecode"] == "10:00:00:00"
        }
        #expect(hasTimecode == name.hasSuffix("mov"))
        #expect(summary.leftOut.contains { $0.contains("the timecode") } != hasTimecode)
        #expect(summary.leftOut.contains { $0.contains("mov_text") }, "\(summary.leftOut)")
    }
}
