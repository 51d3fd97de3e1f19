import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests that settings of inputs and writer are stored in the file, as other programs read them.
@Suite struct TrackFeatureTests {
    /// A second of video and audio in two languages, with every setting set.
    private func movie(_ name: String = "movie.mov", prepare: (AssetWriter) throws -> Void = { _ in }) async throws
        -> WriterFixture
    {
        let fixture = try WriterFixture(name: name) {
            // 10:20:30:15 at 30 frames a second.
            $0.timeOfDay = { MediaTime(value: 37_230_500, timescale: 1000) }
        }
        let video = try fixture.addPull(.video, .video(VideoSettings(width: 64, height: 48, expectedFrameRate: 30))) {
            $0.mediaTimeScale = 90_000
            $0.naturalSize = CGSize(width: 128, height: 72)
        }
        let german = try fixture.addPullAudio()
        try german.configure {
            $0.languageCode = "deu"
            $0.extendedLanguageTag = "de-CH"
            $0.preferredVolume = 0.5
        }
        let french = try fixture.addPullAudio()
        try french.configure { $0.languageCode = "fra" }
        try fixture.writer.add(InputGroup(inputs: [german, french], defaultInput: french))
        try french.addTrackAssociation(withTrackOf: german, type: .audioFallback)
        try prepare(fixture.writer)
        try fixture.begin()
        async let frames: Void = video.feed(.receiver, 90) { WriterFixture.frame($0) }
        async let first: Void = german.feed(.receiver, 90) { WriterFixture.audio($0) }
        async let second: Void = french.feed(.receiver, 90) { WriterFixture.audio($0) }
        _ = try await (frames, first, second)
        try await fixture.writer.finishWriting()
        return fixture
    }

    private func trackHeaders(_ fixture: WriterFixture) throws -> [TrackHeader] {
        let bytes = [UInt8](try Data(contentsOf: fixture.writer.outputURL))
        return TrackHeader.all(in: bytes)
    }

    /// A version 1 `tkhd`, found by its name (QTFF, "Track Header Atoms").
    private struct TrackHeader {
        var isEnabled: Bool
        var group: Int
        var volume: Double
        var width: Double
        var height: Double

        static func all(in bytes: [UInt8]) -> [TrackHeader] {
            let name = Array("tkhd".utf8)
            return bytes.indices.dropLast(104).filter { Array(bytes[$0..<($0 + 4)]) == name }.map { start in
                func number(_ offset: Int, _ count: Int) -> Int {
                    bytes[(start + offset)..<(start + offset + count)].reduce(0) { $0 << 8 | Int($1) }
                }
                return TrackHeader(
                    isEnabled: number(7, 1) & 1 == 1, group: number(50, 2), volume: Double(number(52, 2)) / 256,
                    width: Double(number(92, 4)) / 65536, height: Double(number(96, 4)) / 65536)
            }
        }
    }

    @Test func trackProperties_areStoredInTheFile() async throws {
        let fixture = try await movie()
        // The leading header is media data by now; its copies of the atoms come first.
        let headers = Array(try trackHeaders(fixture).suffix(3))
        #expect(headers.map(\.isEnabled) == [true, false, true])
        #expect(headers[1].group == headers[2].group && headers[1].group != 0 && headers[0].group != headers[1].group)
        #expect(headers[0].width == 128 && headers[0].height == 72)
        #expect(headers[1].volume == 0.5 && headers[2].volume == 1)
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == 90 && probe.video?.timeBase == "1/90000")
        let languages = probe.streams.filter { $0.codecType == "audio" }.map { $0.tags?["language"] ?? "" }
        #expect(languages == ["ger", "fre"] || languages == ["deu", "fra"])
        let bytes = try Data(contentsOf: fixture.writer.outputURL)
        for atom in ["elng", "de-CH", "fall"] { #expect(bytes.range(of: Data(atom.utf8)) != nil, "\(atom)") }
    }

    @Test(arguments: ["movie.mov", "movie.mp4"]) func chapters_areReadByOtherPrograms(name: String) async throws {
        let fixture = try await movie(name) { writer in
            try writer.addChapter("Opening", at: WriterFixture.start)
            try writer.addChapter("Überraschung", at: WriterFixture.time(1))
            try writer.addChapter("End", at: WriterFixture.time(2))
        }
        let result = try Probe.ask(fixture.path, "chapter=start_time,end_time:chapter_tags=title")
        let lines = result.text.split(separator: "\n").map(String.init)
        #expect(
            lines == [
                "0.000000,1.000000,Opening", "1.000000,2.000000,Überraschung", "2.000000,3.000000,End",
            ], "\(lines)")
        let summary = try MovieSummary(contentsOf: fixture.writer.outputURL)
        #expect(summary.chapters.map(\.title) == ["Opening", "Überraschung", "End"])
    }

    @Test func timecode_isReadByOtherPrograms() async throws {
        let fixture = try await movie { writer in
            try writer.configure {
                $0.timecode = TimecodeFormat(frameDuration: MediaTime(value: 1, timescale: 30), framesPerSecond: 30)
            }
        }
        let probe = try Probe.ask(fixture.path, "stream_tags=timecode", as: "default")
        #expect(probe.text.contains("timecode=10:20:30:15"))
        let info = try Command.run("mediainfo", "--Output=Other;%TimeCode_FirstFrame%", fixture.path)
        #expect(info.text.contains("10:20:30:15"))
        #expect(abs(try Probe(fixture.path).format.seconds - 3) < 0.001)
    }

    @Test(arguments: [("movie.mov", "qt  "), ("movie.mp4", "mp42"), ("movie.m4v", "M4V ")])
    func fileType_setsTheContainersBrand(name: String, brand: String) async throws {
        let fixture = try await movie(name)
        let probe = try Probe.ask(fixture.path, "format_tags=major_brand", as: "default")
        let found = probe.text.split(separator: "\n").first { $0.contains("major_brand") }
        #expect(
            found?.hasSuffix(brand) == true || (name == "movie.mp4" && found?.contains("iso") == true), "\(found ?? "")"
        )
        let decoded = try Probe(fixture.path, decodes: true)
        #expect(decoded.complaints == "" && decoded.video?.frames == 90)
    }
}
