import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of audio recorded by another clock: it is placed by that clock's time map, exact to the sample, and complete.
struct RetimedAudioTests {
    private typealias Fixture = CompositionFixture

    private static let places = Array(stride(from: 24_000, to: 480_000, by: 48_000))

    /// A file of ten seconds with a click every second.
    private func clicking(_ fixture: CompositionFixture) async throws -> Asset {
        let url = fixture.files.directory.file("clicks.mov")
        let writer = try AssetWriter(outputURL: url, fileType: .mov)
        let input = try AssetWriterInput(
            mediaType: .audio,
            outputSettings: .audio(
                AudioSettings(codec: .linearPCM, sampleRate: 48_000, channelCount: 1)))
        try writer.add(input)
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        try await input.appendWhenReady(SyntheticMedia.clicks(at: Self.places, count: 480_000))
        input.markAsFinished()
        try await writer.finishWriting()
        return Asset(url: url)
    }

    private func retimed(_ asset: Asset, _ map: TimeMap) async throws -> Asset {
        let track = try #require(try await asset.tracks(withMediaType: .audio).first)
        var composition = Composition()
        let id = try composition.addTrack(mediaType: .audio)
        try composition.insert(track, from: asset, by: map, into: id)
        return Asset(composition)
    }

    private func map(_ pieces: [(Double, Double, Double, Double)]) throws -> TimeMap {
        func time(_ seconds: Double) -> MediaTime { MediaTime(seconds: seconds, timescale: 1_000_000_000) }
        return try #require(
            TimeMap(
                pieces.map {
                    TimeMap.Piece(
                        source: TimeRange(start: time($0.0), end: time($0.1)),
                        target: TimeRange(start: time($0.2), end: time($0.3)))
                }))
    }

    private func clicks(_ asset: Asset, _ range: TimeRange? = nil) async throws -> [Double] {
        let samples = try await AssetReader.samples(asset, .audio, .pcm(TrackOutput.PCM(.float32)), range)
        return samples.flatMap { sample in
            SyntheticMedia.clickPlaces(in: [sample].numbers(Float.self)).map {
                Double(sample.presentationTime.ticks(in: 48_000) + Int64($0))
            }
        }
    }

    @Test(arguments: [-400e-6, -50e-6, 20e-6, 500e-6]) func retimedAudio_clicks_areWhereTheMapPutsThem(rate: Double)
        async throws
    {
        let fixture = try CompositionFixture()
        let asset = try await clicking(fixture)
        // One rate, then the opposite; the target starts five milliseconds later than the source.
        let (middle, end) = (4.005 + 4 * rate, 10.005 - 2 * rate)
        let map = try map([(0, 4, 0.005, middle), (4, 10, middle, end)])
        let retimed = try await retimed(asset, map)
        let expected = Self.places.map {
            map.target(of: MediaTime(value: Int64($0), timescale: 48_000)).seconds * 48_000
        }
        let found = try await clicks(retimed)
        #expect(found.count == expected.count)
        for (place, wanted) in zip(found, expected) { #expect(abs(place - wanted) <= 1.5, "\(place) \(wanted)") }
        // The duration is the map's, and there is no gap.
        let samples = try await AssetReader.samples(retimed, .audio, .pcm(TrackOutput.PCM(.float32)))
        for (one, next) in zip(samples, samples.dropFirst()) {
            #expect(
                one.presentationTime + MediaTime(value: Int64(one.sampleCount), timescale: 48_000)
                    == next.presentationTime)
        }
        let last = try #require(samples.last)
        #expect(abs(last.presentationTime.seconds + Double(last.sampleCount) / 48_000 - end) < 3 / 48_000)
        // A range has the same clicks as that range of the complete audio.
        let part = try await clicks(retimed, Fixture.range(3, 7, 1))
        #expect(part.count == 4)
        for (place, wanted) in zip(part, expected[3...]) { #expect(abs(place - wanted) <= 1.5, "\(place) \(wanted)") }
    }

    @Test func retimedAudio_afterAStep_isUnchanged() async throws {
        let fixture = try CompositionFixture()
        let asset = try await clicking(fixture)
        let retimed = try await retimed(asset, try map([(0, 3.25, 0, 3.25), (3.25, 10, 8.5, 15.25)]))
        let whole = try await AssetReader.samples(asset, .audio, .pcm(TrackOutput.PCM(.s16))).numbers(Int16.self)
        let samples = try await AssetReader.samples(retimed, .audio, .pcm(TrackOutput.PCM(.s16)))
        #expect(samples.numbers(Int16.self) == whole)
        let behind = try #require(samples.first { $0.presentationTime.seconds > 4 })
        #expect(behind.presentationTime == MediaTime(value: 408_000, timescale: 48_000))
        let before = samples.filter { $0.presentationTime < behind.presentationTime }.reduce(0) { $0 + $1.sampleCount }
        #expect(before == 156_000)
    }
}
