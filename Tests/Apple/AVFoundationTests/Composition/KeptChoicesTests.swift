import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests of settings that do not change the movie here: they are kept, and copied.
@Suite struct KeptChoicesTests {
    @Test func pitchAlgorithm_varispeed_isKeptAndPitchFollowsSpeed() async throws {
        let movies = try MadeMovies()
        let asset = AVURLAsset(url: try movies.movie(seconds: 2))
        let parameters = AVMutableAudioMixInputParameters(
            track: try await asset.loadTracks(withMediaType: .audio).first)
        #expect(parameters.audioTimePitchAlgorithm == nil)
        parameters.audioTimePitchAlgorithm = .varispeed
        #expect((parameters.copy() as? AVAudioMixInputParameters)?.audioTimePitchAlgorithm == .varispeed)
        let composition = AVMutableComposition()
        let track = try #require(composition.addMutableTrack(withMediaType: .audio, preferredTrackID: 0))
        let whole = CMTimeRange(start: .zero, duration: CMTime(value: 2, timescale: 1))
        try track.insertTimeRange(whole, of: try await asset.loadTracks(withMediaType: .audio)[0], at: .zero)
        track.scaleTimeRange(whole, toDuration: CMTime(value: 1, timescale: 1))
        let target = movies.directory.file("fast.m4a")
        let session = try await CompositionJudge.export(
            composition, to: target, preset: AVAssetExportPresetAppleM4A, as: .m4a
        ) { session in
            session.audioTimePitchAlgorithm = .varispeed
            session.allowsParallelizedExport = false
            #expect(session.audioTimePitchAlgorithm == .varispeed && !session.allowsParallelizedExport)
        }
        #expect(session.status == .completed, "\(String(describing: session.error))")
        // The tone of 440 Hz crosses zero 880 times a second, and twice as often at double speed.
        let result = try Command.run([
            "ffmpeg", "-v", "error", "-i", target.path, "-ac", "1", "-ar", "44100", "-f", "s16le", "-",
        ])
        let samples = result.output.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
        let middle = samples.dropFirst(11_025).prefix(22_050)
        let crossings = zip(middle, middle.dropFirst()).filter { ($0 < 0) != ($1 < 0) }.count
        #expect(abs(crossings - 880) < 30)
    }

    @Test func imageGenerator_dynamicRangePolicy_isKept() async throws {
        let movies = try MadeMovies()
        let generator = AVAssetImageGenerator(asset: AVAsset(url: try movies.movie(seconds: 1)))
        #expect(generator.dynamicRangePolicy == .forceSDR)
        generator.dynamicRangePolicy = .matchSource
        #expect(generator.dynamicRangePolicy == .matchSource)
        #expect(try await generator.image(at: .zero).image.width == 160)
    }

    @Test func metadataGroup_hasNoLabelOrUniqueID() {
        let group = AVTimedMetadataGroup(items: [], timeRange: .zero)
        #expect(group.classifyingLabel == nil && group.uniqueID == nil)
    }

    @Test func determineValidity_callsTheHandlerWithTheResult() async throws {
        let movies = try MadeMovies()
        let asset = AVURLAsset(url: try movies.movie(seconds: 1))
        let composition = try await AVMutableVideoComposition.videoComposition(withPropertiesOf: asset)
        let whole = CMTimeRange(start: .zero, duration: try await asset.load(.duration))
        func validity(_ composition: AVVideoComposition) async -> Bool {
            await withCheckedContinuation { continuation in
                composition.determineValidity(for: asset, timeRange: whole, validationDelegate: nil) { isValid, _ in
                    continuation.resume(returning: isValid)
                }
            }
        }
        #expect(await validity(composition))
        composition.frameDuration = .zero
        #expect(await !validity(composition))
    }
}
