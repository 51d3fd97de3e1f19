import AVFoundation
import Foundation
import TestSupport
import Testing

@Suite struct AVAssetTests {
    @Test func asset_synchronousProperties_matchTheFile() async throws {
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
            let audio = try #require(asset.tracks(withMediaCharacteristic: .audible).first)
            let description = try #require(audio.formatDescriptions.first as? CMAudioFormatDescription)
            let stream = try #require(CMAudioFormatDescriptionGetStreamBasicDescription(description)).pointee
            #expect(stream.mSampleRate == 44_100 && stream.mChannelsPerFrame == 2)
            #expect(stream.mFormatID == kAudioFormatMPEG4AAC)
        }
    }

    @Test func asset_fromURL_isURLAsset() throws {
        let url = URL(fileURLWithPath: "/nowhere/movie.mov")
        let asset = AVAsset(url: url)
        #expect((asset as? AVURLAsset)?.url == url && (AVURLAsset(url: url) as AVAsset) is AVURLAsset)
        #expect(!((AVMutableComposition() as AVAsset) is AVURLAsset))
    }

    @Test func copy_asset_hasTheSameTracks() async throws {
        let movies = try MadeMovies()
        let url = try movies.movie()
        try await onThread {
            let asset = AVURLAsset(url: url)
            let copy = try #require(asset.copy() as? AVURLAsset)
            #expect(copy.url == url && copy == asset && copy.tracks == asset.tracks)
            // A reader of the asset reads the copy's tracks.
            let reader = try AVAssetReader(asset: asset)
            let track = try #require(copy.tracks(withMediaType: .video).first)
            #expect(reader.canAdd(AVAssetReaderTrackOutput(track: track, outputSettings: nil)))
            let generic = try #require((asset as AVAsset).copy(with: nil) as? AVAsset)
            #expect(generic == asset)
            let composition: AVAsset = AVMutableComposition()
            #expect(composition.copy(with: nil) is AVComposition && !(composition.copy() is AVMutableComposition))
        }
    }

    /// Duplicates the only entry of the first track's sample description table; the header is stored after the media.
    private func addDescription(to url: URL) throws {
        var bytes = [UInt8](try Data(contentsOf: url))
        func number(_ at: Int) -> Int { bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
        func set(_ value: Int, at place: Int) {
            for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * index)) }
        }
        var (path, place, end): ([Int], Int, Int) = ([], 0, bytes.count)
        for type in ["moov", "trak", "mdia", "minf", "stbl", "stsd"] {
            while place < end, bytes[place + 4..<place + 8].elementsEqual(type.utf8) == false { place += number(place) }
            try #require(place < end, "\(type)")
            path.append(place)
            (place, end) = (place + 8, place + number(place))
        }
        let entry = bytes[place + 8..<end]
        set(2, at: place + 4)
        for atom in path { set(number(atom) + entry.count, at: atom) }
        bytes.insert(contentsOf: entry, at: end)
        try Data(bytes).write(to: url)
    }

    @Test func formatDescriptions_trackWithTwo_returnsBoth() async throws {
        let movies = try MadeMovies()
        let url = movies.directory.file("two.mov")
        try FileManager.default.copyItem(at: try movies.movie(), to: url)
        try addDescription(to: url)
        try await onThread {
            let track = try #require(AVURLAsset(url: url).tracks(withMediaType: .video).first)
            let formats = track.formatDescriptions.map { $0 as! CMFormatDescription }
            #expect(formats.count == 2)
            #expect(formats.allSatisfy { CMFormatDescriptionGetMediaSubType($0) == kCMVideoCodecType_H264 })
        }
        let track = try #require(try await AVURLAsset(url: url).loadTracks(withMediaType: .video).first)
        #expect(try await track.load(.formatDescriptions).count == 2)
    }

    @Test func status_afterSynchronousRead_isLoaded() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let url = try movies.movie()
        try await onThread {
            let asset = AVURLAsset(url: url)
            for key in ["duration", "tracks", "naturalSize", "metadata", "readable", "availableChapterLocales"] {
                #expect(asset.statusOfValue(forKey: key, error: nil) == .unknown, "\(key)")
            }
            _ = (asset.duration, asset.tracks, asset.naturalSize, asset.metadata, asset.isReadable)
            _ = asset.availableChapterLocales
            for key in [
                "duration", "tracks", "naturalSize", "metadata", "readable", "isReadable", "availableChapterLocales",
                "preferredRate",
            ] {
                #expect(asset.statusOfValue(forKey: key, error: nil) == .loaded, "\(key)")
            }
            #expect(asset.statusOfValue(forKey: "playable", error: nil) == .unknown)
            guard case .loaded(let duration) = asset.status(of: .duration) else { return #expect(Bool(false)) }
            #expect(duration == asset.duration)
            let track = try #require(asset.tracks.first)
            #expect(track.statusOfValue(forKey: "naturalSize", error: nil) == .loaded)
            #expect(track.statusOfValue(forKey: "nonsense", error: nil) == .unknown)
            let missing = AVURLAsset(url: URL(fileURLWithPath: "/nowhere/movie.mov"))
            var error: NSError?
            #expect(missing.tracks.isEmpty && missing.statusOfValue(forKey: "tracks", error: &error) == .failed)
            #expect(error?.code == AVError.Code.contentIsUnavailable.rawValue)
        }
    }

    @Test func loadingValues_alreadyLoaded_callsTheHandlerAtOnce() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let url = try movies.movie()
        try await onThread {
            let asset = AVURLAsset(url: url)
            asset.loadValuesAsynchronously(forKeys: ["duration"])
            let ends = eventually { asset.statusOfValue(forKey: "duration", error: nil) == .loaded }
            #expect(ends)
            // Everything is loaded, so the handler runs on this thread, within the call.
            nonisolated(unsafe) var calls = 0
            asset.loadValuesAsynchronously(forKeys: ["duration"]) { calls += 1 }
            #expect(calls == 1)
        }
    }

    @Test func trackMetadata_onlyMovieHasADate_isEmpty() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let url = try movies.movie("dated.mov", seconds: 1, ["-metadata", "creation_time=2020-01-02T03:04:05Z"])
        try await onThread {
            let asset = AVURLAsset(url: url)
            #expect(asset.creationDate != nil && asset.tracks.count == 2)
            #expect(asset.tracks.allSatisfy { $0.metadata.isEmpty })
        }
    }

    @Test func load_properties_updatesTheirStatus() async throws {
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

    @Test func loadValues_severalKeys_callsTheHandlerOnce() async throws {
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

    @Test func asset_missingFile_isEmptyAndReportsWhy() async throws {
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
