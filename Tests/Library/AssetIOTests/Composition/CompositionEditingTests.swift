import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of how editing changes the segments, before anything is read.
@Suite struct CompositionEditingTests {
    private typealias Fixture = CompositionFixture

    /// The segments of a track as start, end and source start, in tenths of a second; −1 for a gap.
    private func tenths(_ composition: Composition, _ id: Int) -> [[Int64]] {
        (composition.track(withID: id)?.segments ?? []).map { segment in
            [
                segment.timeRange.start.ticks(in: 10), segment.timeRange.end.ticks(in: 10),
                segment.source?.timeRange.start.ticks(in: 10) ?? -1,
            ]
        }
    }

    private func tenths(_ start: Int64, _ end: Int64) -> TimeRange { Fixture.range(start, end, 10) }

    @Test func composition_insertion_movesLaterSegments() async throws {
        let fixture = try CompositionFixture()
        let asset = try fixture.silentMovie("movie.mov")
        let track = try #require(try await asset.tracks(withMediaType: .video).first)
        var composition = Composition()
        let id = try composition.addTrack(mediaType: .video)
        try composition.insertTimeRange(tenths(0, 4), of: track, from: asset, at: .zero, into: id)
        try composition.insertTimeRange(tenths(6, 8), of: track, from: asset, at: Fixture.time(1, 10), into: id)
        #expect(tenths(composition, id) == [[0, 1, 0], [1, 3, 6], [3, 6, 1]])
        // An insertion past the end creates a gap first; an infinite range ends where the track ends.
        try composition.insertTimeRange(
            TimeRange(start: Fixture.time(9, 10), duration: .positiveInfinity), of: track, from: asset,
            at: Fixture.time(8, 10), into: id)
        #expect(tenths(composition, id) == [[0, 1, 0], [1, 3, 6], [3, 6, 1], [6, 8, -1], [8, 9, 9]])
        #expect(composition.duration == Fixture.time(9, 10))

        // A copy is edited independently.
        let copy = composition
        try composition.removeTimeRange(tenths(1, 3))
        #expect(tenths(composition, id) == [[0, 4, 0], [4, 6, -1], [6, 7, 9]])
        #expect(tenths(copy, id).count == 5)

        try composition.insertEmptyTimeRange(tenths(2, 4))
        #expect(tenths(composition, id) == [[0, 2, 0], [2, 4, -1], [4, 6, 2], [6, 8, -1], [8, 9, 9]])
        try composition.removeTimeRange(TimeRange(start: Fixture.time(5, 10), duration: .positiveInfinity), from: id)
        #expect(tenths(composition, id) == [[0, 2, 0], [2, 4, -1], [4, 5, 2]])
        // A track always ends with media, never with a gap.
        try composition.insertEmptyTimeRange(tenths(5, 7), into: id)
        try composition.removeTimeRange(tenths(4, 5), from: id)
        #expect(tenths(composition, id) == [[0, 2, 0]])
    }

    @Test func composition_assetInserted_movesEveryTrackAndAddsChapters() async throws {
        let fixture = try CompositionFixture()
        let movie = try fixture.movie("movie.mov")
        let silent = try fixture.silentMovie("silent.mov")
        var composition = Composition()
        try await composition.insertTimeRange(Fixture.everything, of: movie, at: .zero)
        composition.chapters = [
            AssetChapter(timeRange: tenths(0, 4), title: "One"), AssetChapter(timeRange: tenths(4, 10), title: "Two"),
        ]
        try await composition.insertTimeRange(tenths(2, 5), of: silent, at: Fixture.time(6, 10))
        #expect(composition.tracks.map(\.mediaType) == [.video, .audio])
        #expect(tenths(composition, 1) == [[0, 6, 0], [6, 9, 2], [9, 13, 6]])
        #expect(tenths(composition, 2) == [[0, 6, 0], [6, 9, -1], [9, 13, 6]])
        #expect(composition.chapters.map(\.timeRange) == [tenths(0, 4), tenths(4, 13)])

        var other = Composition()
        try await other.insertTimeRange(Fixture.everything, of: Asset(composition), at: .zero)
        try await other.insertTimeRange(tenths(3, 5), of: Asset(composition), at: Fixture.time(8, 10))
        #expect(other.chapters.map(\.title) == ["One", "Two", "One", "Two", "Two"])
        #expect(
            other.chapters.map(\.timeRange) == [
                tenths(0, 4), tenths(4, 8), tenths(8, 9), tenths(9, 10), tenths(10, 15),
            ])
        try other.removeTimeRange(tenths(2, 9))
        #expect(other.chapters.map(\.timeRange) == [tenths(0, 2), tenths(2, 3), tenths(3, 8)])
    }

    @Test func composition_invalidCalls_throwAndChangeNothing() async throws {
        let fixture = try CompositionFixture()
        let asset = try fixture.movie("movie.mov")
        let tracks = try await asset.load(.tracks)
        let (video, audio) = (tracks[0], tracks[1])
        var composition = Composition()
        #expect(code { try composition.addTrack(mediaType: .timecode) } == .unsupported)
        #expect(code { try composition.addTrack(mediaType: .text) } == .unsupported)
        let id = try composition.addTrack(mediaType: .video)
        func insert(
            _ range: TimeRange, _ track: AssetTrack, _ asset: Asset, at time: MediaTime = .zero, _ id: Int = id
        ) -> MediaError.Code? {
            code { try composition.insertTimeRange(range, of: track, from: asset, at: time, into: id) }
        }
        #expect(insert(tenths(0, 10), audio, asset) == .invalidSettings)
        #expect(insert(tenths(0, 10), video, Asset(url: try #require(asset.url))) == .invalidSettings)
        #expect(insert(tenths(0, 10), video, asset, 7) == .invalidSettings)
        for range in [tenths(0, 11), tenths(-1, 5), tenths(3, 3), tenths(5, 3), tenths(10, 12)] {
            #expect(insert(range, video, asset) == .invalidSettings, "\(range)")
        }
        #expect(insert(TimeRange(start: .invalid, duration: .zero), video, asset) == .invalidSettings)
        #expect(
            insert(TimeRange(start: .negativeInfinity, duration: .positiveInfinity), video, asset) == .invalidSettings)
        #expect(
            insert(TimeRange(start: .zero, duration: MediaTime(value: -5, timescale: -10)), video, asset)
                == .invalidSettings)
        for time in [Fixture.time(-1, 10), .positiveInfinity, .invalid] {
            #expect(insert(tenths(0, 10), video, asset, at: time) == .invalidSettings, "\(time)")
        }
        #expect(code { try composition.removeTimeRange(tenths(0, 0)) } == .invalidSettings)
        #expect(code { try composition.removeTimeRange(tenths(0, 1), from: 9) } == .invalidSettings)
        #expect(code { try composition.insertEmptyTimeRange(tenths(-3, 1)) } == .invalidSettings)
        #expect(
            code { try composition.insertEmptyTimeRange(TimeRange(start: .zero, duration: .positiveInfinity)) }
                == .invalidSettings)
        #expect(code { try composition.removeTrack(3) } == .invalidSettings)
        #expect(code { try composition.configureTrack(3) { $0.isEnabled = false } } == .invalidSettings)
        let error = await #expect(throws: MediaError.self) {
            var copy = composition
            try await copy.insertTimeRange(tenths(5, 20), of: asset, at: .zero)
        }
        #expect(error?.code == .invalidSettings)
        await #expect(throws: MediaError.self) { try await Composition.joining([]) }
        #expect(composition.tracks.count == 1 && composition.tracks[0].segments.isEmpty)

        // There is nothing to read yet.
        let empty = Asset(composition)
        let (duration, none) = try await empty.load(.duration, .tracks)
        #expect(duration == .zero && none.isEmpty)
        #expect(try await !empty.load(.isReadable))
    }
}
