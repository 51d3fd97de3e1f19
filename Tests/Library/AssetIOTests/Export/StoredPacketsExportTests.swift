import Foundation
import MediaTypes
import MovieFile
import TestSupport
import Testing

@testable import AssetIO

/// Tests that packets pass through an export exactly as they are stored in their file, read before or not.
@Suite struct StoredPacketsExportTests {
    /// FFmpeg's hash of every packet of a track as it is stored.
    private func packets(_ url: URL, _ track: String) throws -> [Substring] {
        let result = try Command.run(
            "ffmpeg", "-v", "error", "-i", url.path, "-map", "0:\(track)", "-c", "copy", "-f", "framemd5", "-")
        return result.text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap {
            $0.split(separator: ",").last
        }
    }

    /// FFmpeg's hash of all packets of a track, however they are divided.
    private func hash(_ url: URL, _ track: String, _ options: [String] = []) throws -> String {
        let words = ["ffmpeg", "-v", "error", "-i", url.path, "-map", "0:\(track)", "-c", "copy"]
        return try Command.run(words + options + ["-f", "streamhash", "-hash", "md5", "-"]).text
    }

    private static let h264 = ["-c:v", "libx264", "-bf", "2", "-g", "15", "-pix_fmt", "yuv420p"]

    private static let movies: [(name: String, arguments: [String])] = [
        ("a.mov", h264 + ["-c:a", "aac"]), ("a.mp4", h264 + ["-c:a", "aac", "-movflags", "faststart"]),
        ("a.mov", ["-c:v", "libx265", "-x265-params", "log-level=error", "-pix_fmt", "yuv420p", "-c:a", "alac"]),
        ("a.mov", ["-c:v", "prores_ks", "-c:a", "pcm_s24le"]), ("a.mov", ["-c:v", "mjpeg", "-c:a", "pcm_s16be"]),
        ("a.mp4", ["-c:v", "mpeg4", "-c:a", "libmp3lame"]), ("a.mov", ["-c:v", "mpeg4", "-c:a", "ac3"]),
        ("a.mp4", h264 + ["-c:a", "aac", "-movflags", "frag_keyframe+empty_moov"]),
        ("a.mkv", h264 + ["-c:a", "aac"]), ("a.ts", h264 + ["-c:a", "aac"]),
        ("a.mov", h264 + ["-c:a", "aac", "-timecode", "01:00:00:00"]),
    ]

    @Test(arguments: movies)
    func passthrough_storedPackets_areThoseOfTheSource(name: String, arguments: [String]) async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(name, [ReadingFixture.frame, ReadingFixture.tone], arguments)
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough)
        // FFmpeg's transport streams have start codes and ADTS headers, which a movie does not have.
        let bare = name == "a.ts" ? ["-bsf:a", "aac_adtstoasc"] : []
        #expect(try hash(copy.url, "a") == hash(source, "a", bare))
        if name != "a.ts" { #expect(try packets(copy.url, "v") == packets(source, "v")) }
        #expect(try Probe.frameTimes(copy.url.path).count == 30)
    }

    /// A slide show: with B-frames, a frame is decoded minutes before it is shown.
    @Test func passthrough_framesOfMinutes_keepTheirTimes() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            "slides.mp4", ["testsrc2=s=64x48:r=1/80:d=400"], ["-c:v", "libx264", "-bf", "2", "-pix_fmt", "yuv420p"])
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough)
        #expect(try packets(copy.url, "v") == packets(source, "v"))
        let times = try [source, copy.url].map { try Probe.ask($0.path, "packet=pts_time,dts_time").text }
        #expect(times[0] == times[1] && times[0].split(separator: "\n").count == 5)
    }

    /// The first frame needs more packets than an input's queue holds, and few follow.
    @Test(.timeLimit(.minutes(10)), arguments: [1.7, 1.8, 1.9])
    func passthrough_endOfALongGOP_isExported(from start: Double) async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            "long.mov", ["testsrc2=s=128x96:r=30:d=2", "sine=sample_rate=48000:duration=2"],
            ["-c:v", "libx264", "-bf", "2", "-g", "300", "-pix_fmt", "yuv420p", "-c:a", "aac"])
        let part = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough) {
            $0.timeRange = TimeRange(start: MediaTime(seconds: start), end: .positiveInfinity)
        }
        #expect(try packets(part.url, "v").count == 60)
        #expect(try Probe.frameTimes(part.url.path).count == Int(((2 - start) * 30).rounded()))
    }

    @Test func passthrough_partsAndJoins_keepPacketOrder() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.movie()
        let range = TimeRange(start: MediaTime(value: 20, timescale: 30), end: .positiveInfinity)
        let part = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough) {
            $0.timeRange = range
        }
        let all = try packets(source, "v")
        #expect(all.count == 30)
        #expect(try packets(part.url, "v") == Array(all[15...]))
        // Its edit list begins in the middle of a GOP.
        let again = try await ExportedCopy(of: part.url, in: fixture.directory, preset: .passthrough)
        #expect(try packets(again.url, "v") == Array(all[15...]))
        #expect(try Probe.frameTimes(again.url.path) == Probe.frameTimes(part.url.path))

        let other = try fixture.make(
            "other.mov", ["smptebars=s=128x96:r=30:d=1", ReadingFixture.tone],
            ["-vf", ColorTags.none] + Self.h264 + ["-c:a", "aac"])
        let joined = Asset(try await Composition.joining([Asset(url: source), Asset(url: other)]))
        let copy = try await ExportedCopy(of: joined, in: fixture.directory, preset: .passthrough)
        #expect(try packets(copy.url, "v") == all + packets(other, "v"))
        let audio = Set(try packets(source, "a") + packets(other, "a"))
        #expect(try packets(copy.url, "a").allSatisfy(audio.contains))
    }

    @Test func passthrough_truncatedFile_keepsThePacketsItStillHas() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            "movie.mov", ["testsrc2=s=128x96:r=30:d=2", "sine=d=2"],
            Self.h264 + ["-c:a", "aac", "-movflags", "faststart"])
        let all = try packets(source, "v")
        let places = try Probe.ask(source.path, "packet=pos,size", of: "v").text.split(separator: "\n").map {
            $0.split(separator: ",").compactMap { Int($0) }
        }
        // In the middle of the 41st frame.
        let end = places[40][1] + places[40][0] / 2
        try Data(try Data(contentsOf: source).prefix(end)).write(to: source)
        let error = await #expect(throws: MediaError.self) {
            _ = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough)
        }
        #expect(
            error?.code == .corruptData && error?.reason.contains("ends before") == true, "\(String(describing: error))"
        )
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough) {
            $0.skipsDamagedMedia = true
        }
        #expect(try packets(copy.url, "v") == Array(all[..<40]))
        #expect(!copy.session.report.damage.isEmpty)
    }

    @Test func reader_leavesUnreadSet_returnsTheSameBytes() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.movie()
        let (_, read) = try await AssetReader.reading(source, .video, nil)
        let (_, unread) = try await AssetReader.reading(source, .video, nil) { $0.leavesUnread = true }
        let (samples, places) = (read.all(), unread.all())
        #expect(samples.count == 30 && samples.map(\.bytes) == places.map(\.bytes))
        #expect(samples.allSatisfy { $0.place == nil } && places.allSatisfy { $0.place != nil })
    }
}

extension SampleBuffer {
    fileprivate var place: StoredPlace? { if case .data(let data) = content { data.place } else { nil } }
}
