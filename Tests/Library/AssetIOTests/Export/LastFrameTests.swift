import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// The last frame of a cut is on screen until the cut ends, unless the track ends before or media is missing. Its
/// stated duration may be shorter.
@Suite struct LastFrameTests {
    private static let presets: [ExportPreset] = [.passthrough, .highQuality]
    private static let jpeg = ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p"]
    private static let codecs: [[String]] = [
        jpeg, ["-c:v", "libx264", "-bf", "0", "-pix_fmt", "yuv420p"],
        ["-c:v", "libx264", "-bf", "2", "-pix_fmt", "yuv420p"],
    ]

    /// Frames at 0, 0.2, 0.5, 2 and 2.2 s. Matroska states 0.1 s for each.
    private func gaps(_ fixture: ReadingFixture, _ codec: [String] = jpeg) throws -> URL {
        try fixture.make(
            "gaps.mkv", ["testsrc2=s=128x96:r=10:d=3,select='eq(n,0)+eq(n,2)+eq(n,5)+eq(n,20)+eq(n,22)'"],
            codec + ["-fps_mode", "vfr"])
    }

    private func range(_ start: Double, _ end: Double) -> TimeRange {
        TimeRange(start: MediaTime(seconds: start), end: MediaTime(seconds: end))
    }

    private func track(_ asset: Asset, _ type: MediaType = .video) async throws -> AssetTrack {
        try #require(try await asset.tracks(withMediaType: type).first)
    }

    /// The end of a movie's video in seconds, as its track header states it.
    private func videoEnd(_ url: URL) throws -> Double {
        let data = try Data(contentsOf: url)
        let movie = try #require(AtomPlaces.find("moov/mvhd", of: data).first).payload.lowerBound
        let track = try #require(
            AtomPlaces.find("moov/trak", of: data).first { track in
                let handlers = AtomPlaces.find("mdia/hdlr", of: data, in: track.payload)
                return handlers.contains { handler in
                    let type = handler.payload.lowerBound + 8
                    return data[type..<(type + 4)].elementsEqual("vide".utf8)
                }
            })
        let header = try #require(AtomPlaces.find("tkhd", of: data, in: track.payload).first).payload.lowerBound
        // Both have version 1. The duration is in the ticks of the movie header.
        let ticks = AtomPlaces.number(8, of: data, at: header + 28)
        return Double(ticks) / Double(AtomPlaces.number(4, of: data, at: movie + 20))
    }

    @Test(arguments: presets, codecs)
    func export_cutAfterTheStatedEndOfItsLastFrame_showsThatFrameToTheEnd(
        preset: ExportPreset, codec: [String]
    ) async throws {
        let fixture = try ReadingFixture()
        let source = try gaps(fixture, codec)
        let cuts: [(Double, Double, [Double])] = [
            (0, 1.2, [0, 0.2, 0.5]), (0.1, 1.7, [0, 0.1, 0.4]), (0.3, 2, [0, 0.2]),
        ]
        for (start, end, times) in cuts {
            let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: preset) {
                $0.timeRange = range(start, end)
            }
            let shown = try CutFramesTests.frames(copy.url).times
            #expect(shown.count == times.count, "\(start) to \(end): \(shown)")
            #expect(zip(shown, times).allSatisfy { abs($0 - $1) < 0.002 }, "\(start) to \(end): \(shown)")
            #expect(abs(try videoEnd(copy.url) - (end - start)) < 0.01, "\(start) to \(end)")
            #expect(abs(try Probe(copy.url.path).format.seconds - (end - start)) < 0.01, "\(start) to \(end)")
        }
    }

    @Test func export_lastChunkOfACut_endsWhereTheCutEnds() async throws {
        let fixture = try ReadingFixture()
        let copy = try await ExportedCopy(of: try gaps(fixture), in: fixture.directory) {
            $0.timeRange = range(0, 1.2)
            $0.part = .frames(range(0, 1.2), threads: 1)
        }
        #expect(abs(try videoEnd(copy.url) - 1.2) < 0.01)
    }

    /// Matroska states only the end of the file.
    @Test(arguments: presets) func export_videoEndsBeforeTheCut_isNotHeld(preset: ExportPreset) async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            "short.mkv", ["testsrc2=s=128x96:r=10:d=3", "sine=sample_rate=48000:duration=10"],
            Self.jpeg + ["-c:a", "pcm_s16le"])
        let inside = try await ExportedCopy(of: source, in: fixture.directory, preset: preset) {
            $0.timeRange = range(1, 5)
        }
        #expect(abs(try videoEnd(inside.url) - 2) < 0.01)
        #expect(abs(try Probe(inside.url.path).format.seconds - 4) < 0.05)
        let after = try await ExportedCopy(of: source, in: fixture.directory, preset: preset) {
            $0.timeRange = range(5, 6)
        }
        #expect(try Probe(after.url.path).video == nil)
        #expect(after.session.report.leftOut.contains { $0.contains("track 1, video") })
    }

    /// It is unknown what was on screen there.
    @Test(arguments: presets) func export_cutEndsInMissingMedia_holdsNoFrame(preset: ExportPreset) async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            "clusters.mkv", ["testsrc2=s=128x96:r=10:d=3"], Self.jpeg + ["-cluster_time_limit", "300"])
        var data = try Data(contentsOf: source)
        // The ID of a cluster.
        let mark = Data([0x1F, 0x43, 0xB6, 0x75])
        var clusters: [Int] = []
        while let found = data.range(of: mark, in: ((clusters.last ?? -1) + 1)..<data.count) {
            clusters.append(found.lowerBound)
        }
        try #require(clusters.count > 6)
        let missing = clusters[clusters.count / 3]..<clusters[clusters.count * 2 / 3]
        let packets = try Probe.ask(source.path, "packet=pts_time,pos", of: "v:0").text.split(separator: "\n")
        let lost = packets.compactMap { line -> Double? in
            let fields = line.split(separator: ",")
            guard fields.count >= 2, let place = Int(fields[1]), missing.contains(place) else { return nil }
            return Double(fields[0])
        }
        let first = try #require(lost.min())
        try #require((lost.max() ?? 0) - first > 0.3)
        data.replaceSubrange(missing, with: Data(SyntheticMedia.noise(missing.count)))
        try data.write(to: source)
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: preset) {
            $0.timeRange = range(0, first + 0.25)
            $0.skipsDamagedMedia = true
        }
        #expect(!copy.session.report.damage.isEmpty)
        #expect(abs(try videoEnd(copy.url) - first) < 0.01)
    }

    /// Damage before the last frame does not change how long that frame is on screen.
    @Test(arguments: presets) func export_damageBeforeTheLastFrame_isHeldToTheEnd(preset: ExportPreset) async throws {
        let fixture = try ReadingFixture()
        let source = try gaps(fixture)
        var data = try Data(contentsOf: source)
        // The second JPEG image, from its first marker to its last one.
        let first = try #require(data.range(of: Data([0xFF, 0xD8, 0xFF])))
        let second = try #require(data.range(of: Data([0xFF, 0xD8, 0xFF]), in: first.upperBound..<data.count))
        let end = try #require(data.range(of: Data([0xFF, 0xD9]), in: second.upperBound..<data.count))
        for index in (second.lowerBound + 8)..<end.lowerBound { data[index] = 0xA5 }
        try data.write(to: source)
        let session = try ExportSession(asset: Asset(url: source), preset: preset)
        try session.configure {
            $0.timeRange = range(0, 1.2)
            $0.skipsDamagedMedia = true
        }
        let copy = fixture.directory.file("copy.mov")
        try await session.export(to: copy)
        // Stored frames are copied whatever they contain.
        #expect(session.report.damage.isEmpty == (preset == .passthrough))
        #expect(abs(try videoEnd(copy) - 1.2) < 0.01)
    }

    /// The frame of the second segment begins before it, so nothing is returned for that segment.
    @Test func source_lastSegmentReturnsNoFrame_doesNotHoldTheOneBefore() async throws {
        let fixture = try ReadingFixture()
        let asset = Asset(url: try gaps(fixture))
        let shown = try await track(asset)
        var composition = Composition()
        let video = try composition.addTrack(mediaType: .video)
        try composition.insertTimeRange(range(0, 1), of: shown, from: asset, at: .zero, into: video)
        try composition.insertTimeRange(
            range(0.6, 1), of: shown, from: asset, at: MediaTime(seconds: 5), into: video)
        let joined = Asset(composition)
        let source = try joined.source(
            of: try await track(joined), ranges: [range(0, 6)], SourceOptions(givesHiddenSamples: false))
        #expect(try source.rest().count == 3)
        #expect(source.lastFrameEnd == nil)
    }

    /// Alone, or before a gap that lasts as long as the audio.
    @Test(arguments: presets, [false, true])
    func export_compositionEndsInsideAFrame_showsItToTheEndOfTheSegment(
        preset: ExportPreset, hasLongerAudio: Bool
    ) async throws {
        let fixture = try ReadingFixture()
        let asset = Asset(url: try gaps(fixture))
        var composition = Composition()
        let video = try composition.addTrack(mediaType: .video)
        try composition.insertTimeRange(
            range(0.2, 1.4), of: try await track(asset), from: asset, at: .zero, into: video)
        if hasLongerAudio {
            let tone = Asset(url: try fixture.make("tone.wav", ["sine=sample_rate=48000:duration=3"], []))
            let audio = try composition.addTrack(mediaType: .audio)
            try composition.insertTimeRange(
                range(0, 3), of: try await track(tone, .audio), from: tone, at: .zero, into: audio)
        }
        let copy = try await ExportedCopy(of: Asset(composition), in: fixture.directory, preset: preset)
        #expect(abs(try videoEnd(copy.url) - 1.2) < 0.01)
        #expect(abs(try Probe(copy.url.path).format.seconds - (hasLongerAudio ? 3 : 1.2)) < 0.05)
    }

    @Test(arguments: [TrackOutput.Settings?.none, .pixels(nil)])
    func source_rangeEndsBeforeTheVideo_reportsTheEndOfItsLastFrame(settings: TrackOutput.Settings?) async throws {
        let fixture = try ReadingFixture()
        let asset = Asset(url: try gaps(fixture))
        let cut = range(0, 1.2)
        let source = try asset.source(
            of: try await track(asset), ranges: [cut], SourceOptions(settings: settings))
        #expect(source.lastFrameEnd == nil)
        #expect(try source.rest().count == 3)
        #expect(source.lastFrameEnd == cut.end)
        source.restart(ranges: [range(0, 5)])
        #expect(source.lastFrameEnd == nil)
        #expect(try source.rest().count == 5)
        #expect(source.lastFrameEnd == nil)
    }
}
