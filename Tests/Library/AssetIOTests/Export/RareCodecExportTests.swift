import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Codecs that only some containers hold: a copy is right, or the refusal says what works.
@Suite struct RareCodecExportTests {
    private static let trueHD = ["-c:a", "truehd", "-strict", "-2"]
    private static let tone = "aevalsrc=0.4*sin(2*PI*(300+400*t)*t):s=48000:d=1,aformat=channel_layouts=stereo"
    /// 32 bits of two channels.
    private static let bytesPerFrame = 8

    private func samples(_ url: URL) throws -> Data {
        try ReadingFixture.decoded(url, ["-map", "0:a:0", "-f", "s32le"])
    }

    private func refusal(of source: URL, in fixture: ReadingFixture, as type: String) async throws -> MediaError {
        let error = await #expect(throws: MediaError.self) {
            _ = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough, as: type)
        }
        return try #require(error)
    }

    /// Decoding can only begin at every 16th packet.
    @Test func passthrough_trueHDCutBetweenKeyframes_decodesToTheSameSamples() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make("a.mp4", [Self.tone], Self.trueHD)
        let whole = try samples(source)
        // Packets have 40 audio frames; the first of each range is no keyframe.
        for (start, end) in [(660, 1080), (17, 500)] {
            let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough, as: "mp4") {
                $0.timeRange = TimeRange(
                    start: MediaTime(value: Int64(start * 40), timescale: 48_000),
                    end: MediaTime(value: Int64(end * 40), timescale: 48_000))
            }
            let range = (start * 40 * Self.bytesPerFrame)..<(end * 40 * Self.bytesPerFrame)
            let found = try samples(copy.url)
            #expect(found.prefix(range.count) == whole[range], "\(start) to \(end)")
            #expect(found.count >= range.count, "\(start) to \(end)")
        }
    }

    @Test func reader_trueHDFromBetweenKeyframes_returnsThePacketsItNeeds() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make("a.mp4", [Self.tone], Self.trueHD)
        let (_, output) = try await AssetReader.reading(
            source, .audio, nil, from: MediaTime(value: 660 * 40, timescale: 48_000))
        let packets = output.all()
        #expect(packets.first?.isKeyframe == true)
        #expect(packets.first?.presentationTime == MediaTime(value: 656 * 40, timescale: 48_000))
        #expect(packets.count == 1200 - 656)
    }

    @Test(arguments: ["mkv", "ts"], ["mov", "mp4"])
    func passthrough_trueHDWithoutADescription_namesTheCodecsToEncodeTo(from: String, to: String) async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make("a.\(from)", [Self.tone], Self.trueHD)
        let error = try await refusal(of: source, in: fixture, as: to)
        #expect(error.code == .unsupported && error.action.contains("truehd"), "\(error)")
        #expect(error.wayOut.hasPrefix("encode to aac"), "\(error)")
    }

    @Test func composition_trueHDSegmentBetweenKeyframes_isRefused() async throws {
        let fixture = try ReadingFixture()
        let asset = Asset(url: try fixture.make("a.mp4", [Self.tone], Self.trueHD))
        let track = try #require(try await asset.tracks(withMediaType: .audio).first)
        for (first, isPossible) in [(640, true), (650, false)] {
            var composition = Composition()
            let id = try composition.addTrack(mediaType: .audio)
            for (start, place) in [(0, 0), (first, 320)] {
                try composition.insertTimeRange(
                    TimeRange(
                        start: MediaTime(value: Int64(start * 40), timescale: 48_000),
                        duration: MediaTime(value: 320 * 40, timescale: 48_000)),
                    of: track, from: asset, at: MediaTime(value: Int64(place * 40), timescale: 48_000), into: id)
            }
            let joined = Asset(composition)
            let (reader, output) = try await AssetReader.reading(joined, .audio, nil)
            let count = output.all().count
            if isPossible {
                #expect(reader.status == .completed && count == 640, "\(count) \(String(describing: reader.error))")
            } else {
                #expect(reader.error?.code == .unsupported, "\(String(describing: reader.error))")
                #expect(reader.error?.wayOut.contains("re-encode") == true)
            }
        }
    }

    private static let sizes = [
        ("1440x1080", "25", "dvh5"), ("1280x1080", "30000/1001", "dvh6"), ("960x720", "50", "dvhq"),
    ]

    private func dvcProHD(_ fixture: ReadingFixture, _ name: String, size: String, rate: String) throws -> URL {
        try fixture.make(name, ["testsrc2=s=\(size):r=\(rate):d=0.2"], ["-c:v", "dvvideo", "-pix_fmt", "yuv422p"])
    }

    @Test(arguments: sizes)
    func passthrough_dvcProHD_keepsItsCode(size: String, rate: String, code: String) async throws {
        let fixture = try ReadingFixture()
        let source = try dvcProHD(fixture, "a.mov", size: size, rate: rate)
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough)
        #expect(try ExportedCopy.facts(copy.url, "v", "stream=codec_tag_string")["codec_tag_string"] == code)
        #expect(try CutFramesTests.frames(copy.url).hashes == CutFramesTests.frames(source).hashes)
        let error = try await refusal(of: source, in: fixture, as: "mp4")
        #expect(error.wayOut == "write .mov, or encode to h264", "\(error)")
    }

    /// Matroska and AVI do not have QuickTime's codes.
    @Test(arguments: ["mkv", "avi"]) func export_dvcProHDWithoutACode_isRefusedOrEncoded(type: String) async throws {
        let fixture = try ReadingFixture()
        let movie = try dvcProHD(fixture, "a.mov", size: "1440x1080", rate: "25")
        let source = try fixture.remake(movie, "b.\(type)", ["-c", "copy"])
        for container in ["mov", "mp4"] {
            let error = try await refusal(of: source, in: fixture, as: container)
            #expect(error.code == .unsupported && error.wayOut == "encode to h264", "\(error)")
        }
        let copy = try await ExportedCopy(of: source, in: fixture.directory)
        #expect(try CutFramesTests.frames(copy.url).times.count == 5)
        #expect(try copy.likeness() > 30)
    }
}
