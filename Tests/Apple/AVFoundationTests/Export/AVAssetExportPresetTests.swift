import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests of the movies that Apple's HEVC and ProRes presets make.
@Suite struct AVAssetExportPresetTests {
    private static let ofHEVC = [
        AVAssetExportPresetHEVCHighestQuality, AVAssetExportPresetHEVC1920x1080, AVAssetExportPresetHEVC3840x2160,
        AVAssetExportPresetHEVC4320x2160, AVAssetExportPresetHEVC7680x4320,
    ]
    private static let missing = [
        AVAssetExportPresetHEVCHighestQualityWithAlpha, AVAssetExportPresetHEVC1920x1080WithAlpha,
        AVAssetExportPresetHEVC3840x2160WithAlpha, AVAssetExportPresetAppleProRes4444LPCM,
        AVAssetExportPresetMVHEVC960x960,
    ]

    @Test(arguments: ofHEVC) func export_hevcPresets_writeHEVC(_ preset: String) async throws {
        let movies = try MadeMovies()
        let asset = AVURLAsset(url: try movies.movie(seconds: 1))
        for (name, type) in [("out.mov", AVFileType.mov), ("out.mp4", .mp4)] {
            let target = movies.directory.file(name)
            let session = try #require(AVAssetExportSession(asset: asset, presetName: preset))
            let estimate = try await session.estimatedOutputFileLengthInBytes
            try await session.export(to: target, as: type)
            let words = try MadeMovies.probe(target, "v:0", "stream=codec_name,codec_tag_string,width,nb_read_frames")
            #expect(words == "hevc\nhvc1\n160\n30")
            #expect(try MadeMovies.probe(target, "a:0", "stream=codec_name") == "aac")
            let size = try #require(try FileManager.default.attributesOfItem(atPath: target.path)[.size] as? Int64)
            #expect(estimate > size / 10 && estimate < size * 10, "\(estimate) for \(size)")
        }
    }

    @Test func export_proResPreset_writesProResAndPCMInQuickTime() async throws {
        let movies = try MadeMovies()
        let asset = AVURLAsset(url: try movies.movie(seconds: 1))
        let target = movies.directory.file("out.mov")
        let preset = AVAssetExportPresetAppleProRes422LPCM
        let session = try #require(AVAssetExportSession(asset: asset, presetName: preset))
        #expect(await session.compatibleFileTypes == [.mov])
        try await session.export(to: target, as: .mov)
        #expect(
            try MadeMovies.probe(target, "v:0", "stream=codec_name,codec_tag_string,pix_fmt,nb_read_frames")
                == "prores\napcn\nyuv422p10le\n30")
        #expect(try MadeMovies.probe(target, "a:0", "stream=codec_name,sample_rate") == "pcm_s16le\n44100")

        let other = try #require(AVAssetExportSession(asset: asset, presetName: preset))
        let error = await #expect(throws: AVError.self) {
            try await other.export(to: movies.directory.file("out.mp4"), as: .mp4)
        }
        #expect(error?.localizedDescription.contains(preset) == true)
        #expect(movies.directory.names == ["movie.mov", "out.mov"])
    }

    @Test func exportPresets_areListedAndFollowTheAsset() async throws {
        let movies = try MadeMovies()
        let movie = AVURLAsset(url: try movies.movie(seconds: 1))
        let all = Set(AVAssetExportSession.allExportPresets())
        let compatible = try await onThread { Set(AVAssetExportSession.exportPresets(compatibleWith: movie)) }
        for preset in Self.ofHEVC + [AVAssetExportPresetAppleProRes422LPCM] {
            #expect(all.contains(preset) && compatible.contains(preset))
            #expect(
                await AVAssetExportSession.compatibility(ofExportPreset: preset, with: movie, outputFileType: .mov))
        }
        #expect(
            await AVAssetExportSession.compatibility(
                ofExportPreset: AVAssetExportPresetHEVC1920x1080, with: movie, outputFileType: .mp4))
        #expect(
            await !AVAssetExportSession.compatibility(
                ofExportPreset: AVAssetExportPresetAppleProRes422LPCM, with: movie, outputFileType: .mp4))
        for preset in Self.missing {
            #expect(!all.contains(preset) && AVAssetExportSession(asset: movie, presetName: preset) == nil)
        }
    }
}
