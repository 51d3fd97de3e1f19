import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests that copies of broadcast streams are stored as a movie file stores them: H.264 and HEVC with length prefixes,
/// AAC without ADTS headers. FFmpeg also reads files with other forms, so the bytes are checked too.
@Suite struct StartCodeExportTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var video: [String]
        var audio: [String]
        var atom: String
        var testDescription: String { "\(video[1]), \(audio[1]) in \(name)" }
    }

    private static let avc = ["-c:v", "libx264", "-bf", "2", "-g", "12", "-pix_fmt", "yuv420p"]
    private static let hevc = [
        "-c:v", "libx265", "-x265-params", "keyint=12:bframes=2:log-level=none", "-preset", "ultrafast", "-pix_fmt",
        "yuv420p",
    ]

    static let cases = [
        Case(name: "a.ts", video: avc, audio: ["-c:a", "aac"], atom: "avcC"),
        Case(name: "a.ts", video: hevc, audio: ["-c:a", "aac"], atom: "hvcC"),
        Case(name: "a.m2ts", video: avc, audio: ["-c:a", "ac3"], atom: "avcC"),
        Case(name: "a.avi", video: avc + ["-bf", "0"], audio: ["-c:a", "mp3"], atom: "avcC"),
    ]

    private func source(_ one: Case, in fixture: ReadingFixture) throws -> URL {
        try fixture.make(
            one.name, ["testsrc2=s=64x48:r=25:d=2", "sine=r=48000:d=2"], one.video + one.audio)
    }

    private func frames(_ url: URL) throws -> [Substring] {
        let result = try Command.run(
            "ffmpeg", "-v", "error", "-i", url.path, "-map", "0:v", "-noautoscale", "-fps_mode", "passthrough", "-f",
            "framemd5", "-")
        #expect(result.errors == "")
        return result.text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap {
            $0.split(separator: ",").last
        }
    }

    /// The packets of a stream as they are stored in a file.
    private func packets(_ url: URL, _ stream: String) throws -> [Data] {
        let data = try Data(contentsOf: url)
        let rows = try Probe.ask(url.path, "packet=size,pos", of: stream, as: "csv=p=0").text.split(separator: "\n")
        return rows.compactMap { row in
            let numbers = row.split(separator: ",").compactMap { Int($0) }
            guard numbers.count == 2 else { return nil }
            return data[numbers[1]..<(numbers[1] + numbers[0])]
        }
    }

    private func consistsOfLengths(_ packet: Data) -> Bool {
        var place = packet.startIndex
        while place + 4 <= packet.endIndex {
            let length = packet[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
            // A start code would be a unit of one byte.
            guard length > 1 else { return false }
            place += 4 + length
        }
        return place == packet.endIndex && !packet.isEmpty
    }

    /// Video whose parameter sets precede the start of the file. They are stored only before the first keyframe.
    private func beheaded(_ fixture: ReadingFixture) throws -> URL {
        let whole = try fixture.make(
            "whole.mp4", ["testsrc2=s=64x48:r=25:d=3", "sine=r=48000:d=3"],
            [
                "-c:v", "libx264", "-pix_fmt", "yuv420p", "-x264-params",
                "open-gop=1:keyint=25:min-keyint=25:bframes=2:scenecut=0", "-c:a", "aac",
            ])
        let url = fixture.directory.file("beheaded.ts")
        let made = try Command.run(
            "ffmpeg", "-v", "error", "-ss", "1.33", "-i", whole.path, "-c", "copy", url.path)
        try #require(made.status == 0, "\(made.errors)")
        return url
    }

    @Test func passthrough_noParameterSets_reportsTheTrack() async throws {
        let fixture = try ReadingFixture()
        let source = try beheaded(fixture)
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough) {
            $0.skipsDamagedMedia = true
        }
        let report = copy.session.report
        #expect(report.leftOut.contains { $0.contains("video (h264): it has no samples that could be written") })
        #expect(report.damage.contains { $0.reason.contains("no parameter sets") })
    }

    @Test func passthrough_noParameterSetsAndNoDamageAllowed_fails() async throws {
        let fixture = try ReadingFixture()
        let session = try ExportSession(asset: Asset(url: try beheaded(fixture)), preset: .passthrough)
        let copy = fixture.directory.file("copy.mov")
        let error = await #expect(throws: MediaError.self) { try await session.export(to: copy) }
        #expect(error?.code == .corruptData)
        #expect(!FileManager.default.fileExists(atPath: copy.path))
    }

    @Test(arguments: cases, ["mov", "mp4"])
    func passthrough_startCodesInTheSource_storesLengths(_ one: Case, _ type: String) async throws {
        let fixture = try ReadingFixture()
        let source = try source(one, in: fixture)
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough, as: type)
        let expected = try frames(source)
        #expect(expected.count == 50)
        #expect(try frames(copy.url) == expected)
        let stored = try packets(copy.url, "v:0")
        #expect(stored.count == 50 && stored.allSatisfy { consistsOfLengths($0) })
        let bytes = try Data(contentsOf: copy.url)
        let record = try #require(bytes.range(of: Data(one.atom.utf8), options: .backwards))
        #expect(bytes[record.upperBound] == 1)
        let arguments = ["-map", "0:a", "-f", "s16le"]
        #expect(try ReadingFixture.decoded(copy.url, arguments) == ReadingFixture.decoded(source, arguments))
    }

    @Test(arguments: ["a.ts", "a.aac"], ["mov", "mp4"])
    func passthrough_aacWithADTSHeaders_storesItsConfiguration(_ name: String, _ type: String) async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(name, ["sine=r=44100:d=1"], ["-ac", "2", "-c:a", "aac"])
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough, as: type)
        let stored = try packets(copy.url, "a:0")
        #expect(stored.count > 40)
        #expect(!stored.contains { $0.starts(with: [0xFF, 0xF1]) || $0.starts(with: [0xFF, 0xF9]) })
        #expect(try ExportedCopy.facts(copy.url, "a:0", "stream=extradata_size")["extradata_size"] == "2")
        let track = try #require(try await Asset(url: copy.url).tracks(withMediaType: .audio).first)
        // AAC LC, 44.1 kHz, stereo.
        #expect(track.formatDescription?.audio?.decoderConfiguration.prefix(2) == [0x12, 0x10])
        let arguments = ["-f", "s16le"]
        #expect(try ReadingFixture.decoded(copy.url, arguments) == ReadingFixture.decoded(source, arguments))
    }

    @Test(arguments: cases.prefix(2), [0.3, 0.96])
    func passthrough_partOfAStreamWithStartCodes_showsItsFrames(_ one: Case, from start: Double) async throws {
        let fixture = try ReadingFixture()
        let source = try source(one, in: fixture)
        let track = try #require(try await Asset(url: source).tracks(withMediaType: .video).first)
        // The container's time 0 is the start of its audio.
        let begin = track.timeRange.start + MediaTime(seconds: start)
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough) {
            $0.timeRange = TimeRange(start: begin, duration: MediaTime(value: 4, timescale: 10))
        }
        let first = Int((start * 25).rounded(.down))
        #expect(try frames(copy.url) == Array(try frames(source).dropFirst(first).prefix(start == 0.3 ? 11 : 10)))
        #expect(try packets(copy.url, "v:0").allSatisfy { consistsOfLengths($0) })
    }

    @Test func passthrough_parameterSetsChangeInAStream_storesADescriptionForEach() async throws {
        let fixture = try ReadingFixture()
        // FFmpeg's parser knows only the first parameter sets, and complains about packets that need others.
        let parts = [("64x48", "0", "cabac=1:weightp=0"), ("96x64", "1", "cabac=0:weightp=0")].map {
            size, start, options in
            [
                "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=\(size):r=25:d=1", "-c:v", "libx264",
                "-bf", "0", "-g", "25", "-pix_fmt", "yuv420p", "-x264-params", options, "-output_ts_offset", start,
            ]
        }
        let source = fixture.directory.file("two.ts")
        var joined = Data()
        for part in parts { joined += try Data(contentsOf: MadeFile.of(part, ending: "ts")) }
        try joined.write(to: source)
        let copy = try await ExportedCopy(
            of: source, in: fixture.directory, preset: .passthrough)
        let expected = try frames(source)
        #expect(expected.count == 50)
        #expect(try frames(copy.url) == expected)
        let track = try #require(try await Asset(url: copy.url).tracks(withMediaType: .video).first)
        #expect(track.formatDescriptions.compactMap { $0.video?.width } == [64, 96])
    }

    @Test func passthrough_framesOutOfOrderWithoutTheirTimes_isRefused() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make("a.avi", ["testsrc2=s=64x48:r=25:d=1"], Self.avc)
        let session = try ExportSession(asset: Asset(url: source), preset: .passthrough)
        let error = await #expect(throws: MediaError.self) {
            try await session.export(to: fixture.directory.file("copy.mov"))
        }
        #expect(error?.code == .unsupported && error?.wayOut == "re-encode it")
    }

    @Test(arguments: cases.prefix(2))
    func reader_startCodesInTheSource_returnsWhatTheFormatDescribes(_ one: Case) async throws {
        let fixture = try ReadingFixture()
        let (_, output) = try await AssetReader.reading(source(one, in: fixture), .video, nil)
        let samples = output.all()
        #expect(samples.count == 50)
        let described = try #require(output.track.formatDescription?.video?.decoderConfiguration)
        #expect(described.first == 1)
        for sample in samples {
            guard case .data(let data) = sample.content else { continue }
            #expect(consistsOfLengths(Data(data.bytes)))
            #expect(sample.format.video?.decoderConfiguration == described)
        }
    }
}
