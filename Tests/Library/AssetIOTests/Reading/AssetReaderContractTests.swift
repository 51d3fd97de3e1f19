import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of the calls that a reader allows in each state.
@Suite struct AssetReaderContractTests {
    @Test func output_addedTwiceOrLate_isRefused() async throws {
        let fixture = try ReadingFixture()
        let asset = Asset(url: try fixture.movie())
        let tracks = try await asset.load(.tracks)
        let video = try #require(tracks.first { $0.mediaType == .video })
        let audio = try #require(tracks.first { $0.mediaType == .audio })
        let reader = try AssetReader(asset: asset)
        #expect(throws: MediaError.self) { try reader.startReading() }
        #expect(reader.status == .unknown)

        let output = try TrackOutput(track: video)
        #expect(reader.canAdd(output))
        try reader.add(output)
        #expect(!reader.canAdd(output))
        #expect(throws: MediaError.self) { try reader.add(output) }
        #expect(!(try AssetReader(asset: asset)).canAdd(output))

        let foreign = Asset(url: try #require(asset.url))
        let strange = try TrackOutput(track: try #require(try await foreign.load(.tracks).first))
        #expect(!reader.canAdd(strange))

        #expect(output.copyNextSampleBuffer() == nil && reader.status == .unknown)
        try reader.startReading()
        let late = try TrackOutput(track: audio)
        #expect(!reader.canAdd(late))
        let error = #expect(throws: MediaError.self) { try reader.add(late) }
        #expect(error?.code == .invalidState)
        #expect(throws: MediaError.self) { try reader.startReading() }
        #expect(throws: MediaError.self) { try reader.configure { $0.timeRange.start = .zero } }
        #expect(throws: MediaError.self) { try output.configure { $0.supportsRandomAccess = true } }
        #expect(reader.status == .reading)
    }

    @Test func output_invalidSettings_areRefused() async throws {
        let fixture = try ReadingFixture()
        let tracks = try await Asset(url: try fixture.movie()).load(.tracks)
        let video = try #require(tracks.first { $0.mediaType == .video })
        let audio = try #require(tracks.first { $0.mediaType == .audio })
        #expect(throws: MediaError.self) { try TrackOutput(track: video, outputSettings: .pcm(.s16)) }
        #expect(throws: MediaError.self) { try TrackOutput(track: audio, outputSettings: .pixels(.nv12)) }
        for form in [
            TrackOutput.PCM(.s16, sampleRate: 0), .init(.s16, channelCount: 65),
            .init(.s16, channelCount: 2, layout: .mono),
        ] {
            let error = #expect(throws: MediaError.self) { try TrackOutput(track: audio, outputSettings: .pcm(form)) }
            #expect(error?.code == .invalidSettings)
        }
    }

    @Test func outputs_drainedOneAfterAnother_areComplete() async throws {
        let fixture = try ReadingFixture()
        let asset = Asset(url: try fixture.movie())
        let reader = try AssetReader(asset: asset)
        for track in try await asset.load(.tracks) {
            try reader.add(
                TrackOutput(track: track, outputSettings: track.mediaType == .video ? .pixels(.nv12) : .pcm(.s16)))
        }
        try reader.startReading()
        let outputs = reader.outputs
        #expect(outputs.count == 2)
        #expect(outputs[0].all().count == 30 && reader.status == .reading)
        #expect(outputs[1].all().reduce(0) { $0 + $1.sampleCount } == 48_000)
        #expect(reader.status == .completed && outputs[0].copyNextSampleBuffer() == nil)
    }

    @Test func cancelReading_endsEveryOutput() async throws {
        let fixture = try ReadingFixture()
        let (reader, output) = try await AssetReader.reading(try fixture.movie(), .video, .pixels(nil))
        let kept = try #require(output.copyNextSampleBuffer())
        reader.cancelReading()
        #expect(reader.status == .cancelled && reader.error == nil)
        #expect(output.copyNextSampleBuffer() == nil)
        let error = await #expect(throws: MediaError.self) { try await output.next() }
        #expect(error?.code == .cancelled)
        reader.cancelReading()
        #expect(reader.status == .cancelled)
        // A returned sample outlives the decoder.
        let size = 128 * 96 * 3 / 2
        #expect(kept.visible.count == size)
    }

    @Test func next_returnsTheSameSamplesAsTheBlockingForm() async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.movie()
        let (reader, output) = try await AssetReader.reading(url, .video, .pixels(.nv12))
        let (_, blocking) = try await AssetReader.reading(url, .video, .pixels(.nv12))
        var count = 0
        while let sample = try await output.next() {
            let other = try #require(blocking.copyNextSampleBuffer())
            #expect(sample.presentationTime == other.presentationTime && sample.visible == other.visible)
            count += 1
        }
        #expect(count == 30 && reader.status == .completed)
    }

    @Test func output_randomAccess_readsRangesAgain() async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.movie()
        let (plain, once) = try await AssetReader.reading(url, .video, .pixels(nil))
        _ = once.all()
        #expect(plain.status == .completed)
        #expect(throws: MediaError.self) { try once.reset(forReadingTimeRanges: []) }

        let (reader, output) = try await AssetReader.reading(url, .video, .pixels(nil)) {
            $0.supportsRandomAccess = true
        }
        let whole = TimeRange(start: .zero, duration: .positiveInfinity)
        #expect(throws: MediaError.self) { try output.reset(forReadingTimeRanges: [whole]) }
        let first = output.all()
        #expect(first.count == 30 && reader.status == .reading)
        try output.reset(forReadingTimeRanges: [whole])
        let second = output.all()
        #expect(second.map(\.presentationTime) == first.map(\.presentationTime))
        #expect(second.map(\.visible) == first.map(\.visible))

        func frames(_ range: Range<Int64>) -> TimeRange {
            TimeRange(
                start: MediaTime(value: range.lowerBound, timescale: 30),
                end: MediaTime(value: range.upperBound, timescale: 30))
        }
        #expect(throws: MediaError.self) { try output.reset(forReadingTimeRanges: [frames(20..<25), frames(3..<6)]) }
        try output.reset(forReadingTimeRanges: [frames(3..<6), frames(20..<25)])
        let parts = output.all()
        let same = Array(first[3..<6]) + Array(first[20..<25])
        #expect(parts.map(\.visible) == same.map(\.visible))

        output.markConfigurationAsFinal()
        #expect(reader.status == .completed)
        #expect(throws: MediaError.self) { try output.reset(forReadingTimeRanges: [whole]) }
    }

    @Test func output_sharedSamples_reusesDecoderMemory() async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make(
            "long.mp4", ["testsrc2=s=128x96:r=30:d=8"], ["-c:v", "libx264", "-bf", "2", "-pix_fmt", "yuv420p"])
        for shares in [true, false] {
            let (reader, output) = try await AssetReader.reading(url, .video, .pixels(nil)) {
                $0.alwaysCopiesSampleData = !shares
            }
            for _ in 0..<60 { #expect(output.copyNextSampleBuffer() != nil) }
            let settled = output.allocationCount
            var addresses: Set<UnsafeRawPointer?> = []
            var count = 60
            while let sample = output.copyNextSampleBuffer() {
                if case .pixels(let pixels) = sample.content { addresses.insert(pixels.data.bytes.baseAddress) }
                count += 1
            }
            #expect(count == 240 && reader.status == .completed)
            // At the end the decoder returns at once all frames that it held back.
            #expect(
                settled > 0 && output.allocationCount < 24,
                "\(settled), then \(output.allocationCount), shared: \(shares)")
            #expect(addresses.count <= output.allocationCount)
        }
    }
}
