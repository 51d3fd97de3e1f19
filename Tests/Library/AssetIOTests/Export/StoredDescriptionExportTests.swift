import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests that a copy by passthrough has the sample description that its samples need. FFmpeg must decode it to the same
/// frames and audio as the source.
@Suite struct StoredDescriptionExportTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var source: String
        var arguments: [String]
        var types: [String] = ["mov"]
        var input = "testsrc2=s=64x48:r=10:d=0.5"
        var testDescription: String { "\(source) \(arguments.joined(separator: " "))" }
    }

    private static func video(_ codec: String, _ pixels: String? = nil, _ more: [String] = []) -> [String] {
        ["-c:v", codec] + (pixels.map { ["-pix_fmt", $0] } ?? []) + more
    }

    /// MPEG-4's object types other than its own video: `mp4v` in the source.
    static let objectTypes = [
        Case(
            source: "a.mp4", arguments: video("mpeg2video"), types: ["mov", "mp4"], input: "testsrc2=s=64x48:r=25:d=0.5"
        ),
        Case(
            source: "a.mp4", arguments: video("mpeg1video"), types: ["mov", "mp4"], input: "testsrc2=s=64x48:r=25:d=0.5"
        ),
        Case(source: "a.mp4", arguments: video("mjpeg", "yuvj420p"), types: ["mov", "mp4"]),
        Case(source: "a.mp4", arguments: video("png", "rgb24"), types: ["mov", "mp4"]),
        Case(source: "a.mp4", arguments: video("jpeg2000", "yuv420p"), types: ["mov", "mp4"]),
    ]

    /// Formats whose decoder needs the stored entry: bits per pixel, palettes.
    static let entries = [
        Case(source: "a.mov", arguments: video("qtrle", "argb")),
        Case(source: "a.mov", arguments: video("qtrle", "gray")),
        Case(source: "a.mov", arguments: video("qtrle", "rgb555be")),
        Case(source: "a.mov", arguments: video("rawvideo", "gray")),
        Case(source: "a.mov", arguments: video("rawvideo", "argb")),
        Case(source: "a.mov", arguments: video("rawvideo", "rgb555be")),
        Case(source: "a.mov", arguments: video("rawvideo", "pal8")),
    ]

    /// Containers without QuickTime's codes.
    static let codes = [
        Case(source: "a.mkv", arguments: video("v210", "yuv422p10le")),
        Case(source: "a.avi", arguments: video("v210", "yuv422p10le")),
        Case(source: "a.mkv", arguments: video("jpeg2000", "yuv420p")),
        Case(source: "a.avi", arguments: video("cinepak")),
        Case(source: "a.mkv", arguments: video("svq1", "yuv410p")), Case(source: "a.mkv", arguments: video("hap")),
        Case(source: "a.mkv", arguments: video("hap", nil, ["-format", "hap_q"])),
        Case(
            source: "a.mkv", arguments: video("dnxhd", "yuv422p", ["-profile:v", "dnxhr_hq"]),
            input: "testsrc2=s=256x128:d=0.2"),
        Case(source: "a.avi", arguments: video("dvvideo", "yuv420p"), input: "testsrc2=s=720x576:r=25:d=0.2"),
        Case(source: "a.mkv", arguments: video("dvvideo", "yuv411p"), input: "testsrc2=s=720x480:r=30000/1001:d=0.2"),
    ]

    private func frames(_ url: URL) throws -> [Substring] {
        let result = try Command.run(
            "ffmpeg", "-v", "error", "-i", url.path, "-map", "0:v", "-fps_mode", "passthrough", "-f", "framemd5", "-")
        #expect(result.errors == "")
        return result.text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap {
            $0.split(separator: ",").last
        }
    }

    @Test(arguments: objectTypes + entries + codes)
    func passthrough_videoWithoutACodeOfItsOwn_decodesToTheSameFrames(_ one: Case) async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(one.source, [one.input], one.arguments)
        let expected = try frames(source)
        #expect(expected.count >= 4)
        for type in one.types {
            let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough, as: type)
            #expect(try frames(copy.url) == expected)
            #expect(try Probe.frameTimes(copy.url.path) == Probe.frameTimes(source.path))
        }
    }

    /// Bytes of one audio frame: two channels of 32 bits.
    private static let bytesPerFrame = 8

    private func audio(_ url: URL) throws -> Data {
        let result = try Command.run("ffmpeg", "-v", "error", "-i", url.path, "-map", "0:a", "-f", "s32le", "-")
        #expect(result.errors == "")
        return result.output
    }

    @Test(arguments: [
        ("a.mov", "pcm_u8", "mov"), ("a.mov", "pcm_mulaw", "mov"), ("a.mov", "pcm_alaw", "mov"),
        ("a.mov", "adpcm_ima_qt", "mov"), ("a.mov", "adpcm_ms", "mov"), ("a.mov", "adpcm_ima_wav", "mov"),
        ("a.mov", "dca", "mov"), ("a.mov", "mp2", "mov"), ("a.wav", "pcm_u8", "mov"), ("a.wav", "pcm_mulaw", "mov"),
        ("a.mp4", "mp2", "mp4"), ("a.mp4", "dca", "mp4"), ("a.mp4", "truehd", "mp4"), ("a.mkv", "mp2", "mp4"),
        ("a.mkv", "dca", "mp4"),
    ])
    func passthrough_audioThatTheContainerHasACodeFor_decodesToTheSameSamples(
        _ name: String, _ codec: String, _ type: String
    ) async throws {
        let fixture = try ReadingFixture()
        let tone = "sine=r=48000:d=0.5,aformat=channel_layouts=stereo"
        let source = try fixture.make(name, [tone], ["-strict", "-2", "-c:a", codec])
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough, as: type)
        // FFmpeg decodes Layer II in MP4 with its Layer III decoder, which rounds differently; the reference is
        // FFmpeg's own copy.
        let judge =
            codec == "mp2" && !name.hasSuffix(type)
            ? try fixture.remake(source, "judge.\(type)", ["-c", "copy"]) : source
        let expected = try audio(judge)
        #expect(expected.count > 100_000)
        // FFmpeg 6 and later store a delay in Matroska. The copy hides as much, and FFmpeg's own copy does not.
        let found = try audio(copy.url)
        let delay = name.hasSuffix("mkv") ? expected.count - found.count : 0
        #expect((0...481 * Self.bytesPerFrame).contains(delay))
        #expect(found == expected.dropFirst(delay))
    }

    @Test func passthrough_partOf8BitPCM_isCutToTheAudioFrame() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make("a.mov", ["sine=r=8000:d=1"], ["-c:a", "pcm_u8"])
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough) {
            $0.timeRange = TimeRange(
                start: MediaTime(value: 2001, timescale: 8000), duration: MediaTime(value: 999, timescale: 8000))
        }
        // The edit list hides the rest of the last packet; FFmpeg decodes PCM packets completely.
        let decoded = try audio(copy.url)
        #expect(try decoded.prefix(999 * 4) == audio(source).dropFirst(2001 * 4).prefix(999 * 4))
        let seconds = try Probe(copy.url.path).format.seconds
        #expect(abs(seconds - 999.0 / 8000) < 0.0001, "\(seconds)")
    }

    @Test func export_pixelAspectRatioAbove65535_storesTheNearest() async throws {
        let fixture = try ReadingFixture()
        let plain = try fixture.make("plain.mov", [ReadingFixture.frame], ["-c:v", "mpeg4"])
        let source = fixture.directory.file("wide.mov")
        // `pasp` has room for 32 bits.
        let aspect = AtomBytes.pixelAspect(93_207, 65_536)
        try AtomBytes.replacing("pasp", with: aspect, in: Data(contentsOf: plain)).write(to: source)
        let copy = try await ExportedCopy(of: source, in: fixture.directory)
        let ratio = try ExportedCopy.facts(copy.url, "v:0", "stream=sample_aspect_ratio")["sample_aspect_ratio"]
        let numbers = try #require(ratio).split(separator: ":").compactMap { Double($0) }
        #expect(numbers.count == 2 && abs(numbers[0] / numbers[1] - 93_207 / 65_536) < 1e-6, "\(ratio ?? "")")
    }
}

/// Bytes of an atom within a file, for values that FFmpeg does not write.
private enum AtomBytes {
    static func pixelAspect(_ horizontal: UInt32, _ vertical: UInt32) -> [UInt8] {
        [horizontal, vertical].flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
    }

    /// - Parameter payload: bytes as long as the atom's own payload.
    static func replacing(_ type: String, with payload: [UInt8], in file: Data) throws -> Data {
        let place = try #require(file.range(of: Data(type.utf8), options: .backwards))
        var file = file
        file.replaceSubrange(place.upperBound..<(place.upperBound + payload.count), with: payload)
        return file
    }
}
