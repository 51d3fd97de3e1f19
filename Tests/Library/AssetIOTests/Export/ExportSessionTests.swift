import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of the contract on `ExportSession`, row by row.
@Suite struct ExportSessionTests {
    /// Exports a copy and returns ffprobe's report on it.
    private func export(
        _ source: URL, _ fixture: ReadingFixture, preset: ExportPreset = .highQuality, name: String = "copy.mov",
        configure: (inout ExportSession.Configuration) -> Void = { _ in }
    ) async throws -> (probe: Probe, url: URL, session: ExportSession) {
        let session = try ExportSession(asset: Asset(url: source), preset: preset)
        try session.configure(configure)
        let copy = fixture.directory.file(name)
        try await session.export(to: copy)
        #expect(session.status == .completed && session.progress == 1)
        let probe = try Probe(copy.path, decodes: true)
        #expect(probe.complaints == "")
        return (probe, copy, session)
    }

    // MARK: Presets

    @Test func export_defaultPreset_keepsFrameTimesAndAudioStart() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.movie()
        let (probe, copy, _) = try await export(source, fixture)
        #expect(probe.video?.codecName == "h264" && probe.video?.frames == 30 && probe.audio?.codecName == "aac")
        #expect(try Probe.frameTimes(copy.path) == Probe.frameTimes(source.path))
        #expect(probe.video?.start == 0 && probe.audio?.start == 0)
        #expect(abs(probe.format.seconds - 1) < 0.03)
    }

    @Test(arguments: ExportPreset.allCases) func export_everyPreset_writesADecodableFile(preset: ExportPreset)
        async throws
    {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            "large.mov", ["testsrc2=s=1366x768:r=10:d=0.5", "sine=d=0.5"],
            ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac"])
        let isAudio = preset == .audioOnly
        let (probe, _, session) = try await export(source, fixture, preset: preset, name: isAudio ? "a.m4a" : "a.mov")
        #expect((probe.video == nil) == isAudio && probe.audio != nil)
        if let box = preset.recipe?.size, let video = probe.video {
            #expect((video.width ?? 0) <= box.width && (video.height ?? 0) <= box.height)
        }
        if isAudio { #expect(session.report.leftOut.count == 1) }
        let types = try await session.supportedFileTypes()
        #expect(types.contains(isAudio ? .m4a : .mov))
    }

    @Test func exportPresets_matchTheAssetsTracks() async throws {
        let fixture = try ReadingFixture()
        let movie = try fixture.make("a.mov", ["testsrc2=s=64x64:d=0.2"], ["-c:v", "libx264"])
        let audio = try fixture.make("a.wav", ["sine=d=0.2"], [])
        let ofMovie = try await ExportSession.exportPresets(compatibleWith: Asset(url: movie))
        let ofAudio = try await ExportSession.exportPresets(compatibleWith: Asset(url: audio))
        #expect(!ofMovie.contains(.audioOnly) && ofMovie.count == ExportPreset.allCases.count - 1)
        #expect(ofAudio == [.passthrough, .audioOnly])
    }

    @Test func estimatedLength_isWithinAnOrderOfMagnitude() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.movie()
        for preset in [ExportPreset.passthrough, .highQuality] {
            let session = try ExportSession(asset: Asset(url: source), preset: preset)
            let estimate = try await session.estimatedOutputFileLength()
            let copy = fixture.directory.file("\(preset.rawValue).mov")
            try await session.export(to: copy)
            let size = try #require(try FileManager.default.attributesOfItem(atPath: copy.path)[.size] as? Int64)
            #expect(estimate > size / 4 && estimate < size * 10)
        }
    }

    // MARK: Time

    @Test func export_timeRangeReencoded_isExactToTheFrame() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.movie()
        let range = TimeRange(start: MediaTime(value: 7, timescale: 30), end: MediaTime(value: 22, timescale: 30))
        let (probe, copy, _) = try await export(source, fixture) { $0.timeRange = range }
        #expect(probe.video?.frames == 15 && abs(probe.format.seconds - 0.5) < 0.001)
        #expect(abs((probe.audio?.seconds ?? 0) - 0.5) < 0.001)
        #expect(try Probe.frameTimes(copy.path).first == 0)
    }

    @Test func passthrough_timeRange_isExactByTheEditList() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.movie()
        // Seven frames after a keyframe.
        let range = TimeRange(start: MediaTime(value: 22, timescale: 30), end: MediaTime(value: 28, timescale: 30))
        let (_, copy, _) = try await export(source, fixture, preset: .passthrough) { $0.timeRange = range }
        let decoded = try ReadingFixture.decoded(copy, ["-map", "0:v", "-f", "framemd5"])
        let original = try ReadingFixture.decoded(source, ["-map", "0:v", "-f", "framemd5"])
        func hashes(_ data: Data) -> [String] {
            String(decoding: data, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap {
                $0.split(separator: ",").last?.trimmingCharacters(in: .whitespaces)
            }
        }
        #expect(hashes(decoded) == Array(hashes(original)[22..<28]))
        #expect(abs(try Probe(copy.path).format.seconds - 0.2) < 0.001)
    }

    @Test func export_timeRangeOutsideTheMovie_isRefused() async throws {
        let fixture = try ReadingFixture()
        let session = try ExportSession(asset: Asset(url: try fixture.movie()))
        try session.configure {
            $0.timeRange = TimeRange(start: MediaTime(value: 5, timescale: 1), end: .positiveInfinity)
        }
        let error = await #expect(throws: MediaError.self) {
            try await session.export(to: fixture.directory.file("copy.mov"))
        }
        #expect(error?.code == .invalidSettings && error?.description.contains("past the end of the movie (1") == true)
        #expect(fixture.directory.names == ["movie.mov"])
    }

    @Test func export_frameRateSet_spacesFramesEvenly() async throws {
        let fixture = try ReadingFixture()
        let (probe, copy, _) = try await export(try fixture.movie(), fixture) { $0.frameRate = 10 }
        #expect(probe.video?.frames == 10)
        let times = try Probe.frameTimes(copy.path)
        #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 0.1) < 1e-6 })
    }

    // MARK: Output file

    @Test func export_fileExists_isKeptUnlessOverwritingIsAllowed() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.movie()
        let copy = fixture.directory.file("copy.mov")
        try Data([1, 2, 3]).write(to: copy)
        let session = try ExportSession(asset: Asset(url: source))
        let error = await #expect(throws: MediaError.self) { try await session.export(to: copy) }
        #expect(error?.code == .outputExists)
        #expect(try Data(contentsOf: copy) == Data([1, 2, 3]))
        _ = try await export(source, fixture) { $0.overwritesExistingFile = true }
    }

    @Test func export_toItsOwnSource_isRefused() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.movie()
        let before = try Data(contentsOf: source)
        let link = fixture.directory.file("link.mov")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: source)
        for target in [source, link] {
            let session = try ExportSession(asset: Asset(url: source))
            try session.configure { $0.overwritesExistingFile = true }
            let error = await #expect(throws: MediaError.self) { try await session.export(to: target) }
            #expect(error?.code == .outputExists)
        }
        #expect(try Data(contentsOf: source) == before)
    }

    @Test func export_fileType_comesFromTheExtensionOrTheCaller() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.movie()
        #expect(try await export(source, fixture, name: "a.mp4").probe.format.tags?["major_brand"] != "qt  ")
        let session = try ExportSession(asset: Asset(url: source))
        try await session.export(to: fixture.directory.file("noname"), as: .mp4)
        #expect(try Probe(fixture.directory.path("noname")).format.tags?["major_brand"] != "qt  ")
        let other = try ExportSession(asset: Asset(url: source))
        let error = await #expect(throws: MediaError.self) {
            try await other.export(to: fixture.directory.file("a.webm"))
        }
        #expect(error?.code == .unsupported)
    }

    @Test func session_secondExport_throws() async throws {
        let fixture = try ReadingFixture()
        let (_, _, session) = try await export(try fixture.movie(), fixture)
        let error = await #expect(throws: MediaError.self) {
            try await session.export(to: fixture.directory.file("b.mov"))
        }
        #expect(error?.code == .invalidState && session.status == .completed)
        #expect(throws: MediaError.self) { try session.configure { $0.frameRate = 5 } }
    }

    // MARK: Tracks

    @Test(arguments: [ExportPreset.passthrough, .highQuality])
    func export_descriptionsThatNoCopyHas_areReported(preset: ExportPreset) async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            "depth.mkv", ["testsrc2=s=64x64:d=0.5"],
            ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-metadata:s:v", "stereo_mode=left_right"])
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: preset)
        #expect(copy.session.report.leftOut == ["the stereoscopic arrangement of track 1: it is not copied"])
    }

    /// Editors leave tracks without samples.
    @Test func export_firstVideoTrackWithoutSamples_usesTheSecond() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            "empty.mov", ["testsrc2=s=64x64:d=0.5", "testsrc=s=32x32:d=0.5", "sine=d=0.5"],
            [
                "-map", "0", "-map", "1", "-map", "2", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-bf", "0",
                "-c:a", "aac",
            ])
        var data = try Data(contentsOf: source)
        let trak = try #require(AtomPlaces.find("moov/trak", of: data).first)
        for (table, place) in [("stts", 4), ("stss", 4), ("stsc", 4), ("stsz", 8), ("stco", 4)] {
            let atom = try #require(AtomPlaces.find("mdia/minf/stbl/\(table)", of: data, in: trak.payload).first)
            let count = atom.payload.lowerBound + place
            data.replaceSubrange(count..<(count + 4), with: [0, 0, 0, 0])
        }
        try data.write(to: source)
        let (copy, _, session) = try await export(source, fixture)
        #expect(copy.streams.map(\.codecType) == ["video", "audio"] && copy.video?.width == 32)
        #expect(session.report.leftOut.isEmpty)
        let (_, output) = try await AssetReader.reading(source, .video, .pixels(nil))
        #expect(output.all().isEmpty)
    }

    @Test func export_trackIDsSet_exportsOnlyThoseTracks() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            "many.mov", ["testsrc2=s=64x64:d=0.5", "testsrc=s=32x32:d=0.5", "sine=d=0.5", "sine=f=880:d=0.5"],
            ["-map", "0", "-map", "1", "-map", "2", "-map", "3", "-c:v", "libx264", "-c:a", "aac"])
        let (usual, _, session) = try await export(source, fixture)
        #expect(usual.streams.map(\.codecType) == ["video", "audio", "audio"])
        #expect(session.report.leftOut.count == 1)
        let (chosen, _, _) = try await export(source, fixture, name: "b.mov") { $0.trackIDs = [2, 4] }
        #expect(chosen.streams.map(\.codecType) == ["video", "audio"] && chosen.video?.width == 32)
        let missing = try ExportSession(asset: Asset(url: source))
        try missing.configure { $0.trackIDs = [9] }
        let error = await #expect(throws: MediaError.self) {
            try await missing.export(to: fixture.directory.file("c.mov"))
        }
        #expect(error?.description.contains("the tracks are 1 (video)") == true)
    }

    @Test func export_audioMix_writesOneTrack() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            "two.mov", ["sine=f=440:d=1", "sine=f=880:d=1"], ["-map", "0", "-map", "1", "-c:a", "pcm_s16le"])
        let tracks = try await Asset(url: source).load(.tracks)
        var quiet = AudioMixInputParameters(track: tracks[1])
        try quiet.setVolume(0, at: .zero)
        let (probe, copy, _) = try await export(source, fixture) {
            $0.audioMix = AudioMix(inputParameters: [quiet])
            $0.audioSettings = AudioSettings(codec: .linearPCM)
        }
        #expect(probe.streams.count == 1)
        #expect(try Probe.decodedAudio(copy.path, as: "s16le") == Probe.decodedAudio(source.path, as: "s16le"))
    }

    // MARK: Progress

    @Test func export_progress_risesToOneAndStatesEnd() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            "long.mov", ["testsrc2=s=640x360:r=30:d=6"], ["-c:v", "libx264", "-preset", "ultrafast"])
        let session = try ExportSession(asset: Asset(url: source))
        let states = session.states(updateInterval: 0.02)
        let watching = Task {
            var seen: [ExportSession.State] = []
            for await state in states { seen.append(state) }
            return seen
        }
        try await session.export(to: fixture.directory.file("copy.mov"))
        let seen = await watching.value
        let parts = seen.compactMap { if case .exporting(let progress) = $0 { progress } else { nil } }
        #expect(parts == parts.sorted() && parts.last == 1)
        #expect(parts.contains { $0 > 0 && $0 < 1 })
    }
}
