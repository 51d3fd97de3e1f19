import AssetIO
import Foundation
import MediaTypes
import TestSupport
import Testing

/// Tests that frames look the same after re-encoding, whatever their stored format; verified with ffmpeg's decoders.
@Suite struct CarriedFramesTests {
    private let fixture: ReadingFixture

    init() throws { fixture = try ReadingFixture() }

    /// A movie with four different corners, so that every rotation is detected.
    private func movie(
        _ name: String, size: String = "320x180", filter: String = "null", _ arguments: [String] = []
    ) throws -> URL {
        try fixture.make(
            name, ["testsrc2=s=\(size):r=25:d=0.6"],
            ["-vf", filter, "-c:v", "libx264", "-preset", "ultrafast", "-qp", "8"] + arguments)
    }

    private func copy(
        _ source: URL, preset: ExportPreset = .highestQuality,
        configure: (inout ExportSession.Configuration) -> Void = { _ in }
    ) async throws -> ExportedCopy {
        try await ExportedCopy(of: source, in: fixture.directory, preset: preset, configure: configure)
    }

    private func rotation(_ url: URL) throws -> Int {
        try ExportedCopy.facts(url, "v:0", "stream_side_data=rotation")["rotation"].flatMap { Int($0) } ?? 0
    }

    // MARK: Other pixel formats

    @Test(arguments: ["yuv420p10le", "yuv422p", "yuv422p10le", "yuv444p", "gray"])
    func export_otherPixelFormats_become8Bit420(format: String) async throws {
        let source = try movie("source.mov", ["-pix_fmt", format])
        let copy = try await copy(source)
        let facts = try ExportedCopy.facts(copy.url, "v:0", "stream=pix_fmt,profile")
        // ffmpeg's gray has full range.
        #expect(facts == ["pix_fmt": format == "gray" ? "yuvj420p" : "yuv420p", "profile": "High"])
        #expect(try copy.likeness() > 34)
    }

    private static let kinds: [([String], String, ExportPreset, [String])] = [
        (["png", "rgba"], "64x48", .highQuality, ["transparency: opaque", "chroma resolution: RGB"]),
        (["libx264", "yuv422p"], "64x48", .highQuality, ["chroma resolution: 4:2:2 is encoded as 4:2:0"]),
        (["libx264", "yuv422p"], "64x48", .proRes422, []),
        (["ffv1", "yuv420p12le"], "64x48", .proRes422, ["bit depth: 12 bits are encoded as 10"]),
        (["libx264", "yuv444p"], "65x49", .highQuality, ["chroma resolution: 4:4:4", "last column and row: even"]),
        (["libx264", "yuv444p"], "64x49", .highQuality, ["chroma resolution: 4:4:4", "last row: even"]),
        (["libx264", "yuv420p"], "64x48", .highQuality, []),
    ]

    @Test(arguments: kinds)
    func export_pixelsThatAreNotKept_areReported(
        codec: [String], size: String, preset: ExportPreset, losses: [String]
    ) async throws {
        let source = try fixture.make(
            codec[0] == "ffv1" ? "source.mkv" : "source.mov", ["testsrc=s=\(size):r=25:d=0.2"],
            ["-c:v", codec[0], "-pix_fmt", codec[1]])
        let lines = try await copy(source, preset: preset).session.report.leftOut
        #expect(lines.count == losses.count, "\(lines)")
        for (line, loss) in zip(lines, losses) {
            let parts = loss.components(separatedBy: ": ")
            #expect(line.hasPrefix("the \(parts[0]) of track 1: ") && line.contains(parts[1]), "\(line)")
        }
    }

    @Test func export_fullRange_staysFullRange() async throws {
        let source = try movie(
            "full.mov", filter: "scale=in_range=tv:out_range=pc,format=yuv420p", ["-color_range", "pc"])
        let copy = try await copy(source)
        let facts = try ExportedCopy.facts(copy.url, "v:0", "stream=color_range")
        #expect(facts["color_range"] == "pc")
        #expect(try copy.likeness() > 34)
    }

    // MARK: Sizes

    @Test(arguments: ["321x181", "320x181", "321x180"])
    func export_oddSize_cropsARowOrColumn(size: String) async throws {
        let source = try movie("odd.mov", size: size, ["-pix_fmt", "yuv444p"])
        let copy = try await copy(source)
        let facts = try ExportedCopy.facts(copy.url, "v:0", "stream=width,height")
        #expect(facts == ["width": "320", "height": "180"])
        #expect(try copy.likeness(sourceFilter: "crop=320:180:0:0:exact=1") > 30)
    }

    @Test func export_maximumSize_keepsTheAspectRatio() async throws {
        let source = try movie("box.mov", ["-pix_fmt", "yuv420p"])
        let copy = try await copy(source) { $0.maximumVideoSize = CGSize(width: 160, height: 160) }
        let facts = try ExportedCopy.facts(copy.url, "v:0", "stream=width,height,sample_aspect_ratio")
        #expect(facts["width"] == "160" && facts["height"] == "90")
        #expect(try copy.likeness(size: "160:90") > 28)
    }

    @Test func export_maximumSizeBeyondAnyFrame_keepsTheSize() async throws {
        let source = try movie("box.mov", ["-pix_fmt", "yuv420p"])
        let largest = CGFloat.greatestFiniteMagnitude
        let copy = try await copy(source) { $0.maximumVideoSize = CGSize(width: largest, height: largest) }
        let facts = try ExportedCopy.facts(copy.url, "v:0", "stream=width,height")
        #expect(facts == ["width": "320", "height": "180"])
    }

    @Test(arguments: [90, 180, 270]) func export_rotatedMovie_isScaledAndStaysRotated(degrees: Int) async throws {
        let plain = try movie("plain.mov", ["-pix_fmt", "yuv420p"])
        let source = try fixture.remake(plain, "turned.mov", ["-c", "copy"])
        try MovieRotation.set(clockwise: degrees, in: source)
        let shown = degrees == 180 ? "160:90" : "90:160"
        for preset in [ExportPreset.highestQuality, .passthrough] {
            let copy = try await copy(source, preset: preset)
            #expect(try rotation(copy.url) == rotation(source))
            #expect(try copy.likeness() > 34)
        }
        let small = try await copy(source) { $0.maximumVideoSize = CGSize(width: 160, height: 160) }
        #expect(try rotation(small.url) == rotation(source))
        #expect(try small.likeness(size: shown) > 28)
    }

    @Test(arguments: [1, 2, 3, -1], [0, 90]) func export_quarterTurns_addToTheExistingRotation(turns: Int, degrees: Int)
        async throws
    {
        let plain = try movie("plain.mov", ["-pix_fmt", "yuv420p"])
        let source = try fixture.remake(plain, "turned.mov", ["-c", "copy"])
        try MovieRotation.set(clockwise: degrees, in: source)
        let turn = ["null", "transpose=clock", "hflip,vflip", "transpose=cclock"][(turns + 4) % 4]
        for preset in [ExportPreset.highestQuality, .passthrough] {
            let copy = try await copy(source, preset: preset) { $0.quarterTurns = turns }
            #expect(try copy.likeness(sourceFilter: turn) > 34)
        }
    }

    @Test func export_nonSquarePixels_areKept() async throws {
        let source = try movie("wide.mov", size: "180x144", filter: "setsar=64/45", ["-pix_fmt", "yuv420p"])
        let whole = try await copy(source)
        let facts = try ExportedCopy.facts(whole.url, "v:0", "stream=width,height,sample_aspect_ratio")
        #expect(facts == ["width": "180", "height": "144", "sample_aspect_ratio": "64:45"])
        let small = try await copy(source) { $0.maximumVideoSize = CGSize(width: 128, height: 128) }
        let smaller = try ExportedCopy.facts(small.url, "v:0", "stream=width,height,sample_aspect_ratio")
        #expect(smaller == ["width": "90", "height": "72", "sample_aspect_ratio": "64:45"])
    }

    // MARK: Fields

    @Test func export_deinterlacing_removesCombing() async throws {
        // Fifty fields a second in twenty-five frames.
        let source = try fixture.make(
            "fields.mov", ["testsrc2=s=320x180:r=50:d=2"],
            [
                "-vf", "tinterlace=interleave_top,setfield=tff", "-c:v", "libx264", "-qp", "8", "-flags", "+ildct+ilme",
                "-pix_fmt", "yuv420p",
            ])
        let before = try combed(source)
        #expect(before > 30)
        let kept = try await copy(source)
        #expect(try kept.likeness() > 30)
        let whole = try await copy(source) { $0.deinterlacesVideo = true }
        let after = try combed(whole.url)
        #expect(after < before / 5)
        let facts = try ExportedCopy.facts(whole.url, "v:0", "stream=field_order")
        #expect(facts["field_order"] ?? "progressive" == "progressive")
        #expect(abs(try Probe(whole.url.path).format.seconds - 2) < 0.05)
    }

    /// The number of frames that ffmpeg's filter considers interlaced.
    private func combed(_ url: URL) throws -> Int {
        let result = try Command.run(
            "ffmpeg", "-v", "info", "-i", url.path, "-vf", "idet", "-an", "-f", "null", "-")
        let line = try #require(
            result.errors.split(separator: "\n").last { $0.contains("Multi frame detection") }.map(String.init))
        return ["TFF:", "BFF:"].reduce(0) { sum, name in
            let number = line.components(separatedBy: name).dropFirst().first?
                .trimmingCharacters(in: .whitespaces).prefix { $0.isNumber }
            return sum + (number.flatMap { Int($0) } ?? 0)
        }
    }
}
