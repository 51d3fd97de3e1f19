import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests that exported compositions show and play what was composed.
@Suite struct AVMutableCompositionTests {
    @Test func guideListing_twoMovies_exportsOneAfterTheOther() async throws {
        let judge = try CompositionJudge()
        let (first, second) = (try judge.movie("a.mov", gray: 60), try judge.movie("b.mov", gray: 180, tone: 880))
        let target = judge.file("out.mov")
        let composition = AVMutableComposition()
        let video = try #require(
            composition.addMutableTrack(withMediaType: .video, preferredTrackID: kCMPersistentTrackID_Invalid))
        let audio = try #require(
            composition.addMutableTrack(withMediaType: .audio, preferredTrackID: kCMPersistentTrackID_Invalid))
        for url in [first, second] {
            let asset = AVURLAsset(url: url)
            let (tracks, duration) = try await asset.load(.tracks, .duration)
            let frames = try #require(tracks.first { $0.mediaType == .video })
            let tones = try #require(tracks.first { $0.mediaType == .audio })
            let end = composition.duration
            try video.insertTimeRange(CMTimeRange(start: .zero, duration: duration), of: frames, at: end)
            try audio.insertTimeRange(CMTimeRange(start: .zero, duration: duration), of: tones, at: end)
        }
        #expect(composition.duration.seconds == 2)
        #expect(try await composition.load(.duration).seconds == 2)
        let session = try await CompositionJudge.export(composition, to: target)
        #expect(session.status == .completed && session.error == nil)
        let probe = try Probe(target.path, decodes: true)
        #expect(probe.video?.frames == 60 && abs(probe.format.seconds - 2) < 0.03)
        let brightness = try Probe.brightness(target.path)
        #expect(brightness[10] < 100 && brightness[50] > 150)
        let heard = try CompositionJudge.audio(target)
        #expect(abs(CompositionJudge.frequency(heard[4_000..<40_000]) - 440) < 5)
        #expect(abs(CompositionJudge.frequency(heard[48_200..<84_200]) - 880) < 5)
    }

    /// A composition with an initializer of its own, as programs write them for Apple's.
    private final class TitledComposition: AVMutableComposition, @unchecked Sendable {
        // Unchecked: constant.
        let title: String

        init(title: String) {
            self.title = title
            super.init()
        }
    }

    @Test func subclass_ownInitializer_startsEmptyAndTakesTracks() throws {
        let composition = TitledComposition(title: "clip")
        #expect(composition.tracks.isEmpty && composition.urlAssetInitializationOptions.isEmpty)
        let video = try #require(composition.addMutableTrack(withMediaType: .video, preferredTrackID: 3))
        #expect(composition.tracks.map(\.trackID) == [3] && video.asset === composition && composition.title == "clip")
        #expect(AVMutableComposition(urlAssetInitializationOptions: ["a": 1]).urlAssetInitializationOptions.count == 1)
    }

    @Test func tracks_areTheSameMutableObjectsEachTime() throws {
        let composition = AVMutableComposition()
        let video = try #require(composition.addMutableTrack(withMediaType: .video, preferredTrackID: 7))
        let taken = try #require(composition.addMutableTrack(withMediaType: .audio, preferredTrackID: 7))
        let free = try #require(
            composition.addMutableTrack(withMediaType: .audio, preferredTrackID: kCMPersistentTrackID_Invalid))
        #expect(video.trackID == 7 && taken.trackID != 7 && Set([7, taken.trackID, free.trackID]).count == 3)
        #expect(composition.addMutableTrack(withMediaType: .text, preferredTrackID: 0) == nil)
        let mutable: [AVMutableCompositionTrack] = composition.tracks
        let plain: [AVAssetTrack] = (composition as AVAsset).tracks
        #expect(mutable.count == 3 && plain.count == 3 && mutable[0] === video && plain[0] === video)
        #expect(composition.tracks(withMediaType: .audio).map(\.trackID) == [taken.trackID, free.trackID])
        #expect(composition.track(withTrackID: 7) === video && composition.track(withTrackID: 99) == nil)
        #expect(video.asset === composition && video.mediaType == .video && video.segments.isEmpty)
        #expect(composition.unusedTrackID() > 7)
        composition.removeTrack(taken)
        #expect(composition.tracks.map(\.trackID) == [7, free.trackID])
        // A track of another composition is not removed.
        AVMutableComposition().removeTrack(video)
        #expect(composition.tracks.count == 2)
    }

    @Test func insert_inTheMiddle_movesTheRestAndSegmentsNameTheSource() async throws {
        let judge = try CompositionJudge()
        let (first, second) = (try judge.movie("a.mov", gray: 60), try judge.movie("b.mov", gray: 180))
        let (one, other) = (AVURLAsset(url: first), AVURLAsset(url: second))
        let a = try #require(try await one.loadTracks(withMediaType: .video).first)
        let b = try #require(try await other.loadTracks(withMediaType: .video).first)
        let composition = AVMutableComposition()
        let track = try #require(composition.addMutableTrack(withMediaType: .video, preferredTrackID: 0))
        try track.insertTimeRange(range(0, 1), of: a, at: .zero)
        try track.insertTimeRange(range(0.5, 1), of: b, at: seconds(0.5))
        track.insertEmptyTimeRange(range(0.25, 0.5))
        let segments = try #require(track.segments)
        #expect(segments.map(\.isEmpty) == [false, true, false, false, false])
        #expect(segments.map { $0.timeMapping.target.start.seconds } == [0, 0.25, 0.5, 0.75, 1.25])
        #expect(segments[3].sourceURL == second && segments[3].timeMapping.source == range(0.5, 1))
        #expect(segments[3].sourceTrackID == b.trackID && segments[1].sourceTrackID == kCMPersistentTrackID_Invalid)
        #expect(track.segment(forTrackTime: seconds(0.3))?.isEmpty == true)
        #expect(track.samplePresentationTime(forTrackTime: seconds(1)).seconds == 0.75)
        #expect(track.timeRange == range(0, 1.75))
        track.removeTimeRange(range(0.25, 0.75))
        #expect(track.timeRange == range(0, 1.25) && track.segments.count == 3)
        let target = judge.file("out.mov")
        #expect(try await CompositionJudge.export(composition, to: target).status == .completed)
        let brightness = try Probe.brightness(target.path)
        #expect(brightness.count == 38 || brightness.count == 37)
        #expect(brightness[3] < 100 && brightness[14] > 150 && brightness[30] < 100)
    }

    @Test func insert_entireAsset_keepsAllTracksAndTransforms() async throws {
        let judge = try CompositionJudge()
        let movie = try judge.turned(try judge.movie("a.mov", gray: 60))
        let asset = AVURLAsset(url: movie)
        let composition = AVMutableComposition()
        try await composition.insertTimeRange(range(0, 1), of: asset, at: .zero)
        #expect(composition.tracks.map(\.mediaType) == [.video, .audio])
        let track = try #require(composition.tracks(withMediaType: .video).first)
        #expect(track.preferredTransform == asset.tracks(withMediaType: .video).first?.preferredTransform)
        #expect(!track.preferredTransform.isIdentity && track.naturalSize == CGSize(width: 96, height: 64))
        try await onThread { try composition.insertTimeRange(range(0.5, 1), of: asset, at: .invalid) }
        #expect(composition.duration.seconds == 1.5 && composition.tracks.count == 2)
        composition.removeTimeRange(range(0, 0.5))
        composition.insertEmptyTimeRange(range(0.25, 0.5))
        #expect(composition.duration.seconds == 1.25)
        let gate = Gate()
        composition.insertTimeRange(range(0, 1), of: asset, at: .zero) { error in
            #expect(error == nil)
            gate.open()
        }
        #expect(try await onThread { gate.wait() })
        #expect(composition.duration.seconds == 2.25)
        #expect(throws: (any Error).self) { try composition.insertTimeRange(range(3, 4), of: asset, at: .zero) }
        #expect(composition.duration.seconds == 2.25)
    }

    @Test(arguments: [2.0, 0.5]) func scale_entireRange_changesVideoAndAudioSpeed(factor: Double) async throws {
        let judge = try CompositionJudge()
        let movie = try judge.movie("a.mov", gray: 60)
        let composition = AVMutableComposition()
        try await composition.insertTimeRange(range(0, 1), of: AVURLAsset(url: movie), at: .zero)
        composition.scaleTimeRange(range(0, 1), toDuration: seconds(factor))
        #expect(composition.duration.seconds == factor)
        let mapping = try #require(composition.tracks.first?.segments.first?.timeMapping)
        #expect(mapping.source == range(0, 1) && mapping.target == range(0, factor))
        let target = judge.file("out.mov")
        let session = try await CompositionJudge.export(composition, to: target)
        #expect(session.status == .completed, "\(String(describing: session.error))")
        let times = try Probe.frameTimes(target.path)
        #expect(times.count == 30 && abs((times.last ?? 0) - 29.0 / 30 * factor) < 0.005)
        #expect(abs(try Probe(target.path).format.seconds - factor) < 0.05)
        let heard = try CompositionJudge.audio(target)
        #expect(abs(Double(heard.count) / 44_100 - factor) < 0.05)
        let middle = heard[heard.count / 4..<heard.count * 3 / 4]
        #expect(abs(CompositionJudge.frequency(middle) - 440 / factor) < 8 / factor)
    }

    @Test func scale_partOfATrack_canBeReverted() async throws {
        let judge = try CompositionJudge()
        let asset = AVURLAsset(url: try judge.movie("a.mov", gray: 60))
        let source = try #require(try await asset.loadTracks(withMediaType: .video).first)
        let composition = AVMutableComposition()
        let track = try #require(composition.addMutableTrack(withMediaType: .video, preferredTrackID: 0))
        try track.insertTimeRange(range(0, 1), of: source, at: .zero)
        track.scaleTimeRange(range(0.5, 1), toDuration: seconds(2))
        #expect(track.timeRange == range(0, 2.5))
        #expect(track.samplePresentationTime(forTrackTime: seconds(1.5)).seconds == 0.75)
        track.scaleTimeRange(range(0.5, 2.5), toDuration: seconds(0.5))
        #expect(track.timeRange == range(0, 1) && track.segments.count == 1)
    }

    @Test func insert_rangeLongerThanTheTrack_endsWithIt() async throws {
        let judge = try CompositionJudge()
        let asset = AVURLAsset(url: try judge.movie("a.mov", gray: 60))
        let source = try #require(try await asset.loadTracks(withMediaType: .video).first)
        let composition = AVMutableComposition()
        let track = try #require(composition.addMutableTrack(withMediaType: .video, preferredTrackID: 0))
        try track.insertTimeRange(range(0, 5), of: source, at: .zero)
        #expect(track.timeRange == range(0, 1))
        // Missing media in the middle becomes a gap.
        try track.insertTimeRange(range(0.5, 1.5), of: source, at: seconds(0.5))
        #expect(track.timeRange == range(0, 2))
        #expect(track.segments.contains { $0.isEmpty && $0.timeMapping.target == range(1, 1.5) })
    }

    @Test func track_assetReleased_remainsUsable() throws {
        let judge = try CompositionJudge()
        let url = try judge.movie("a.mov", gray: 60)
        let source = try #require(AVURLAsset(url: url).tracks(withMediaType: .video).first)
        let composition = AVMutableComposition()
        let track = try #require(composition.addMutableTrack(withMediaType: .video, preferredTrackID: 0))
        try track.insertTimeRange(range(0, 1), of: source, at: .zero)
        #expect(track.timeRange == range(0, 1) && track.segments.first?.sourceURL == url)
    }

    @Test func segments_invalid_areRefusedAndValidAreSet() async throws {
        let judge = try CompositionJudge()
        let url = try judge.movie("a.mov", gray: 60)
        let asset = AVURLAsset(url: url)
        let id = try #require(try await asset.loadTracks(withMediaType: .video).first).trackID
        let composition = AVMutableComposition()
        let track = try #require(composition.addMutableTrack(withMediaType: .video, preferredTrackID: 0))
        func media(_ source: CMTimeRange, _ target: CMTimeRange) -> AVCompositionTrackSegment {
            AVCompositionTrackSegment(url: url, trackID: id, sourceTimeRange: source, targetTimeRange: target)
        }
        let good = [
            media(range(0.5, 1), range(0, 0.5)), AVCompositionTrackSegment(timeRange: range(0.5, 1)),
            media(range(0, 0.5), range(1, 2)),
        ]
        try track.validateSegments(good)
        track.segments = good
        #expect(track.timeRange == range(0, 2) && track.segments == good)
        let cases: [([AVCompositionTrackSegment], AVError.Code)] = [
            ([media(range(0, 1), range(0.5, 1))], .compositionTrackSegmentsNotContiguous),
            ([media(range(0, 1), range(0, 0))], .invalidCompositionTrackSegmentDuration),
            ([media(range(-1, 1), range(0, 1))], .invalidCompositionTrackSegmentSourceStartTime),
            ([media(range(0, 0), range(0, 1))], .invalidCompositionTrackSegmentSourceDuration),
        ]
        for (segments, code) in cases {
            let error = #expect(throws: AVError.self) { try track.validateSegments(segments) }
            #expect(error?.code == code)
            track.segments = segments
            #expect(track.segments == good)
        }
    }

    @Test func insertTimeRanges_startIsInvalid_insertsAGap() async throws {
        let judge = try CompositionJudge()
        let asset = AVURLAsset(url: try judge.movie("a.mov", gray: 60))
        let source = try #require(try await asset.loadTracks(withMediaType: .video).first)
        let composition = AVMutableComposition()
        let track = try #require(composition.addMutableTrack(withMediaType: .video, preferredTrackID: 0))
        let gap = CMTimeRange(start: .invalid, duration: seconds(0.5))
        let ranges = [range(0, 0.5), gap, range(0.25, 0.75), gap].map(NSValue.init(timeRange:))
        let sources = Array(repeating: source, count: 4)
        try track.insertTimeRanges(ranges, of: sources, at: .invalid)
        // A track ends with media.
        let first = try #require(track.segments)
        #expect(first.map(\.isEmpty) == [false, true, false] && track.timeRange == range(0, 1.5))
        try track.insertTimeRanges(ranges, of: sources, at: .zero)
        let both = try #require(track.segments)
        #expect(both.map(\.isEmpty) == [false, true, false, true, false, true, false])
        #expect(track.timeRange == range(0, 3.5))
        #expect(throws: AVError.self) {
            try track.insertTimeRanges([NSValue(timeRange: .invalid)], of: [source], at: .zero)
        }
    }

    @Test func insertTimeRanges_oneInvalid_insertsNone() async throws {
        let judge = try CompositionJudge()
        let asset = AVURLAsset(url: try judge.movie("a.mov", gray: 60))
        let source = try #require(try await asset.loadTracks(withMediaType: .video).first)
        let composition = AVMutableComposition()
        let track = try #require(composition.addMutableTrack(withMediaType: .video, preferredTrackID: 0))
        let ranges = [range(0, 0.5), range(0.25, 0.75)].map(NSValue.init(timeRange:))
        try track.insertTimeRanges(ranges, of: [source, source], at: .zero)
        #expect(track.timeRange == range(0, 1))
        #expect(throws: AVError.self) { try track.insertTimeRanges(ranges, of: [source], at: .zero) }
        #expect(throws: AVError.self) {
            try track.insertTimeRanges([ranges[0], NSValue(timeRange: range(7, 8))], of: [source, source], at: .zero)
        }
        #expect(track.timeRange == range(0, 1))
    }

    @Test func export_trackProperties_areWrittenToTheFile() async throws {
        let judge = try CompositionJudge()
        let asset = AVURLAsset(url: try judge.movie("a.mov", gray: 60))
        let composition = AVMutableComposition()
        try await composition.insertTimeRange(range(0, 1), of: asset, at: .zero)
        let (video, audio) = (composition.tracks[0], composition.tracks[1])
        video.preferredTransform = CGAffineTransform(rotationAngle: .pi / 2)
        audio.languageCode = "deu"
        audio.extendedLanguageTag = "de-CH"
        audio.preferredVolume = 0.5
        video.naturalTimeScale = 600
        #expect(audio.languageCode == "deu" && audio.preferredVolume == 0.5 && video.naturalTimeScale == 600)
        let target = judge.file("out.mov")
        #expect(
            try await CompositionJudge.export(composition, to: target, preset: AVAssetExportPresetPassthrough).status
                == .completed)
        #expect(
            try Probe(target.path).audio?.tags?["language"] == "ger"
                || Probe(target.path).audio?.tags?["language"] == "deu")
        let tag = try await onThread { AVAsset(url: target).tracks(withMediaType: .audio).first?.extendedLanguageTag }
        #expect(tag == "de-CH")
        let side = try Probe.ask(target.path, "stream_side_data=rotation", of: "v:0").text
        #expect(side.contains("-90") || side.contains("90"))
        // A disabled track is not shown.
        audio.isEnabled = false
        #expect(!audio.isEnabled && !composition.tracks[1].isEnabled)
    }

    @Test func copy_originalChanges_isUnaffected() async throws {
        let judge = try CompositionJudge()
        let asset = AVURLAsset(url: try judge.movie("a.mov", gray: 60))
        let composition = AVMutableComposition()
        try await composition.insertTimeRange(range(0, 1), of: asset, at: .zero)
        composition.naturalSize = CGSize(width: 10, height: 20)
        let copy = try #require(composition.copy() as? AVComposition)
        let mutable = try #require(composition.mutableCopy() as? AVMutableComposition)
        composition.removeTimeRange(range(0, 0.5))
        mutable.removeTimeRange(range(0, 0.25))
        #expect(copy.duration.seconds == 1 && composition.duration.seconds == 0.5 && mutable.duration.seconds == 0.75)
        let frozen: [AVCompositionTrack] = copy.tracks
        #expect(
            !(copy is AVMutableComposition) && frozen.count == 2 && copy.naturalSize == CGSize(width: 10, height: 20))
    }

    @Test func composition_invalidRangeOrTrack_isUnchanged() async throws {
        let judge = try CompositionJudge()
        let asset = AVURLAsset(url: try judge.movie("a.mov", gray: 60))
        let tracks = try await asset.load(.tracks)
        let composition = AVMutableComposition()
        let video = try #require(composition.addMutableTrack(withMediaType: .video, preferredTrackID: 0))
        for bad in [CMTimeRange.invalid, .zero, range(-1, 1), CMTimeRange(start: .indefinite, duration: .zero)] {
            #expect(throws: AVError.self) { try video.insertTimeRange(bad, of: tracks[0], at: .zero) }
            composition.insertEmptyTimeRange(bad)
            composition.removeTimeRange(bad)
            composition.scaleTimeRange(bad, toDuration: seconds(1))
            video.scaleTimeRange(bad, toDuration: .positiveInfinity)
        }
        // Audio cannot be inserted into a video track, and an empty track has nothing to insert.
        #expect(throws: AVError.self) { try video.insertTimeRange(range(0, 1), of: tracks[1], at: .zero) }
        #expect(throws: AVError.self) { try video.insertTimeRange(range(0, 1), of: video, at: .zero) }
        #expect(composition.duration == .zero && video.timeRange.duration == .zero)
        composition.removeTrack(video)
        let error = #expect(throws: AVError.self) { try video.insertTimeRange(range(0, 1), of: tracks[0], at: .zero) }
        #expect((error as NSError?)?.domain == AVFoundationErrorDomain)
        #expect(composition.mutableTrack(compatibleWith: tracks[0]) == nil)
    }

    @Test func compatibleTrack_hasTheSameFormat() async throws {
        let judge = try CompositionJudge()
        let (a, b) = (try judge.movie("a.mov", gray: 60), try judge.movies.movie("b.mov", seconds: 1))
        let (one, other) = (AVURLAsset(url: a), AVURLAsset(url: b))
        let small = try #require(try await one.loadTracks(withMediaType: .video).first)
        let large = try #require(try await other.loadTracks(withMediaType: .video).first)
        let composition = AVMutableComposition()
        for source in [small, large] {
            let track = composition.addMutableTrack(withMediaType: .video, preferredTrackID: 0)
            try track?.insertTimeRange(range(0, 0.5), of: source, at: .zero)
        }
        #expect(composition.mutableTrack(compatibleWith: large) === composition.tracks[1])
        #expect(composition.mutableTrack(compatibleWith: small) === composition.tracks[0])
    }

    @Test func loadTracks_returnsMutableTracksOfTheRequestedKind() async throws {
        let judge = try CompositionJudge()
        let composition = AVMutableComposition(urlAssetInitializationOptions: ["x": 1])
        #expect(composition.urlAssetInitializationOptions.count == 1)
        try await composition.insertTimeRange(
            range(0, 1), of: AVURLAsset(url: try judge.movie("a.mov", gray: 60)), at: .zero)
        let videos: [AVMutableCompositionTrack] = try await composition.loadTracks(withMediaType: .video)
        let audible: [AVMutableCompositionTrack] = try await composition.loadTracks(withMediaCharacteristic: .audible)
        let first: AVMutableCompositionTrack? = try await composition.loadTrack(withTrackID: videos[0].trackID)
        #expect(videos.count == 1 && audible.count == 1 && first === videos[0])
        #expect(composition.tracks(withMediaCharacteristic: .visual).map(\.mediaType) == [.video])
        videos[0].addTrackAssociation(to: audible[0], type: .audioFallback)
        #expect(videos[0].associatedTracks(ofType: .audioFallback).map(\.trackID) == [audible[0].trackID])
        #expect(videos[0].availableTrackAssociationTypes == ["fall"])
        videos[0].removeTrackAssociation(to: audible[0], type: .audioFallback)
        #expect(videos[0].associatedTracks(ofType: .audioFallback).isEmpty)
    }
}
