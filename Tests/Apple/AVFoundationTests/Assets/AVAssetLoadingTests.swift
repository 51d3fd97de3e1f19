import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests of loading, with and without handlers, from files with text, dates and tracks that refer to each other.
@Suite struct AVAssetLoadingTests {
    private func movie(_ movies: MadeMovies) throws -> URL {
        try movies.movie(
            "words.mp4", seconds: 1,
            ["-metadata", "lyrics=La la la", "-metadata", "creation_time=2024-05-01T10:00:00Z", "-metadata", "title=A"])
    }

    /// The value that a call passes to its handler, which must be called exactly once.
    private func answer<Value: Sendable>(
        _ call: (@escaping @Sendable (Value?, (any Error)?) -> Void) -> Void
    ) async throws -> Value? {
        try await withCheckedThrowingContinuation { continuation in
            call { value, error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: value) }
            }
        }
    }

    @Test func asset_lyricsAndDate_matchTheFile() async throws {
        let movies = try MadeMovies()
        let url = try movie(movies)
        let date = ISO8601DateFormatter().date(from: "2024-05-01T10:00:00Z")
        let asset = AVURLAsset(url: url)
        #expect(try await asset.load(.lyrics) == "La la la")
        let item = try #require(try await asset.load(.creationDate))
        #expect(item.dateValue == date && item.identifier == .commonIdentifierCreationDate)
        try await onThread {
            let asset = AVAsset(url: url)
            #expect(asset.lyrics == "La la la" && asset.creationDate?.dateValue == date)
            #expect(!asset.overallDurationHint.isValid && !asset.minimumTimeOffsetFromLive.isValid)
            #expect(!asset.canContainFragments && !asset.containsFragments && asset.trackGroups.isEmpty)
            #expect(asset.referenceRestrictions == .forbidAll && !asset.isCompatibleWithAirPlayVideo)
        }
    }

    @Test func load_eightProperties_returnsAll() async throws {
        let movies = try MadeMovies()
        let asset = AVURLAsset(url: try movie(movies))
        let (a, b, c, d, e, f, g, h) = try await asset.load(
            .duration, .tracks, .metadata, .isPlayable, .isReadable, .naturalSize, .preferredTransform, .lyrics)
        #expect(abs(a.seconds - 1) < 0.05 && b.count == 2 && !c.isEmpty && d && e && f.width == 160)
        #expect(g == .identity && h == "La la la")
        let track = try #require(b.first)
        let facts = try await track.load(
            .naturalSize, .nominalFrameRate, .timeRange, .isEnabled, .naturalTimeScale, .estimatedDataRate)
        #expect(facts.0.height == 120 && facts.1 == 30 && facts.3 && facts.4 > 0 && facts.5 > 0)
        let more = try await track.load(
            .formatDescriptions, .minFrameDuration, .requiresFrameReordering, .mediaCharacteristics, .isDecodable,
            .hasAudioSampleDependencies, .canProvideSampleCursors)
        #expect(more.0.first?.mediaSubType == .h264 && more.2 && more.3.contains(.visual) && more.4)
        #expect(!more.5 && !more.6 && !track.canProvideSampleCursors)
        let live = try await asset.load(.minimumTimeOffsetFromLive, .overallDurationHint)
        #expect(!live.0.isValid && !live.1.isValid)
    }

    @Test func load_completionHandlers_matchTheAsyncForms() async throws {
        let movies = try MadeMovies()
        let asset = AVURLAsset(url: try movie(movies))
        let one: AVAssetTrack? = try await answer { asset.loadTrack(withTrackID: 2, completionHandler: $0) }
        #expect(one?.mediaType == .audio)
        let seen: [AVAssetTrack]? = try await answer {
            asset.loadTracks(withMediaCharacteristic: .visual, completionHandler: $0)
        }
        #expect(seen?.map(\.trackID) == [1])
        let words: [AVMetadataItem]? = try await answer {
            asset.loadMetadata(for: .iTunesMetadata, completionHandler: $0)
        }
        #expect(words?.isEmpty == false)
        let groups: [AVTimedMetadataGroup]? = try await answer {
            asset.loadChapterMetadataGroups(bestMatchingPreferredLanguages: ["en"], completionHandler: $0)
        }
        #expect(groups?.isEmpty == true)
        let unused: CMPersistentTrackID? = try await answer { handler in
            asset.findUnusedTrackID { handler($0, $1) }
        }
        #expect(unused == 3)
        let track = try #require(one)
        let second = CMTime(value: 1, timescale: 2)
        let segment: AVAssetTrackSegment? = try await answer {
            track.loadSegment(forTrackTime: second, completionHandler: $0)
        }
        #expect(try await segment == track.loadSegment(forTrackTime: second) && segment?.isEmpty == false)
        let time: CMTime? = try await answer { handler in
            track.loadSamplePresentationTime(forTrackTime: second) { handler($0, $1) }
        }
        #expect(try await time == track.loadSamplePresentationTime(forTrackTime: second) && time == second)
        let none: [AVAssetTrack]? = try await answer {
            track.loadAssociatedTracks(ofType: .timecode, completionHandler: $0)
        }
        #expect(none?.isEmpty == true)
        let missing = AVURLAsset(url: URL(fileURLWithPath: "/nowhere/a.mov"))
        await #expect(throws: AVError.self) {
            let _: AVAssetTrack? = try await answer { missing.loadTrack(withTrackID: 1, completionHandler: $0) }
        }
        await #expect(throws: AVError.self) {
            let _: CMPersistentTrackID? = try await answer { handler in
                missing.findUnusedTrackID { handler($0, $1) }
            }
        }
    }

    /// A movie with two audio tracks, of which one is the fallback of the other, and a title on its first track.
    private func associated(_ movies: MadeMovies) async throws -> URL {
        let target = movies.directory.file("associated.mov")
        let writer = try AVAssetWriter(outputURL: target, fileType: .mov)
        let aac: [String: Any] = [
            AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 1,
        ]
        let inputs = [
            AVAssetWriterInput(mediaType: .audio, outputSettings: aac),
            AVAssetWriterInput(mediaType: .audio, outputSettings: aac),
        ]
        let title = AVMutableMetadataItem()
        title.identifier = .quickTimeUserDataFullName
        title.value = "First" as NSString
        inputs[0].metadata = [title]
        #expect(inputs[0].metadata == [title])
        inputs[0].addTrackAssociation(
            withTrackOf: inputs[1], type: AVAssetTrack.AssociationType.audioFallback.rawValue)
        for input in inputs { writer.add(input) }
        try writer.start()
        writer.startSession(atSourceTime: .zero)
        var pcm = AudioStreamBasicDescription()
        (pcm.mSampleRate, pcm.mFormatID, pcm.mChannelsPerFrame) = (48_000, kAudioFormatLinearPCM, 1)
        (pcm.mBitsPerChannel, pcm.mBytesPerFrame, pcm.mBytesPerPacket, pcm.mFramesPerPacket) = (16, 2, 2, 1)
        pcm.mFormatFlags = kAudioFormatFlagIsSignedInteger | kAudioFormatFlagIsPacked
        for input in inputs {
            let sample = try CMSampleBuffer(
                dataBuffer: try CMBlockBuffer(length: 9600),
                formatDescription: CMFormatDescription(audioStreamBasicDescription: pcm), numSamples: 4800,
                presentationTimeStamp: .zero, packetDescriptions: [])
            try await waitUntil { input.isReadyForMoreMediaData }
            #expect(input.append(sample))
            input.markAsFinished()
        }
        await writer.finishWriting()
        #expect(writer.status == .completed, "\(String(describing: writer.error))")
        return target
    }

    @Test func track_associationsAndMetadata_areItsOwn() async throws {
        let movies = try MadeMovies()
        let url = try await associated(movies)
        let asset = AVURLAsset(url: url)
        let tracks = try await asset.load(.tracks)
        try #require(tracks.count == 2)
        #expect(tracks[0].availableTrackAssociationTypes == [AVAssetTrack.AssociationType.audioFallback.rawValue])
        #expect(try await tracks[0].load(.availableTrackAssociationTypes) == [.audioFallback])
        #expect(tracks[0].associatedTracks(ofType: .audioFallback) == [tracks[1]])
        #expect(try await tracks[0].loadAssociatedTracks(ofType: .audioFallback) == [tracks[1]])
        #expect(tracks[1].associatedTracks(ofType: .audioFallback).isEmpty)
        // The writer dates the header of each track; no date was set as metadata.
        #expect(!tracks[0].metadata.contains { $0.identifier == .quickTimeMetadataCreationDate })
        #expect(try await tracks[0].load(.metadata).count == tracks[0].metadata.count)
        // Only in the first track's atom.
        let file = try AtomLister(url)
        let holders = file.all("moov/trak").map { Data(file.bytes[$0.payload]).range(of: Data("First".utf8)) != nil }
        #expect(holders == [true, false])
    }

    @Test func trackMetadata_titledTrack_isTheSameInEveryForm() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let asset = AVURLAsset(url: try movies.movie("titled.mkv", seconds: 1, ["-metadata:s:a", "title=First"]))
        let track = try #require(try await asset.loadTracks(withMediaType: .audio).first)
        let words = track.metadata
        #expect(words.contains { $0.stringValue == "First" }, "\(words)")
        #expect(try await track.load(.metadata).count == words.count)
        let formats = track.availableMetadataFormats
        #expect(try await track.load(.availableMetadataFormats) == formats)
        #expect(!formats.isEmpty)
        for format in formats {
            #expect(try await track.loadMetadata(for: format).count == track.metadata(forFormat: format).count)
            let answered: [AVMetadataItem]? = try await answer {
                track.loadMetadata(for: format, completionHandler: $0)
            }
            #expect(answered?.isEmpty == false)
        }
        #expect(track.metadata(forFormat: .id3Metadata).isEmpty)
        let common = track.commonMetadata
        #expect(try await track.load(.commonMetadata).count == common.count)
        #expect(common.contains { $0.identifier == .commonIdentifierTitle && $0.stringValue == "First" })
    }

    @Test func compatibleTrack_sameFormat_isFound() async throws {
        let movies = try MadeMovies()
        let (first, other) = (
            AVURLAsset(url: try movies.movie(seconds: 1)),
            AVURLAsset(url: try movies.movie("small.mov", seconds: 1, ["-s", "80x60"]))
        )
        let composition = AVMutableComposition()
        let track = try #require(composition.addMutableTrack(withMediaType: .video, preferredTrackID: 0))
        let source = try #require(try await first.loadTracks(withMediaType: .video).first)
        try track.insertTimeRange(
            CMTimeRange(start: .zero, duration: CMTime(value: 1, timescale: 1)), of: source, at: .zero)
        let found = try await onThread { (first.compatibleTrack(for: track), other.compatibleTrack(for: track)) }
        #expect(found.0 == source && found.1 == nil)
        #expect(try await first.findCompatibleTrack(for: track) == source)
        let answered: AVAssetTrack? = try await answer { first.findCompatibleTrack(for: track, completionHandler: $0) }
        #expect(answered == source)
    }

    @Test func asset_supportedTypes_includeMovies() {
        #expect(AVURLAsset.audiovisualTypes().contains(.mov) && AVURLAsset.audiovisualMIMETypes().contains("video/mp4"))
        #expect(AVURLAsset.isPlayableExtendedMIMEType("video/mp4; codecs=\"avc1.42E01E\""))
        #expect(!AVURLAsset.isPlayableExtendedMIMEType("text/plain"))
    }

    @Test func asset_otherObjects_equalsOnlyItself() {
        let url = URL(fileURLWithPath: "/a.mov")
        let (asset, other) = (AVURLAsset(url: url), AVAsset(url: url))
        #expect(asset.isEqual(asset) && !asset.isEqual(other) && !asset.isEqual(nil))
        #expect(other is AVURLAsset)
    }
}
