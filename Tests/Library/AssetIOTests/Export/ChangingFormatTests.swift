import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of a track whose parameter sets change in the middle, as an RTMP server stores it when the sender turned its
/// camera. Verified with FFmpeg.
@Suite struct ChangingFormatTests {
    private static func half(_ options: String, _ pattern: String) -> [String] {
        [
            "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", pattern, "-c:v", "libx264", "-bf", "0", "-g", "25",
            "-pix_fmt", "yuv420p", "-x264-params", options,
        ]
    }

    /// A second with one kind of entropy coding, and a second with another.
    private func flash(_ second: String, in directory: TemporaryDirectory) throws -> URL {
        let first = try MadeFile.of(Self.half("weightp=0:cabac=1", "testsrc2=s=160x96:r=25:d=1"), ending: "flv")
        let later = try MadeFile.of(
            Self.half("weightp=0:cabac=0", "testsrc2=s=\(second):r=25:d=1,negate"), ending: "flv")
        let url = directory.file("two.flv")
        try FlashTags.joined(Data(contentsOf: first), Data(contentsOf: later)).write(to: url)
        return url
    }

    private func frames(_ url: URL) throws -> [Substring] {
        let result = try Command.run(
            "ffmpeg", "-v", "error", "-xerror", "-i", url.path, "-map", "0:v", "-noautoscale", "-fps_mode",
            "passthrough", "-f", "framemd5", "-")
        #expect(result.errors == "")
        return result.text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap {
            $0.split(separator: ",").last
        }
    }

    @Test(arguments: ["160x96", "192x128"], ["mov", "mp4"])
    func passthrough_parameterSetsChange_storesADescriptionForEach(_ size: String, _ type: String) async throws {
        let fixture = try ReadingFixture()
        let source = try flash(size, in: fixture.directory)
        let expected = try frames(source)
        #expect(expected.count == 50)
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough, as: type)
        #expect(try frames(copy.url) == expected)
        // The same holds for the copy, whose table has an entry for each.
        let track = try #require(try await Asset(url: copy.url).tracks(withMediaType: .video).first)
        #expect(track.formatDescriptions.count == 2)
        let again = try await ExportedCopy(of: copy.url, in: fixture.directory, preset: .passthrough, as: type)
        #expect(try frames(again.url) == expected)
        #expect(try Probe.frameTimes(again.url.path) == Probe.frameTimes(copy.url.path))
    }

    @Test(arguments: [0.4, 1.0, 1.4])
    func passthrough_partOfAChangingTrack_decodesToItsFrames(from start: Double) async throws {
        let fixture = try ReadingFixture()
        let source = try flash("192x128", in: fixture.directory)
        let whole = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough)
        let expected = try frames(source)
        for url in [source, whole.url] {
            let part = try await ExportedCopy(of: url, in: fixture.directory, preset: .passthrough) {
                $0.timeRange = TimeRange(start: MediaTime(seconds: start), end: .positiveInfinity)
            }
            #expect(try frames(part.url) == Array(expected.dropFirst(Int((start * 25).rounded()))))
        }
    }

    @Test(arguments: ["160x96", "192x128"])
    func export_parameterSetsChange_encodesEveryFrame(_ size: String) async throws {
        let fixture = try ReadingFixture()
        let source = try flash(size, in: fixture.directory)
        let stored = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough)
        for url in [source, stored.url] {
            let copy = try await ExportedCopy(of: url, in: fixture.directory)
            #expect(try Probe.frameTimes(copy.url.path).count == 50)
            #expect(copy.session.report.damage.isEmpty)
            let late = try await ExportedCopy(of: url, in: fixture.directory) {
                $0.timeRange = TimeRange(start: MediaTime(seconds: 1.4), end: .positiveInfinity)
            }
            #expect(try Probe.frameTimes(late.url.path).count == 15)
        }
    }

    @Test func image_timeAfterTheChange_hasTheSecondFormat() async throws {
        let fixture = try ReadingFixture()
        let source = try flash("192x128", in: fixture.directory)
        let stored = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough)
        for url in [source, stored.url] {
            let asset = Asset(url: url)
            for tolerance in [MediaTime.zero, MediaTime(value: 1, timescale: 1)] {
                let generator = FrameGenerator(asset: asset)
                generator.requestedTimeToleranceBefore = tolerance
                generator.requestedTimeToleranceAfter = tolerance
                for (seconds, width) in [(1.6, 192), (0.4, 160), (1.2, 192)] {
                    let frame = try await generator.image(at: MediaTime(seconds: seconds))
                    #expect(frame.image.width == width)
                }
            }
        }
    }
}

/// Tags of a Flash video file (Adobe, "Flash Video File Format", E.4).
private enum FlashTags {
    /// Appends the tags of one file to those of another, with timestamps that continue.
    static func joined(_ one: Data, _ two: Data) -> Data {
        let (first, second) = (tags(Array(one)), tags(Array(two)).filter { $0[0] != 18 })
        let shift = (first.map(time).max() ?? 0) + 40
        var file = Data(one.prefix(13))
        for tag in first { append(tag, at: time(tag), to: &file) }
        for tag in second { append(tag, at: time(tag) + shift, to: &file) }
        return file
    }

    private static func tags(_ bytes: [UInt8]) -> [[UInt8]] {
        var (place, tags): (Int, [[UInt8]]) = (13, [])
        while place + 11 <= bytes.count {
            let end = place + 11 + (Int(bytes[place + 1]) << 16 | Int(bytes[place + 2]) << 8 | Int(bytes[place + 3]))
            tags.append(Array(bytes[place..<min(end, bytes.count)]))
            place = end + 4
        }
        return tags
    }

    private static func time(_ tag: [UInt8]) -> Int {
        Int(tag[7]) << 24 | Int(tag[4]) << 16 | Int(tag[5]) << 8 | Int(tag[6])
    }

    private static func append(_ tag: [UInt8], at time: Int, to file: inout Data) {
        var tag = tag
        (tag[4], tag[5], tag[6], tag[7]) = (
            UInt8(truncatingIfNeeded: time >> 16), UInt8(truncatingIfNeeded: time >> 8),
            UInt8(truncatingIfNeeded: time), UInt8(truncatingIfNeeded: time >> 24)
        )
        file.append(contentsOf: tag)
        withUnsafeBytes(of: UInt32(tag.count).bigEndian) { file.append(contentsOf: $0) }
    }
}
