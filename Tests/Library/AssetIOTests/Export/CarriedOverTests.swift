import AssetIO
import Foundation
import MediaTypes
import TestSupport
import Testing

/// Tests that a movie's properties survive an export, re-encoded or not, as ffprobe and mediainfo read them.
@Suite struct CarriedOverTests {
    private let fixture: ReadingFixture

    init() throws { fixture = try ReadingFixture() }

    enum Way: CaseIterable {
        case encoded, passthrough
        var preset: ExportPreset { self == .passthrough ? .passthrough : .highQuality }
    }

    private func range(_ start: Double, _ end: Double) -> TimeRange {
        TimeRange(
            start: MediaTime(seconds: start, timescale: 30_000), end: MediaTime(seconds: end, timescale: 30_000))
    }

    private func timecode(_ url: URL) throws -> String? {
        try Probe(url.path).streams.compactMap { $0.tags?["timecode"] }.first
    }

    // MARK: All at once

    @Test(arguments: Way.allCases) func export_describedMovie_keepsAllMetadata(way: Way) async throws {
        let source = try fixture.describedMovie(seconds: 2)
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: way.preset)
        #expect(copy.session.report.leftOut == [])
        let shown =
            "stream=sample_aspect_ratio,color_range,color_space,color_transfer,color_primaries,r_frame_rate"
            + ":stream_side_data=rotation"
        let before = try ExportedCopy.facts(source, "v:0", shown)
        #expect(before["sample_aspect_ratio"] == "4:3" && before["rotation"] != nil && before["color_space"] == "bt709")
        #expect(try ExportedCopy.facts(copy.url, "v:0", shown) == before)
        let (old, new) = (try Probe(source.path), try Probe(copy.url.path))
        #expect(old.audio?.tags?["language"] == "fra" && new.audio?.tags?["language"] == "fra")
        for (key, value) in [
            "title": "The walk", "location": "+47.3769+008.5417+408/", "creation_time": "2020-02-03T04:05:06.000000Z",
        ] {
            #expect(old.format.tags?[key] == value && new.format.tags?[key] == value, "\(key)")
        }
        let chapters = ["0.0 Begin", "0.7 Größe, 大", "1.5 End"]
        #expect(try ExportedCopy.chapters(source) == chapters && ExportedCopy.chapters(copy.url) == chapters)
        #expect(try timecode(source) == "01:00:00;02" && timecode(copy.url) == "01:00:00;02")
        #expect(try Probe.frameTimes(copy.url.path) == Probe.frameTimes(source.path))
        #expect(try copy.likeness() > 30)
        let information = try Command.run("mediainfo", copy.url.path).text
        for text in ["The walk", "270°", "French", "BT.709", "01:00:00;02", "2020-02-03 04:05:06"] {
            let isSaid = information.contains(text)
            #expect(isSaid, "\(text)")
        }
    }

    @Test(arguments: Way.allCases) func export_timeRange_movesChaptersAndTimecode(way: Way) async throws {
        let source = try fixture.describedMovie(seconds: 2)
        // Thirty frames into the movie.
        let start = 1001.0 / 1000
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: way.preset) {
            $0.timeRange = range(start, start + 0.8)
        }
        // 700 ms and 1500 ms; the first begins at the start of the range.
        #expect(try ExportedCopy.chapters(copy.url) == ["0.0 Größe, 大", "0.5 End"])
        #expect(try timecode(copy.url) == "01:00:01;02")
        #expect(abs(try Probe(copy.url.path).format.seconds - 0.8) < 0.01)
    }

    @Test(arguments: ["mp4", "m4v"]) func export_mpeg4_keepsTheMetadataItSupports(type: String) async throws {
        let source = try fixture.describedMovie(seconds: 2)
        for preset in [ExportPreset.highQuality, .passthrough] {
            let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: preset, as: type)
            #expect(copy.session.report.leftOut.count == 1 && copy.session.report.leftOut[0].contains("timecode"))
            let probe = try Probe(copy.url.path)
            #expect(probe.format.tags?["title"] == "The walk" && probe.audio?.tags?["language"] == "fra")
            #expect(probe.format.tags?["location"] == "+47.3769+008.5417+408/")
            #expect(try ExportedCopy.chapters(copy.url) == ["0.0 Begin", "0.7 Größe, 大", "1.5 End"])
            #expect(try copy.likeness() > 30)
        }
    }

    @Test func export_audioOnly_keepsTitleAndChapters() async throws {
        let source = try fixture.describedMovie(seconds: 2)
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: .audioOnly, as: "m4a")
        let probe = try Probe(copy.url.path)
        #expect(probe.video == nil && probe.audio?.tags?["language"] == "fra")
        #expect(probe.format.tags?["title"] == "The walk")
        #expect(try ExportedCopy.chapters(copy.url) == ["0.0 Begin", "0.7 Größe, 大", "1.5 End"])
    }

    // MARK: One by one

    @Test(arguments: [ExportPreset.highQuality, .passthrough, .lowQuality])
    func export_cleanAperture_isKeptAndScaled(preset: ExportPreset) async throws {
        let source = fixture.directory.file("aperture.mov")
        let aperture = CleanAperture(width: 1240, height: 700, horizontalOffset: 8, verticalOffset: -4)
        let writer = try AssetWriter(outputURL: source)
        let input = try AssetWriterInput(
            mediaType: .video,
            outputSettings: .video(
                VideoSettings(width: 1280, height: 720, preset: "ultrafast", cleanAperture: aperture)))
        try writer.add(input)
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        for number in 0..<4 {
            let time = MediaTime(value: Int64(number), timescale: 30)
            try input.append(SyntheticMedia.videoSample(number, at: time, width: 1280, height: 720))
        }
        try await writer.finishWriting()
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: preset)
        let track = try #require(try await Asset(url: copy.url).tracks(withMediaType: .video).first)
        let expected =
            preset == .lowQuality
            ? CleanAperture(width: 620, height: 350, horizontalOffset: 4, verticalOffset: -2) : aperture
        #expect(track.formatDescription?.video?.cleanAperture == expected)
        // Versions of mediainfo differ in the spaces of their JSON.
        let width = try Command.run("mediainfo", "--Output=Video;%Width_CleanAperture%", copy.url.path).text
        #expect(width.trimmingCharacters(in: .whitespacesAndNewlines) == "\(expected.width)")
    }

    @Test(arguments: [
        ["bt709", "bt709", "bt709"], ["smpte170m", "smpte170m", "smpte170m"], ["bt2020", "arib-std-b67", "bt2020nc"],
    ]) func export_colorTags_areKept(names: [String]) async throws {
        let source = try fixture.make(
            "colour.mov", ["testsrc2=s=160x96:r=25:d=0.5"],
            [
                "-vf", ColorTags.filter(primaries: names[0], transfer: names[1], matrix: names[2]), "-c:v", "libx264",
                "-qp", "10", "-pix_fmt", "yuv420p",
            ])
        for preset in [ExportPreset.highQuality, .passthrough] {
            let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: preset)
            let facts = try ExportedCopy.facts(copy.url, "v:0", "stream=color_primaries,color_transfer,color_space")
            #expect(facts == ["color_primaries": names[0], "color_transfer": names[1], "color_space": names[2]])
            #expect(try copy.likeness() > 30)
        }
    }

    @Test(arguments: ["mov", "mkv"]) func export_variableFrameRate_keepsFrameTimes(container: String) async throws {
        // Matroska has milliseconds.
        let tolerance = container == "mkv" ? 0.0005 : 0.000_002
        for seconds in [2, 10] {
            let source = try fixture.make(
                "vfr.\(container)", ["testsrc2=s=64x64:r=30:d=\(seconds)"],
                [
                    "-vf", "select='not(mod(n,7))+eq(mod(n,7),3)'", "-fps_mode", "vfr", "-c:v", "libx264", "-bf", "2",
                    "-g",
                    "20", "-pix_fmt", "yuv420p",
                ])
            for preset in [ExportPreset.highQuality, .passthrough] {
                let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: preset)
                let (old, new) = (try Probe.frameTimes(source.path), try Probe.frameTimes(copy.url.path))
                #expect(!old.isEmpty && old.count == new.count)
                #expect(zip(old, new).allSatisfy { abs($0 - $1) < tolerance }, "\(preset): \(old), \(new)")
            }
        }
    }

    // MARK: Audio and video together

    private static let clicks =
        "aevalsrc='st(0,abs(mod(n,24000)-12000));0.85*eq(ld(0),0)-0.43*eq(ld(0),1)+0.12*eq(ld(0),2)':s=48000:d=3"

    @Test(arguments: [0.25, -0.25, 0], ["pcm_s16le", "aac"])
    func export_audioOffset_isKeptToTheMillisecond(offset: Double, codec: String) async throws {
        let (frames, audio) = (
            try fixture.make(
                "v.mov", ["testsrc2=s=64x64:r=30:d=3"], ["-c:v", "libx264", "-bf", "2", "-pix_fmt", "yuv420p"]),
            try fixture.make("a.wav", [Self.clicks], [])
        )
        let source = fixture.directory.file("offset.mov")
        let delays = (video: max(0, -offset), audio: max(0, offset))
        let made = try Command.run(
            "ffmpeg", "-v", "error", "-y", "-itsoffset", "\(delays.video)", "-i", frames.path, "-itsoffset",
            "\(delays.audio)", "-i", audio.path, "-c:v", "copy", "-c:a", codec, "-b:a", "256k", source.path)
        try #require(made.status == 0, "\(made.errors)")
        let (places, times) = (try ExportedCopy.clickPlaces(source), try Probe.frameTimes(source.path))
        #expect(places.count == 6 && times.count == 90)
        for preset in [ExportPreset.highQuality, .passthrough] {
            let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: preset)
            let (found, shown) = (try ExportedCopy.clickPlaces(copy.url), try Probe.frameTimes(copy.url.path))
            #expect(found.count == places.count)
            for (place, there) in zip(places, found) {
                // 48 audio frames are a millisecond.
                #expect(abs(place - there) < 48, "\(preset.rawValue): \(there) for \(place)")
            }
            #expect(zip(times, shown).allSatisfy { abs($0 - $1) < 0.0005 }, "\(times[0]) \(shown[0])")
        }
        // The same holds for a time range.
        let copy = try await ExportedCopy(of: source, in: fixture.directory) { $0.timeRange = range(0.6, 2.4) }
        let found = try ExportedCopy.clickPlaces(copy.url)
        let expected = places.map { $0 - 28_800 }.filter { $0 >= 0 && $0 < 86_400 }
        #expect(found.count == expected.count)
        for (place, there) in zip(expected, found) { #expect(abs(place - there) < 48, "\(there) for \(place)") }
    }
}
