import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of the HEVC and ProRes presets.
@Suite struct CodecPresetTests {
    private func movie(_ fixture: ReadingFixture, pixels: String = "yuv420p", size: String = "320x180") throws -> URL {
        try fixture.make(
            "movie.mov", ["testsrc2=s=\(size):r=30:d=1", "sine=r=44100:d=1"],
            [
                "-vf", ColorTags.bt709, "-c:v", "libx264", "-preset", "ultrafast", "-qp", "10", "-pix_fmt", pixels,
                "-c:a", "aac", "-ac", "2",
            ])
    }

    private static let entries = "stream=codec_name,codec_tag_string,profile,pix_fmt,width,height,sample_rate"
    private static let ofHEVC: [ExportPreset] = [
        .hevcHighestQuality, .hevc1920x1080, .hevc3840x2160, .hevc4320x2160, .hevc7680x4320,
    ]

    @Test(arguments: ["yuv420p", "yuv420p10le"])
    func hevcPreset_anyBitDepth_keepsTheSourcesDepth(_ pixels: String) async throws {
        let fixture = try ReadingFixture()
        let source = try movie(fixture, pixels: pixels)
        for preset in Self.ofHEVC {
            let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: preset, as: "mp4")
            let facts = try ExportedCopy.facts(copy.url, "v:0", Self.entries)
            #expect(facts["codec_name"] == "hevc" && facts["codec_tag_string"] == "hvc1")
            #expect(facts["pix_fmt"] == pixels && facts["profile"] == (pixels == "yuv420p" ? "Main" : "Main 10"))
            // Nothing is scaled up.
            #expect(facts["width"] == "320" && facts["height"] == "180")
            let probe = try Probe(copy.url.path, decodes: true)
            #expect(probe.video?.frames == 30 && probe.audio?.codecName == "aac")
            let likeness = try copy.likeness()
            #expect(likeness > 30, "\(preset.rawValue): \(likeness) dB")
        }
    }

    @Test func hevcHighestQuality_isCloserToTheSourceThanHEVC1080() async throws {
        let fixture = try ReadingFixture()
        let source = try movie(fixture)
        let best = try await ExportedCopy(of: source, in: fixture.directory, preset: .hevcHighestQuality)
        let usual = try await ExportedCopy(of: source, in: fixture.directory, preset: .hevc1920x1080)
        #expect(try best.likeness() > usual.likeness() + 2)
    }

    @Test func hevcPreset_largeSource_fitsThePresetsSize() async throws {
        let fixture = try ReadingFixture()
        let source = try movie(fixture, size: "2560x1600")
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: .hevc1920x1080) {
            $0.timeRange = TimeRange(start: .zero, end: MediaTime(value: 1, timescale: 10))
        }
        let facts = try ExportedCopy.facts(copy.url, "v:0", Self.entries)
        #expect(facts["width"] == "1728" && facts["height"] == "1080")
    }

    @Test func proResPreset_writesProRes422WithLinearPCM() async throws {
        let fixture = try ReadingFixture()
        let source = try movie(fixture, pixels: "yuv420p10le")
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: .proRes422)
        let facts = try ExportedCopy.facts(copy.url, "v:0", Self.entries)
        #expect(facts["codec_name"] == "prores" && facts["codec_tag_string"] == "apcn")
        #expect(facts["pix_fmt"] == "yuv422p10le" && facts["width"] == "320")
        let audio = try ExportedCopy.facts(copy.url, "a:0", Self.entries)
        #expect(audio["codec_name"] == "pcm_s16le" && audio["sample_rate"] == "44100")
        #expect(try Probe(copy.url.path, decodes: true).video?.frames == 30)
        let likeness = try copy.likeness()
        #expect(likeness > 36, "\(likeness) dB")
    }

    @Test func preset_supportedFileTypes_canHoldItsCodecs() async throws {
        let fixture = try ReadingFixture()
        let asset = Asset(url: try movie(fixture))
        #expect(try await ExportSession(asset: asset, preset: .proRes422).supportedFileTypes() == [.mov])
        let types = try await ExportSession(asset: asset, preset: .hevc1920x1080).supportedFileTypes()
        #expect(types.contains(.mov) && types.contains(.mp4))
        let session = try ExportSession(asset: asset, preset: .proRes422)
        let target = fixture.directory.file("copy.mp4")
        let error = await #expect(throws: MediaError.self) { try await session.export(to: target) }
        #expect(error?.code == .unsupported && !FileManager.default.fileExists(atPath: target.path))
    }

    @Test(arguments: [ExportPreset.hevc1920x1080, .hevcHighestQuality, .proRes422])
    func estimatedLength_codecPreset_isWithinAnOrderOfMagnitude(_ preset: ExportPreset) async throws {
        let fixture = try ReadingFixture()
        let source = try movie(fixture)
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: preset)
        let estimate = try await ExportSession(asset: Asset(url: source), preset: preset).estimatedOutputFileLength()
        let size = try #require(try FileManager.default.attributesOfItem(atPath: copy.url.path)[.size] as? Int64)
        #expect(estimate > size / 10 && estimate < size * 10, "\(estimate) for \(size)")
    }

    @Test func fileLengthLimit_reducesHEVCBitRateOrEndsProResEarlier() async throws {
        let fixture = try ReadingFixture()
        // Noise that HEVC needs more bytes for than the limit allows.
        let source = try fixture.make(
            "noise.mov", ["testsrc2=s=640x360:r=30:d=1,noise=alls=20:allf=t", "sine=r=44100:d=1"],
            ["-c:v", "libx264", "-preset", "ultrafast", "-qp", "10", "-pix_fmt", "yuv420p", "-c:a", "aac", "-ac", "2"])
        let limits: [(ExportPreset, Int64, Bool)] = [(.hevc1920x1080, 240_000, true), (.proRes422, 2_000_000, false)]
        for (preset, limit, isWhole) in limits {
            let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: preset) {
                $0.fileLengthLimit = limit
            }
            let free = try await ExportedCopy(of: source, in: fixture.directory, preset: preset)
            let size = try #require(try FileManager.default.attributesOfItem(atPath: copy.url.path)[.size] as? Int64)
            let freeSize = try #require(
                try FileManager.default.attributesOfItem(atPath: free.url.path)[.size] as? Int64)
            #expect(freeSize > limit)
            let frames = try Probe(copy.url.path, decodes: true).video?.frames ?? 0
            #expect(size <= limit && (frames == 30) == isWhole && frames > 2, "\(size) bytes, \(frames) frames")
        }
    }
}
