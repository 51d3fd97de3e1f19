import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// A cut shows the frame that is on screen at its start, and every frame after it, wherever keyframes are.
@Suite struct CutFramesTests {
    /// FFmpeg's time and hash of every decoded frame that is shown.
    static func frames(_ url: URL) throws -> (times: [Double], hashes: [Substring]) {
        // Of H.264 that begins in an open group FFmpeg complains, though every frame that is shown is whole.
        let result = try Command.run(
            "ffmpeg", "-v", "quiet", "-i", url.path, "-map", "0:v:0", "-fps_mode", "passthrough", "-enc_time_base",
            "1:1000", "-f", "framemd5", "-")
        try #require(result.status == 0)
        let rows = result.text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            line.split(separator: ",").map { $0.drop { $0 == " " } }
        }
        return (rows.compactMap { Double($0[2]).map { $0 / 1000 } }, rows.compactMap(\.last))
    }

    /// One frame a second for ten seconds, with B-frames, and audio.
    private func slides(_ fixture: ReadingFixture, _ name: String = "slides.mp4", audio: Double = 10) throws -> URL {
        try fixture.make(
            name, ["testsrc2=s=128x96:r=1:d=10", "sine=sample_rate=48000:duration=\(audio)"],
            ["-c:v", "libx264", "-bf", "2", "-g", "100", "-pix_fmt", "yuv420p", "-c:a", "aac"])
    }

    private func range(_ start: Double, _ end: Double) -> TimeRange {
        TimeRange(
            start: MediaTime(seconds: start), end: end.isFinite ? MediaTime(seconds: end) : .positiveInfinity)
    }

    @Test(arguments: [ExportPreset.passthrough, .highQuality], [(4.5, 7.5), (4.25, 4.75), (9.5, .infinity)])
    func export_cutInsideAFrame_showsItFromTheStart(preset: ExportPreset, cut: (Double, Double)) async throws {
        let fixture = try ReadingFixture()
        let source = try slides(fixture)
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: preset) {
            $0.timeRange = range(cut.0, cut.1)
        }
        let (first, end) = (Int(cut.0), min(10, Int(cut.1.isFinite ? cut.1.rounded(.up) : 10)))
        let shown = try Self.frames(copy.url)
        let times = (first..<end).map { max(0, Double($0) - cut.0) }
        #expect(shown.times.count == times.count, "\(shown.times)")
        #expect(zip(shown.times, times).allSatisfy { abs($0 - $1) < 0.002 }, "\(shown.times)")
        if preset == .passthrough {
            #expect(shown.hashes == Array(try Self.frames(source).hashes[first..<end]))
        }
        #expect(abs(try Probe(copy.url.path).format.seconds - (min(10, cut.1) - cut.0)) < 0.03)
        #expect(copy.session.report.leftOut.isEmpty)
    }

    @Test func export_cutInsideAnIntraFrame_showsIt() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            "intra.mov", ["testsrc2=s=128x96:r=1:d=6"], ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p"])
        let all = try Self.frames(source).hashes
        for (start, expected) in [(2.5, 2..<6), (5.25, 5..<6)] {
            let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough) {
                $0.timeRange = range(start, .infinity)
            }
            #expect(try Self.frames(copy.url).hashes == Array(all[expected]))
            #expect(abs(try Probe(copy.url.path).format.seconds - (6 - start)) < 0.01)
        }
    }

    /// Matroska states 0.1 s for every frame of a track of ten frames a second, also where the next comes much later.
    @Test(arguments: [ExportPreset.passthrough, .highQuality], ["mjpeg", "libx264"])
    func export_cutAfterTheStatedEndOfAFrame_showsThatFrame(preset: ExportPreset, encoder: String) async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            "gaps.mkv", ["testsrc2=s=128x96:r=10:d=3,select='eq(n,0)+eq(n,2)+eq(n,5)+eq(n,20)+eq(n,22)'"],
            (encoder == "mjpeg" ? ["-pix_fmt", "yuvj420p"] : ["-bf", "2", "-pix_fmt", "yuv420p"])
                + ["-c:v", encoder, "-fps_mode", "vfr"])
        let all = try Self.frames(source).hashes
        try #require(all.count == 5)
        // On screen from 0.5 to 2 s: in the middle, and to its end.
        for (start, end) in [(1.1, 1.7), (0.7, 2.0)] {
            let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: preset) {
                $0.timeRange = range(start, end)
            }
            let shown = try Self.frames(copy.url)
            #expect(shown.times == [0], "\(start) to \(end)")
            if preset == .passthrough { #expect(shown.hashes == [all[2]], "\(start) to \(end)") }
            #expect(abs(try Probe(copy.url.path).format.seconds - (end - start)) < 0.01, "\(start) to \(end)")
            #expect(copy.session.report.leftOut.isEmpty, "\(start) to \(end)")
        }
    }

    /// It is unknown what was on screen there.
    @Test func passthrough_cutInMissingMedia_isRefused() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            "whole.mov", ["testsrc2=s=128x96:r=5:d=10"],
            ["-c:v", "libx264", "-g", "5", "-pix_fmt", "yuv420p", "-movflags", "+faststart"])
        let short = fixture.directory.file("short.mov")
        let data = try Data(contentsOf: source)
        try data.prefix(data.count / 2).write(to: short)
        let error = await #expect(throws: MediaError.self) {
            _ = try await ExportedCopy(of: short, in: fixture.directory, preset: .passthrough) {
                $0.timeRange = range(8.1, 8.15)
                $0.skipsDamagedMedia = true
            }
        }
        #expect(error?.code == .corruptData, "\(String(describing: error))")
    }

    @Test(arguments: [ExportPreset.passthrough, .highQuality])
    func export_cutAfterTheLastFrame_reportsWhatIsMissing(preset: ExportPreset) async throws {
        let fixture = try ReadingFixture()
        let source = try slides(fixture, audio: 14)
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: preset) {
            $0.timeRange = range(12, 13)
        }
        #expect(try Probe(copy.url.path).video == nil)
        #expect(copy.session.report.leftOut.contains { $0.contains("track 1, video") })
        let silent = try fixture.make(
            "short.mkv", ["testsrc2=s=128x96:r=10:d=1"], ["-c:v", "libx264", "-pix_fmt", "yuv420p"])
        let error = await #expect(throws: MediaError.self) {
            _ = try await ExportedCopy(of: silent, in: fixture.directory, preset: preset) {
                $0.timeRange = range(3, 4)
            }
        }
        #expect(error?.code == .invalidSettings, "\(String(describing: error))")
    }

    @Test func reader_rangeInsideAFrame_returnsThatFrameFirst() async throws {
        let fixture = try ReadingFixture()
        let source = try slides(fixture)
        let all = try await AssetReader.reading(source, .video, .pixels(nil)).1.all()
        let (_, output) = try await AssetReader.reading(
            source, .video, .pixels(nil), from: MediaTime(value: 9, timescale: 2),
            to: MediaTime(value: 15, timescale: 2))
        let part = output.all()
        #expect(part.map(\.visible) == all[4..<8].map(\.visible))
        #expect(part.map(\.presentationTime.seconds) == [4.5, 5, 6, 7])
        #expect(part.first?.duration?.seconds == 0.5)
    }

    @Test func composition_segmentsThatBeginInsideFrames_showThoseFrames() async throws {
        let fixture = try ReadingFixture()
        let asset = Asset(url: try slides(fixture))
        let track = try #require(try await asset.tracks(withMediaType: .video).first)
        var composition = Composition()
        let id = try composition.addTrack(mediaType: .video)
        for (start, end, place) in [(2.5, 4.0, 0.0), (6.25, 7.5, 1.5)] {
            try composition.insertTimeRange(
                range(start, end), of: track, from: asset, at: MediaTime(seconds: place), into: id)
        }
        let joined = Asset(composition)
        let output = try TrackOutput(
            track: try #require(try await joined.tracks(withMediaType: .video).first), outputSettings: .pixels(nil))
        let reader = try AssetReader(asset: joined)
        try reader.add(output)
        try reader.startReading()
        let all = try await AssetReader.reading(try #require(asset.url), .video, .pixels(nil)).1.all()
        let shown = output.all()
        #expect(shown.map(\.presentationTime.seconds) == [0, 0.5, 1.5, 2.25])
        #expect(shown.map(\.visible) == [2, 3, 6, 7].map { all[$0].visible })
    }

    @Test func writerSession_startsInsideARawFrame_showsIt() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addPullVideo()
        try fixture.writer.startWriting()
        try fixture.writer.startSession(atSourceTime: MediaTime(value: 3, timescale: 2))
        try await video.feed(.receiver, 4) { number in
            SampleBuffer(
                pixels: SyntheticMedia.frame(number * 20, width: 64, height: 48),
                presentationTime: MediaTime(value: Int64(number), timescale: 1))
        }
        try await fixture.writer.finishWriting()
        #expect(try Probe.frameTimes(fixture.path) == [0, 0.5, 1.5])
        let found = try Probe.brightness(fixture.path)
        #expect(zip(found, [1, 2, 3]).allSatisfy { abs(Int($0) - Int(SyntheticMedia.luma($1 * 20))) <= 4 }, "\(found)")
    }

    private static let openGroups = [
        (
            "o.mp4",
            ["-c:v", "libx264", "-x264-params", "open-gop=1:keyint=14:min-keyint=14:bframes=3:b-adapt=0:scenecut=0"]
        ),
        (
            "o.mkv",
            ["-c:v", "libx264", "-x264-params", "open-gop=1:keyint=14:min-keyint=14:bframes=3:b-adapt=0:scenecut=0"]
        ),
        (
            "o.ts",
            ["-c:v", "libx264", "-x264-params", "open-gop=1:keyint=14:min-keyint=14:bframes=3:b-adapt=0:scenecut=0"]
        ),
        (
            "h.mp4",
            [
                "-c:v", "libx265", "-x265-params",
                "open-gop=1:keyint=14:min-keyint=14:bframes=3:b-adapt=0:scenecut=0:log-level=none",
            ]
        ),
        ("m.ts", ["-c:v", "mpeg2video", "-g", "13", "-bf", "2"]),
        ("m.mkv", ["-c:v", "mpeg2video", "-g", "13", "-bf", "2"]),
    ]

    @Test(arguments: openGroups)
    func passthrough_cutAmongLeadingFrames_decodesEveryShownFrame(name: String, arguments: [String]) async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            name, ["testsrc2=s=128x96:r=25:d=2"], arguments + ["-pix_fmt", "yuv420p"])
        let all = try Self.frames(source).hashes
        #expect(all.count == 50)
        for first in 8...16 {
            let copy = fixture.directory.file("copy-\(first).mov")
            let session = try ExportSession(asset: Asset(url: source), preset: .passthrough)
            try session.configure {
                $0.timeRange = TimeRange(
                    start: MediaTime(value: Int64(first), timescale: 25), end: MediaTime(value: 40, timescale: 25))
            }
            try await session.export(to: copy)
            let shown = try Self.frames(copy)
            #expect(shown.hashes == Array(all[first..<40]), "from \(first): \(shown.times)")
            #expect(session.report.damage.isEmpty, "from \(first)")
        }
    }

    /// Every third frame is a keyframe, and two frames after each are shown before it.
    @Test(arguments: ["m.mkv", "m.ts", "m.mov"])
    func passthrough_shortCutInOpenGOPs_showsExactlyItsFrames(name: String) async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            name, ["testsrc2=s=128x96:r=25:d=1"], ["-c:v", "mpeg2video", "-g", "3", "-bf", "2", "-pix_fmt", "yuv420p"])
        let all = try Self.frames(source).hashes
        for first in 6..<12 {
            for (start, count) in [(0.0, 1), (0.3, 1), (0.0, 2)] {
                let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough) {
                    $0.timeRange = range((Double(first) + start) / 25, (Double(first + count) - 0.2) / 25)
                }
                let shown = try Self.frames(copy.url)
                #expect(shown.hashes == Array(all[first..<first + count]), "\(count) from \(first) + \(start)")
                let flags = try Probe.ask(
                    copy.url.path, "packet=flags", of: "v:0", options: ["-ignore_editlist", "1"])
                #expect(flags.text.hasPrefix("K"), "\(count) from \(first) + \(start): \(flags.text)\(flags.errors)")
            }
        }
    }

    @Test func passthrough_editListAtLeadingFrames_keepsTheFramesTheyNeed() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            "o.mp4", ["testsrc2=s=128x96:r=25:d=2"], Self.openGroups[0].1 + ["-pix_fmt", "yuv420p"])
        var (url, start) = (source, MediaTime(value: 12, timescale: 25))
        for number in 0..<2 {
            let session = try ExportSession(asset: Asset(url: url), preset: .passthrough)
            try session.configure { [start] in $0.timeRange = TimeRange(start: start, end: .positiveInfinity) }
            url = fixture.directory.file("copy-\(number).mov")
            try await session.export(to: url)
            // The second time whole: its edit list begins at leading frames.
            start = .zero
        }
        #expect(try Self.frames(url).hashes == Array(try Self.frames(source).hashes[12...]))
    }

    @Test func export_videoCompositionCutInsideAFrame_beginsWithThatFrame() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            "slides.mov", ["nullsrc=s=128x96:r=1:d=10,geq=lum='60+N*15':cb=128:cr=128"],
            ["-c:v", "libx264", "-bf", "2", "-g", "100", "-qp", "0", "-pix_fmt", "yuv420p"])
        let asset = Asset(url: source)
        var composition = try await VideoComposition(propertiesOf: asset)
        composition.frameDuration = MediaTime(value: 1, timescale: 2)
        let copy = try await ExportedCopy(of: asset, in: fixture.directory) { [composition] in
            $0.videoComposition = composition
            $0.timeRange = range(4.25, 6.25)
        }
        let found = try Probe.brightness(copy.url.path)
        // On screen at 4.25, 4.75, 5.25 and 5.75 seconds.
        #expect(found.count == 4)
        #expect(zip(found, [120, 120, 135, 135]).allSatisfy { abs(Int($0) - $1) <= 3 }, "\(found)")
    }

    /// Keyframes that come before frames shown earlier, and behind the end of a cut.
    @Test(arguments: [openGroups[0], openGroups[3], openGroups[4]])
    func passthrough_cutEndsAmongLeadingFrames_showsEveryFrame(name: String, arguments: [String]) async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            name, ["testsrc2=s=128x96:r=25:d=2"], arguments + ["-pix_fmt", "yuv420p"])
        let all = try Self.frames(source).hashes
        for end in 10...15 {
            let copy = fixture.directory.file("copy-\(end).mov")
            let session = try ExportSession(asset: Asset(url: source), preset: .passthrough)
            try session.configure {
                // Within the last frame, as people cut.
                $0.timeRange = TimeRange(
                    start: MediaTime(value: 2, timescale: 25), end: MediaTime(value: Int64(end * 2) + 1, timescale: 50))
            }
            try await session.export(to: copy)
            #expect(try Self.frames(copy).hashes == Array(all[2...end]), "to \(end)")
        }
    }
}
