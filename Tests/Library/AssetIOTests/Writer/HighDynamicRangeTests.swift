import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of high dynamic range, and of the metadata about the mastering display.
@Suite struct HighDynamicRangeTests {
    /// A display with BT.2020 primaries and D65 at 1000 cd/m².
    private static let display = MasteringDisplay(
        red: .init(x: 35_400, y: 14_600), green: .init(x: 8_500, y: 39_850), blue: .init(x: 6_550, y: 2_300),
        whitePoint: .init(x: 15_635, y: 16_450), maximumLuminance: 10_000_000, minimumLuminance: 50)
    private static let light = ContentLightLevel(maximum: 987, maximumAverage: 321)

    private func movie(
        _ codec: VideoCodec, in name: String = "movie.mov", color: ColorDescription = .pq
    ) async throws -> CodecMovie {
        try await CodecMovie(codec, in: name, .p010, count: 12, color: color) {
            ($0.bitDepth, $0.masteringDisplay, $0.contentLight) = (10, Self.display, Self.light)
        }
    }

    private func format(_ movie: CodecMovie) async throws -> VideoFormat {
        let asset = Asset(url: movie.fixture.writer.outputURL)
        return try #require(try await asset.tracks(withMediaType: .video).first?.formatDescription?.video)
    }

    @Test(arguments: [VideoCodec.h264, .hevc, .av1, .proRes422HQ], [ColorDescription.hlg, .pq])
    func hdrMetadata_everyCodec_roundTrips(_ codec: VideoCodec, _ color: ColorDescription) async throws {
        for name in codec.proResTag == nil ? ["movie.mov", "movie.mp4"] : ["movie.mov"] {
            let movie = try await movie(codec, in: name, color: color)
            let format = try await format(movie)
            #expect(format.masteringDisplay == Self.display && format.contentLight == Self.light)
            #expect(format.color == color && format.bitDepth == 10)

            let facts = try movie.facts()
            #expect(facts["color_space"] == "bt2020nc" && facts["color_primaries"] == "bt2020")
            #expect(facts["color_transfer"] == (color == .hlg ? "arib-std-b67" : "smpte2084"))
            let side = try Probe.ask(movie.path, "stream_side_data", of: "v:0", as: "default=noprint_wrappers=1").text
            for line in [
                "side_data_type=Mastering display metadata", "red_x=35400/50000", "green_y=39850/50000",
                "white_point_x=15635/50000", "max_luminance=10000000/10000", "min_luminance=50/10000",
                "side_data_type=Content light level metadata", "max_content=987", "max_average=321",
            ] { #expect(side.contains(line), "\(codec) \(name): no \(line)") }
            let words = "%HDR_Format%/%MasteringDisplay_Luminance%/%MaxCLL%/%MaxFALL%"
            let mediainfo = try Command.run("mediainfo", "--Output=Video;\(words)", movie.path).text
            #expect(mediainfo.contains("max: 1000 cd/m2") && mediainfo.contains("987 cd/m2"), "\(mediainfo)")
            #expect(try movie.fidelity(count: 12) > 36)
        }
    }

    /// Decoders find the metadata in the stream, without the file around it.
    @Test(arguments: [VideoCodec.hevc, .av1]) func hdrMetadata_isStoredInTheStream(_ codec: VideoCodec) async throws {
        let movie = try await movie(codec)
        let bare = movie.path + (codec == .hevc ? ".hevc" : ".obu")
        let copied = try Command.run("ffmpeg", "-v", "error", "-i", movie.path, "-c", "copy", bare)
        #expect(copied.status == 0)
        let side = try Probe.ask(
            bare, "frame_side_data", of: "v:0", as: "default=noprint_wrappers=1",
            options: ["-read_intervals", "%+#1"]
        ).text
        #expect(side.contains("Mastering display metadata") && side.contains("Content light level metadata"))
        #expect(side.contains("max_content=987") && side.contains("max_average=321"))
        let luminance = side.split(separator: "\n").first { $0.hasPrefix("max_luminance=") }
        let parts = luminance?.dropFirst(14).split(separator: "/").compactMap { Double($0) } ?? []
        #expect(parts.count == 2 && abs(parts[0] / parts[1] - 1000) < 0.01, "\(side)")
    }

    @Test func hdrMetadata_onlyInTheHint_isStored() async throws {
        var hint = VideoFormat(pixelFormat: .p010, width: CodecMovie.width, height: CodecMovie.height, color: .pq)
        (hint.masteringDisplay, hint.contentLight) = (Self.display, Self.light)
        let movie = try await CodecMovie(.hevc, .p010, count: 3, color: .pq, hint: hint) { $0.profile = .main10 }
        let format = try await format(movie)
        #expect(format.masteringDisplay == Self.display && format.contentLight == Self.light && format.color == .pq)
    }

    @Test func hdrMetadata_export_isKept() async throws {
        let movie = try await movie(.hevc)
        let target = movie.fixture.directory.file("copy.mov")
        let session = try ExportSession(asset: Asset(url: movie.fixture.writer.outputURL), preset: .highestQuality)
        try session.configure {
            $0.videoSettings = VideoSettings(codec: .proRes422, expectedFrameRate: 30)
        }
        try await session.export(to: target, as: .mov)
        let track = try #require(try await Asset(url: target).tracks(withMediaType: .video).first)
        let format = try #require(track.formatDescription?.video)
        #expect(format.codecTag == "apcn" && format.masteringDisplay == Self.display && format.color == .pq)
        #expect(format.contentLight == Self.light && format.storedPixels?.name == "yuv422p10le")
    }

    @Test func hdrMetadata_passthrough_isKept() async throws {
        let movie = try await movie(.hevc)
        let target = movie.fixture.directory.file("copy.mp4")
        let session = try ExportSession(asset: Asset(url: movie.fixture.writer.outputURL), preset: .passthrough)
        try await session.export(to: target, as: .mp4)
        let track = try #require(try await Asset(url: target).tracks(withMediaType: .video).first)
        #expect(track.formatDescription?.video?.masteringDisplay == Self.display)
    }
}
