import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests that reading a composition returns the samples of its parts, at their places.
@Suite struct CompositionReadingTests {
    private typealias Fixture = CompositionFixture

    @Test(arguments: [
        ["a.mov", "b.mov", "pcm_s16le"], ["a.mov", "b.mov", "aac"], ["a.mp4", "b.mkv", "flac"],
        ["a.mkv", "b.mkv", "flac"],
    ])
    func composition_twoFilesJoined_playsThrough(_ names: [String]) async throws {
        let fixture = try CompositionFixture()
        let audio = ["-c:a", names[2], "-strict", "-2"]
        let first = try fixture.movie(names[0], audio: audio)
        let second = try fixture.movie(names[1], "smptebars", audio: audio)
        let joined = Asset(try await Composition.joining([first, second]))
        #expect(joined.url == nil)
        let (duration, tracks) = try await joined.load(.duration, .tracks)
        #expect(abs(duration.seconds - 2) < 0.002 && tracks.map(\.mediaType) == [.video, .audio])

        let videoFrames = try await AssetReader.samples(joined, .video, .pixels(nil))
        #expect(videoFrames.count == 60)
        for (number, frame) in videoFrames.enumerated() {
            #expect(abs(frame.presentationTime.seconds - Double(number) / 30) < 0.0011)
        }
        let sources =
            try await AssetReader.samples(first, .video, .pixels(nil))
            + AssetReader.samples(second, .video, .pixels(nil))
        #expect(videoFrames.map(\.visible) == sources.map(\.visible))

        let blocks = try await AssetReader.samples(joined, .audio, .pcm(.s16))
        #expect(blocks.first?.presentationTime == .zero && blocks.holes == [])
        let halves =
            try await AssetReader.samples(first, .audio, .pcm(.s16)).audio
            + AssetReader.samples(second, .audio, .pcm(.s16)).audio
        #expect(halves.count == 2 * 48_000 * 2 && blocks.audio == halves)
    }

    @Test func composition_oneFile_hasTheFilesSamples() async throws {
        let fixture = try CompositionFixture()
        let asset = try fixture.movie("movie.mov", audio: ["-c:a", "aac"])
        let whole = Asset(try await Composition.joining([asset]))
        for (type, settings) in [
            (MediaType.video, TrackOutput.Settings?.none), (.video, .pixels(.nv12)), (.audio, nil),
            (.audio, .pcm(.s16)),
        ] {
            let given = try await AssetReader.samples(whole, type, settings)
            let expected = try await AssetReader.samples(asset, type, settings)
            #expect(given.count == expected.count && !given.isEmpty)
            for (one, other) in zip(given, expected) {
                #expect(one.presentationTime == other.presentationTime && one.decodeTime == other.decodeTime)
                #expect(one.duration == other.duration && one.sampleCount == other.sampleCount)
                #expect(one.format == other.format && one.isKeyframe == other.isKeyframe)
                #expect(one.bytes == other.bytes && one.visible == other.visible)
            }
        }
        let (tracks, duration) = try await whole.load(.tracks, .duration)
        #expect(try await asset.load(.duration) == duration)
        for (one, other) in zip(tracks, try await asset.load(.tracks)) {
            #expect(one.timeRange == other.timeRange && one.formatDescription == other.formatDescription)
            #expect(one.nominalFrameRate == other.nominalFrameRate && one.minFrameDuration == other.minFrameDuration)
        }
    }

    @Test func composition_trimmed_isExactToTheFrame() async throws {
        let fixture = try CompositionFixture()
        let asset = try fixture.movie("movie.mov")
        let videoFrames = try await AssetReader.samples(asset, .video, .pixels(nil))
        let audio = try await AssetReader.samples(asset, .audio, .pcm(.s16)).audio
        var composition = Composition()
        try await composition.insertTimeRange(Fixture.range(20, 25, 30), of: asset, at: .zero)
        try await composition.insertTimeRange(Fixture.range(7, 10, 30), of: asset, at: Fixture.time(5, 30))
        let trimmed = Asset(composition)
        let given = try await AssetReader.samples(trimmed, .video, .pixels(nil))
        #expect(given.map(\.visible) == (videoFrames[20..<25] + videoFrames[7..<10]).map(\.visible))
        #expect(given.map(\.presentationTime) == (0..<8).map { Fixture.time($0, 30) })
        let blocks = try await AssetReader.samples(trimmed, .audio, .pcm(.s16))
        #expect(blocks.holes == [] && blocks.first?.presentationTime == .zero)
        let frames = { (range: Range<Int>) in audio.subdata(in: range.lowerBound * 2..<range.upperBound * 2) }
        #expect(blocks.audio == frames(32_000..<40_000) + frames(11_200..<16_000))
    }

    /// Whatever a container knows about its duration: all audio of its file is there, and nothing is added between.
    @Test(arguments: [
        ["tone.mp3", "libmp3lame"], ["tone.webm", "libopus"], ["tone.mka", "aac"], ["tone.ts", "aac"],
        ["tone.aac", "aac"],
        ["tone.ogg", "libvorbis"], ["tone.m4a", "alac"], ["tone.aiff", "pcm_s24be"],
    ])
    func composition_audioFilesOfEveryKind_areJoinedCompletely(_ kind: [String]) async throws {
        let fixture = try CompositionFixture()
        let tone = try fixture.audio(kind[0], "0.3*sin(2*PI*440*t):d=1.3", ["-c:a", kind[1], "-strict", "-2"])
        let count = { (blocks: [SampleBuffer]) in blocks.reduce(0) { $0 + $1.sampleCount } }
        let once = count(try await AssetReader.samples(tone, .audio, .pcm(.s16)))
        let joined = Asset(try await Composition.joining([tone, tone]))
        let twice = try await AssetReader.samples(joined, .audio, .pcm(.s16))
        #expect(abs(count(twice) - 2 * once) <= 96, "\(count(twice)) of 2 × \(once)")
        // Matroska's timestamps are whole milliseconds.
        for (one, next) in zip(twice, twice.dropFirst()) {
            let distance = next.presentationTime - one.presentationTime - (one.duration ?? .zero)
            #expect(abs(distance.seconds) <= 0.001, "\(distance) at \(next.presentationTime)")
        }
    }

    /// Segments begin and end between audio frames: each audio frame of the composition belongs to exactly one.
    @Test func composition_timesBetweenAudioFrames_leaveNoGap() async throws {
        let fixture = try CompositionFixture()
        let asset = try fixture.audio("tone.wav", "0.3*sin(2*PI*440*t):d=2")
        let track = try #require(try await asset.tracks(withMediaType: .audio).first)
        var composition = Composition()
        let id = try composition.addTrack(mediaType: .audio)
        var end = MediaTime.zero
        for number in 0..<20 {
            let range = TimeRange(
                start: Fixture.time(Int64(number) * 997, 30_011), duration: Fixture.time(1013, 29_989))
            try composition.insertTimeRange(range, of: track, from: asset, at: end, into: id)
            end = try #require(composition.track(withID: id)).timeRange.end
        }
        for rate in [48_000, 44_100, 8000] {
            let blocks = try await AssetReader.samples(Asset(composition), .audio, .pcm(.init(.s16, sampleRate: rate)))
            #expect(blocks.holes == [], "\(rate)")
            let count = blocks.reduce(0) { $0 + $1.sampleCount }
            #expect(count == Int(end.ticks(in: Int32(rate), rounding: .up)), "\(rate)")
        }
    }

    @Test func composition_gap_hasNoSamples() async throws {
        let fixture = try CompositionFixture()
        let asset = try fixture.movie("movie.mov")
        var composition = Composition()
        try await composition.insertTimeRange(Fixture.everything, of: asset, at: .zero)
        try composition.insertEmptyTimeRange(Fixture.range(15, 45, 30))
        let gapped = Asset(composition)
        let videoFrames = try await AssetReader.samples(gapped, .video, .pixels(nil))
        #expect(
            videoFrames.map(\.presentationTime) == (Array(0..<15) + Array(45..<60)).map { Fixture.time(Int64($0), 30) })
        let blocks = try await AssetReader.samples(gapped, .audio, .pcm(.s16))
        #expect(blocks.holes == [Fixture.time(3, 2)])
        #expect(blocks.audio == (try await AssetReader.samples(asset, .audio, .pcm(.s16))).audio)
        #expect(try await gapped.load(.duration) == Fixture.time(2, 1))
        // A range inside the gap is empty, and not an error.
        #expect(try await AssetReader.samples(gapped, .video, .pixels(nil), Fixture.range(20, 40, 30)).isEmpty)
    }

    @Test func composition_audioOfOtherFormats_isConvertedToTheFirst() async throws {
        let fixture = try CompositionFixture()
        let first = try fixture.audio("a.wav", "0.3*sin(2*PI*440*t)|0.3*sin(2*PI*440*t):d=1")
        let second = try fixture.audio("b.wav", "0.3*sin(2*PI*440*t):d=1", rate: 44_100)
        let third = try fixture.audio("c.flac", "0.3*sin(2*PI*440*t):d=1", rate: 32_000, ["-c:a", "flac"])
        let joined = Asset(try await Composition.joining([first, second, third]))
        let blocks = try await AssetReader.samples(joined, .audio, .pcm(.float32))
        #expect(Set(blocks.map(\.format)).count == 1)
        #expect(blocks.first?.format.audio?.sampleRate == 48_000 && blocks.first?.format.audio?.channelCount == 2)
        #expect(blocks.holes == [])
        let samples = blocks.numbers(Float.self)
        let count = 3 * 48_000 * 2
        #expect(samples.count == count)
        // One tone throughout, in phase, because each file holds whole periods of it. libswresample gives each of two
        // channels half the power of the mono channel.
        for (second, level) in [Float(0.3), 0.21213, 0.21213].enumerated() {
            var worst = Float(0)
            for frame in (second * 48_000 + 2400)..<(second * 48_000 + 45_600) {
                let expected = level * sin(2 * Float.pi * 440 * Float(frame % 48_000) / 48_000)
                worst = max(worst, abs(samples[frame * 2] - expected), abs(samples[frame * 2 + 1] - expected))
            }
            #expect(worst < 0.005, "\(second): \(worst)")
        }
    }

    @Test func composition_otherCodecsAndSizes_followEachOther() async throws {
        let fixture = try CompositionFixture()
        let first = try fixture.silentMovie("a.mp4")
        let second = Asset(
            url: try fixture.files.make(
                "b.mov", ["testsrc2=s=64x48:r=25:d=1"], ["-c:v", "mjpeg", "-pix_fmt", "yuvj422p"]))
        let joined = Asset(try await Composition.joining([first, second]))
        let videoFrames = try await AssetReader.samples(joined, .video, .pixels(.nv12))
        #expect(videoFrames.count == 55)
        #expect(videoFrames.prefix(30).allSatisfy { $0.format.video?.width == 128 })
        #expect(videoFrames.suffix(25).allSatisfy { $0.format.video?.width == 64 })
        #expect(videoFrames[30].presentationTime == Fixture.time(1, 1))
        let track = try #require(try await joined.tracks(withMediaType: .video).first)
        #expect(abs(track.nominalFrameRate - 27.5) < 0.01 && track.naturalSize == CGSize(width: 128, height: 96))
        #expect(abs(track.minFrameDuration.seconds - 1.0 / 30) < 1e-6)
        #expect(track.timeRange == Fixture.range(0, 2, 1))
    }

    @Test func composition_rangeAcrossSeams_equalsThatPartOfACompleteRead() async throws {
        let fixture = try CompositionFixture()
        let (first, second) = (try fixture.movie("a.mov"), try fixture.movie("b.mov", "smptebars"))
        var composition = try await Composition.joining([first, second, first])
        try composition.removeTimeRange(Fixture.range(10, 17, 30))
        let asset = Asset(composition)
        let videoFrames = try await AssetReader.samples(asset, .video, .pixels(nil))
        let audio = try await AssetReader.samples(asset, .audio, .pcm(.s16)).audio
        #expect(videoFrames.count == 83 && audio.count == 83 * 1600 * 2)
        for (from, to) in [(0, 83), (5, 12), (9, 10), (20, 60), (22, 54), (23, 24), (52, 99)] {
            let range = Fixture.range(Int64(from), Int64(to), 30)
            let part = try await AssetReader.samples(asset, .video, .pixels(nil), range)
            #expect(part.map(\.visible) == videoFrames[from..<min(83, to)].map(\.visible), "\(from)..<\(to)")
            #expect(part.map(\.presentationTime) == videoFrames[from..<min(83, to)].map(\.presentationTime))
            let blocks = try await AssetReader.samples(asset, .audio, .pcm(.s16), range)
            #expect(blocks.audio == audio.subdata(in: from * 3200..<min(83, to) * 3200), "\(from)..<\(to)")
        }
        // Audio frames at which no video frame begins.
        let blocks = try await AssetReader.samples(asset, .audio, .pcm(.s16), Fixture.range(15_999, 37_003, 48_000))
        #expect(blocks.audio == audio.subdata(in: 15_999 * 2..<37_003 * 2))
    }

    @Test func composition_randomAccess_readsRangesAgain() async throws {
        let fixture = try CompositionFixture()
        let joined = Asset(
            try await Composition.joining([
                try fixture.silentMovie("a.mov"), try fixture.silentMovie("b.mov", "smptebars"),
            ]))
        let (reader, output) = try await AssetReader.reading(joined, .video, .pixels(nil)) {
            $0.supportsRandomAccess = true
        }
        let all = output.all()
        #expect(all.count == 60 && reader.status == .reading)
        for ranges in [[25..<35], [50..<55, 58..<60], [0..<3, 28..<31, 31..<33], [40..<41]] {
            try output.reset(
                forReadingTimeRanges: ranges.map { Fixture.range(Int64($0.lowerBound), Int64($0.upperBound), 30) })
            #expect(output.all().map(\.visible) == ranges.flatMap { all[$0] }.map(\.visible), "\(ranges)")
        }
        output.markConfigurationAsFinal()
        #expect(reader.status == .completed)
    }

    @Test func composition_nested_readsTheInnerFiles() async throws {
        let fixture = try CompositionFixture()
        let (first, second) = (try fixture.movie("a.mov"), try fixture.movie("b.mov", "smptebars"))
        let inner = Asset(try await Composition.joining([first, second]))
        var outer = Composition()
        try await outer.insertTimeRange(Fixture.range(20, 40, 30), of: inner, at: .zero)
        try await outer.insertTimeRange(Fixture.range(0, 5, 30), of: second, at: Fixture.time(20, 30))
        let whole = try await AssetReader.samples(inner, .video, .pixels(nil))
        let given = try await AssetReader.samples(Asset(outer), .video, .pixels(nil))
        #expect(given.map(\.visible) == (whole[20..<40] + whole[30..<35]).map(\.visible))
        #expect(given.map(\.presentationTime) == (0..<25).map { Fixture.time($0, 30) })
        let audio = try await AssetReader.samples(inner, .audio, .pcm(.s16)).audio
        let blocks = try await AssetReader.samples(Asset(outer), .audio, .pcm(.s16))
        #expect(blocks.holes == [])
        #expect(blocks.audio == audio.subdata(in: 20 * 3200..<40 * 3200) + audio.subdata(in: 30 * 3200..<35 * 3200))
    }

    @Test func composition_fileMissingOrDamaged_failsTheReader() async throws {
        let fixture = try CompositionFixture()
        let (first, second) = (try fixture.movie("a.mov"), try fixture.movie("b.mov"))
        let joined = Asset(try await Composition.joining([first, second]))
        let path = try #require(second.url).path
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: path))
        let (reader, output) = try await AssetReader.reading(joined, .video, .pixels(nil))
        #expect(output.all().count >= 30)
        #expect(reader.status == .failed && reader.error != nil)
        try FileManager.default.removeItem(atPath: path)
        #expect(code { _ = try AssetReader(asset: joined) } == .notFound)
        // Its properties are known all the same.
        #expect(try await Asset(try #require(joined.composition)).load(.duration) == Fixture.time(2, 1))
    }
}

extension Asset {
    fileprivate var composition: Composition? {
        if case .composition(let composition) = origin { composition } else { nil }
    }
}
