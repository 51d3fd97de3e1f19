import AVFoundation
import Foundation
import TestSupport
import Testing

@Suite struct AVAssetTests {
    @Test func synchronousPropertiesSayWhatTheFileSays() async throws {
        let movies = try MadeMovies()
        let url = try movies.movie()
        try await onThread {
            let asset = AVURLAsset(url: url)
            #expect(abs(asset.duration.seconds - 2) < 0.05)
            #expect(asset.isReadable && asset.isPlayable && !asset.hasProtectedContent)
            let video = try #require(asset.tracks(withMediaType: .video).first)
            #expect(video.naturalSize == CGSize(width: 160, height: 120))
            #expect(video.nominalFrameRate == 30 && video.preferredTransform == .identity)
            #expect(video.asset === asset && asset.track(withTrackID: video.trackID) == video)
            let formats = video.formatDescriptions.map { $0 as! CMFormatDescription }
            #expect(CMFormatDescriptionGetMediaSubType(try #require(formats.first)) == kCMVideoCodecType_H264)
            #expect(CMVideoFormatDescriptionGetDimensions(formats[0]).width == 160)
            let sound = try #require(asset.tracks(withMediaCharacteristic: .audible).first)
            let description = try #require(sound.formatDescriptions.first as? CMAudioFormatDescription)
            let stream = try #require(CMAudioFormatDescriptionGetStreamBasicDescription(description)).pointee
            #expect(stream.mSampleRate == 44_100 && stream.mChannelsPerFrame == 2)
            #expect(stream.mFormatID == kAudioFormatMPEG4AAC)
        }
    }

    @Test func propertiesLoadAndTellHowFar() async throws {
        let movies = try MadeMovies()
        let asset = AVURLAsset(url: try movies.movie())
        guard case .notYetLoaded = asset.status(of: .duration) else { return #expect(Bool(false)) }
        let (duration, tracks) = try await asset.load(.duration, .tracks)
        #expect(abs(duration.seconds - 2) < 0.05 && tracks.count == 2)
        guard case .loaded(let value) = asset.status(of: .duration) else { return #expect(Bool(false)) }
        #expect(value == duration)
        #expect(try await tracks[0].load(.naturalSize).width == 160)
        #expect(try await asset.loadTracks(withMediaType: .audio).first?.mediaType == .audio)
    }

    @Test func keysLoadWithOneCallBack() async throws {
        let movies = try MadeMovies()
        let asset = AVURLAsset(url: try movies.movie())
        await withCheckedContinuation { continuation in
            asset.loadValuesAsynchronously(forKeys: ["tracks", "duration", "nonsense"]) { continuation.resume() }
        }
        #expect(asset.statusOfValue(forKey: "tracks", error: nil) == .loaded)
        var error: NSError?
        #expect(asset.statusOfValue(forKey: "nonsense", error: &error) == .failed)
        #expect(error?.domain == AVFoundationErrorDomain)
    }

    @Test func aFileThatIsNotThereIsEmptyAndSaysWhy() async throws {
        let asset = AVURLAsset(url: URL(fileURLWithPath: "/nowhere/movie.mov"))
        let empty = try await onThread { (asset.tracks.isEmpty, asset.duration.isValid) }
        #expect(empty.0 && !empty.1)
        let error = await #expect(throws: AVError.self) { _ = try await asset.load(.tracks) }
        let bridged = try #require(error) as NSError
        #expect(bridged.domain == AVFoundationErrorDomain && bridged.code == AVError.Code.contentIsUnavailable.rawValue)
        #expect(bridged.localizedDescription.contains("/nowhere/movie.mov"))
        #expect(throws: (any Error).self) { try AVAssetReader(asset: asset) }
    }
}
