import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests that compare the properties of an asset and its tracks with ffprobe's report on the file.
@Suite struct AVAssetPropertiesTests {
    private static func movie(_ movies: MadeMovies) throws -> URL {
        try movies.movie(
            "facts.mov", seconds: 2,
            ["-metadata", "title=A walk", "-metadata:s:a:0", "language=ger", "-video_track_timescale", "90000"])
    }

    @Test func asset_properties_matchTheFile() async throws {
        let movies = try MadeMovies()
        let url = try Self.movie(movies)
        try await onThread {
            let asset = AVURLAsset(url: url, options: [AVURLAssetPreferPreciseDurationAndTimingKey: true])
            #expect(asset.url == url && asset.naturalSize == CGSize(width: 160, height: 120))
            #expect(asset.preferredRate == 1 && asset.preferredVolume == 1 && asset.preferredTransform == .identity)
            #expect(asset.providesPreciseDurationAndTiming && asset.isExportable && asset.isComposable)
            #expect(asset.unusedTrackID() == 3 && asset.track(withTrackID: 3) == nil)
            let titles = AVMetadataItem.metadataItems(
                from: asset.commonMetadata, filteredByIdentifier: .commonIdentifierTitle)
            #expect(titles.first?.stringValue == "A walk")
        }
        let asset = AVURLAsset(url: url)
        #expect(try await asset.findUnusedTrackID() == 3)
        #expect(try await asset.loadTrack(withTrackID: 2)?.mediaType == .audio)
        #expect(try await asset.loadTracks(withMediaCharacteristic: .visual).count == 1)
        #expect(try await asset.load(.isExportable, .naturalSize).1.height == 120)
        let ids = await withCheckedContinuation { continuation in
            asset.loadTracks(withMediaType: .video) { tracks, _ in
                continuation.resume(returning: tracks?.map(\.trackID))
            }
        }
        #expect(ids == [1])
    }

    @Test func track_properties_matchTheFile() async throws {
        let movies = try MadeMovies()
        let url = try Self.movie(movies)
        try await onThread {
            let asset = AVAsset(url: url)
            let video = try #require(asset.tracks(withMediaType: .video).first)
            #expect(video.isEnabled && video.isPlayable && video.isDecodable && video.isSelfContained)
            #expect(abs(video.timeRange.duration.seconds - 2) < 0.01 && video.timeRange.start == .zero)
            #expect(video.naturalTimeScale == 90_000)
            #expect(abs(video.minFrameDuration.seconds - 1.0 / 30) < 1e-6 && video.requiresFrameReordering)
            #expect(video.hasMediaCharacteristic(.visual) && !video.hasMediaCharacteristic(.audible))
            let stored = try #require(Double(try MadeMovies.probe(url, "v:0", "stream=bit_rate")))
            #expect(abs(Double(video.estimatedDataRate) - stored) < stored / 20)
            #expect(abs(Double(video.totalSampleDataLength) - stored / 4) < stored / 40)
            let audio = try #require(asset.tracks(withMediaType: .audio).first)
            #expect(audio.languageCode == "deu" && video.languageCode == nil)
            #expect(audio.preferredVolume == 1 && !audio.requiresFrameReordering)
            #expect(audio != video && asset.tracks(withMediaType: .audio).first == audio)
            let second = CMTime(value: 1, timescale: 1)
            #expect(video.segment(forTrackTime: second)?.timeMapping.target.containsTime(second) == true)
            #expect(video.samplePresentationTime(forTrackTime: second) == second)
        }
    }

    @Test func cancelLoading_beforeLoading_stillAllowsLoading() async throws {
        let movies = try MadeMovies()
        let asset = AVURLAsset(url: try Self.movie(movies))
        asset.cancelLoading()
        #expect(try await asset.load(.tracks).count == 2)
    }
}
