import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Movies whose edit list shows several parts of a track's media, as editors write them.
@Suite struct SeveralEditsTests {
    /// Puts an edit list into the track of a movie that FFmpeg made, in the place of its own.
    ///
    /// - Parameter edits: milliseconds, and where the part begins in the media's ticks; −1 for nothing.
    private static func setEdits(_ edits: [(Int32, Int32)], in url: URL) throws {
        var data = try Data(contentsOf: url)
        let moov = try #require(AtomPlaces.find("moov", of: data).first)
        let trak = try #require(AtomPlaces.find("trak", of: data, in: moov.payload).first)
        let header = try #require(AtomPlaces.find("tkhd", of: data, in: trak.payload).first)
        let old = try #require(AtomPlaces.find("edts", of: data, in: trak.payload).first)
        let entries = edits.reduce(into: Data()) { $0 += bytes($1.0) + bytes($1.1) + bytes(1 << 16) }
        let head = bytes(Int32(16 + entries.count)) + Data("elst".utf8)
        let list = head + bytes(0) + bytes(Int32(edits.count)) + entries
        let new = bytes(Int32(8 + list.count)) + Data("edts".utf8) + list
        let growth = new.count - (old.end - old.start)
        // FFmpeg writes the header after the media, or before fragments that refer to themselves: nothing else changes.
        data.replaceSubrange(old.start..<old.end, with: new)
        for atom in [moov, trak] { put(Int32(atom.end - atom.start + growth), at: atom.start, of: &data) }
        // After version, flags, two times, the ID and a reserved number.
        put(edits.reduce(0) { $0 + $1.0 }, at: header.payload.lowerBound + 20, of: &data)
        try data.write(to: url)
    }

    private static func bytes(_ value: Int32) -> Data { withUnsafeBytes(of: value.bigEndian) { Data($0) } }

    private static func put(_ value: Int32, at place: Int, of data: inout Data) {
        data.replaceSubrange(place..<(place + 4), with: bytes(value))
    }

    /// Gives a movie that FFmpeg made another duration (`mvhd`), in milliseconds.
    private static func setDuration(_ duration: Int32, in url: URL) throws {
        var data = try Data(contentsOf: url)
        let header = try #require(AtomPlaces.find("moov/mvhd", of: data).first)
        // After version, flags, two times and the time scale.
        put(duration, at: header.payload.lowerBound + 16, of: &data)
        try data.write(to: url)
    }

    /// Two seconds of 25 frames, a keyframe every second; one tick is a frame.
    private func movie(_ fixture: ReadingFixture, bFrames: Int, _ edits: [(Int32, Int32)]) throws -> URL {
        let url = try fixture.make(
            "e.mp4", ["testsrc2=s=128x96:r=25:d=4"],
            [
                "-c:v", "libx264", "-g", "25", "-bf", "\(bFrames)", "-pix_fmt", "yuv420p", "-video_track_timescale",
                "25",
            ])
        // FFmpeg's first frame has the first edit's media time.
        let first: Int32 = bFrames > 0 ? 2 : 0
        try Self.setEdits(edits.map { ($0.0, $0.1 < 0 ? -1 : $0.1 + first) }, in: url)
        try Self.setDuration(edits.reduce(0) { $0 + $1.0 }, in: url)
        return url
    }

    /// FFmpeg gives the frames around an edit of a track with B-frames one time, in the source as in the copy.
    private static let sameTimes = "non monotonically increasing dts to muxer"

    /// A long frame is shown until the next one, but not in an empty edit.
    @Test func shownFrame_emptyEdit_isNotHeld() async throws {
        let fixture = try ReadingFixture()
        let asset = Asset(url: try movie(fixture, bFrames: 0, [(480, 0), (520, -1), (1000, 25)]))
        let track = try #require(try await asset.tracks(withMediaType: .video).first)
        let time = { (milliseconds: Int64) in MediaTime(value: milliseconds, timescale: 1000) }
        #expect(asset.gaps(of: track) == [TimeRange(start: time(480), end: time(1000))])
        let slow = Asset(url: try fixture.make("slow.mov", ["testsrc2=s=64x48:r=1/2:d=6"], ["-c:v", "libx264"]))
        let long = try #require(try await slow.tracks(withMediaType: .video).first)
        #expect(slow.gaps(of: long) == [])
        func isShown(_ asset: Asset, _ track: AssetTrack, at times: [Int64]) throws -> [Bool] {
            let frames = FrameAtTime(asset: asset, track: track, ReaderOutputConfiguration())
            try frames.begin(TimeRange(start: .zero, end: time(6000)))
            return try times.map { try frames.frame(at: time($0)) != nil }
        }
        #expect(
            try isShown(asset, track, at: [0, 479, 480, 999, 1000, 1999]) == [true, true, false, false, true, true])
        #expect(try isShown(slow, long, at: [0, 1999, 2000, 5999, 6000]) == [true, true, true, true, false])
    }

    private static let lists: [[(Int32, Int32)]] = [
        [(480, 5), (520, 40)], [(1000, 0), (1000, 25), (2000, 50)], [(400, 60), (600, 10)],
        [(400, 10), (400, 10), (400, 50)], [(200, -1), (480, 5), (520, 40)],
    ]

    @Test(arguments: [0, 2], lists.indices)
    func passthrough_severalEdits_showsTheSameFramesAtTheSameTimes(bFrames: Int, list: Int) async throws {
        let fixture = try ReadingFixture()
        let source = try movie(fixture, bFrames: bFrames, Self.lists[list])
        let due = try CutFramesTests.frames(source)
        let copy = try await ExportedCopy(
            of: source, in: fixture.directory, preset: .passthrough, tolerating: Self.sameTimes)
        let shown = try CutFramesTests.frames(copy.url)
        #expect(shown.hashes == due.hashes)
        let (times, dueTimes) = (try Probe.frameTimes(copy.url.path), try Probe.frameTimes(source.path))
        #expect(times.count == due.hashes.count && times.count == dueTimes.count)
        #expect(zip(times, dueTimes).allSatisfy { abs($0 - $1) < 0.002 }, "\(times), \(dueTimes)")
        #expect(copy.session.report.damage.isEmpty)
    }

    /// Video that is trimmed under longer audio, also if it begins later than the audio.
    @Test(arguments: [0, 2], [[(1000, 0)], [(480, -1), (520, 30)]] as [[(Int32, Int32)]])
    func passthrough_oneEditHidesFrames_hidesThemInTheCopyToo(bFrames: Int, edits: [(Int32, Int32)]) async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            "e.mp4", ["testsrc2=s=128x96:r=25:d=4", "sine=r=48000:d=4"],
            [
                "-c:v", "libx264", "-g", "25", "-bf", "\(bFrames)", "-pix_fmt", "yuv420p", "-video_track_timescale",
                "25", "-c:a", "aac",
            ])
        let first: Int32 = bFrames > 0 ? 2 : 0
        try Self.setEdits(edits.map { ($0.0, $0.1 < 0 ? -1 : $0.1 + first) }, in: source)
        let start = edits[0].1 < 0 ? 0.48 : 0
        let count = edits[0].1 < 0 ? 13 : 25
        let copy = try await ExportedCopy(
            of: source, in: fixture.directory, preset: .passthrough, tolerating: Self.sameTimes)
        let shown = try CutFramesTests.frames(copy.url).hashes
        #expect(try shown == CutFramesTests.frames(source).hashes && shown.count == count)
        let times = try Probe.frameTimes(copy.url.path)
        #expect(abs((times.first ?? -1) - start) < 0.002 && times.count == count, "\(times)")
        let cut = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough) {
            $0.timeRange = TimeRange(start: MediaTime(value: 2, timescale: 1), end: MediaTime(value: 3, timescale: 1))
        }
        #expect(try await Asset(url: cut.url).tracks(withMediaType: .video).isEmpty)
    }

    @Test func passthrough_cutThroughSeveralEdits_showsTheFramesOfTheCut() async throws {
        let fixture = try ReadingFixture()
        let source = try movie(fixture, bFrames: 2, [(480, 5), (520, 40)])
        let due = try CutFramesTests.frames(source)
        for (first, end) in [(3, 20), (12, 25), (14, 22), (0, 12)] {
            let copy = try await ExportedCopy(
                of: source, in: fixture.directory, preset: .passthrough, tolerating: Self.sameTimes
            ) {
                $0.timeRange = TimeRange(
                    start: MediaTime(value: Int64(first), timescale: 25),
                    end: MediaTime(value: Int64(end), timescale: 25))
            }
            #expect(try CutFramesTests.frames(copy.url).hashes == Array(due.hashes[first..<end]), "\(first)..<\(end)")
        }
    }

    /// In the second list another part of the media shows the frames of the first once more.
    @Test(arguments: [0, 2, 3], [[(480, 5), (520, 40)], [(480, 5), (520, 40), (400, 12)]])
    func passthrough_cutInsideAFrameOfSeveralEdits_showsItFirst(bFrames: Int, edits: [(Int32, Int32)]) async throws {
        let fixture = try ReadingFixture()
        let source = try movie(fixture, bFrames: bFrames, edits)
        let due = try CutFramesTests.frames(source)
        for (first, end) in [(3, 20), (11, 14), (12, 25), (14, 22), (0, 12)] {
            let copy = try await ExportedCopy(
                of: source, in: fixture.directory, preset: .passthrough, tolerating: Self.sameTimes
            ) {
                // A quarter of the first frame is over.
                $0.timeRange = TimeRange(
                    start: MediaTime(value: Int64(first) * 4 + 1, timescale: 100),
                    end: MediaTime(value: Int64(end), timescale: 25))
            }
            let shown = try CutFramesTests.frames(copy.url)
            #expect(shown.hashes == Array(due.hashes[first..<end]), "\(first)..<\(end)")
            let times = (first..<end).map { max(0, Double($0) / 25 - Double(first) / 25 - 0.01) }
            let (_, output) = try await AssetReader.reading(copy.url, .video, .pixels(nil))
            let found = output.all().map(\.presentationTime.seconds)
            #expect(found.count == times.count && zip(found, times).allSatisfy { abs($0 - $1) < 0.003 }, "\(found)")
            guard bFrames == 0 else { continue }
            let shownTimes = try Probe.frameTimes(copy.url.path)
            #expect(zip(shownTimes, times).allSatisfy { abs($0 - $1) < 0.003 }, "\(shownTimes)")
        }
    }

    /// A chunk of a long transcode begins without the frame on screen, which belongs to the chunk before.
    @Test func source_laterEditBeginsInsideAFrame_showsThatFrameInAChunk() async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make(
            "c.mp4", ["testsrc2=s=128x96:r=25:d=4"],
            ["-c:v", "libx264", "-g", "25", "-bf", "0", "-pix_fmt", "yuv420p", "-video_track_timescale", "100"])
        // The second edit begins in the middle of the frame at 2 s.
        try Self.setEdits([(1000, 0), (1000, 202)], in: url)
        let asset = Asset(url: url)
        let track = try #require(try await asset.tracks(withMediaType: .video).first)
        let end = MediaTime(value: 2, timescale: 1)
        let whole = try asset.source(
            of: track, ranges: [TimeRange(start: .zero, end: end)], SourceOptions(settings: .pixels(nil))
        ).rest().map(\.presentationTime)
        #expect(whole.contains(MediaTime(value: 1, timescale: 1)), "\(whole)")
        for start in [MediaTime(value: 1, timescale: 2), MediaTime(value: 1, timescale: 1)] {
            var options = SourceOptions(settings: .pixels(nil))
            options.showsHeldFrame = false
            let chunk = try asset.source(of: track, ranges: [TimeRange(start: start, end: end)], options).rest()
            #expect(chunk.map(\.presentationTime) == whole.filter { $0 >= start })
        }
    }

    /// Returns the highest correlation of 2400 audio frames with those of a copy, at most 2048 audio frames away.
    private static func correlation(_ due: Data, _ heard: Data, at start: Int) throws -> Double {
        func samples(_ data: Data) -> [Double] {
            data.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }.map { Double($0) }
        }
        let (one, other) = (samples(due), samples(heard))
        let (length, most) = (2400, 2048)
        try #require(start >= most && start + length + most <= min(one.count, other.count))
        return one.withUnsafeBufferPointer { one in
            other.withUnsafeBufferPointer { other in
                var best = 0.0
                for shift in -most...most {
                    var (product, power, otherPower) = (0.0, 0.0, 0.0)
                    for place in start..<start + length {
                        let (a, b) = (one[place], other[place + shift])
                        product += a * b
                        power += a * a
                        otherPower += b * b
                    }
                    if power * otherPower > 0 { best = max(best, product / (power * otherPower).squareRoot()) }
                }
                return best
            }
        }
    }

    @Test func passthrough_severalEditsOfAudio_keepsTheAudioAndItsLength() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            "a.m4a", ["aevalsrc=0.4*sin(2*PI*(300+400*t)*t):s=48000:d=4"], ["-c:a", "aac"])
        try Self.setEdits([(1000, 1024), (1000, 97_024)], in: source)
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough)
        let (due, heard) = (
            try Probe.decodedAudio(source.path, as: "s16le"), try Probe.decodedAudio(copy.url.path, as: "s16le")
        )
        #expect(
            abs(due.count - heard.count) <= 4096 && abs(due.count - 192_000) <= 8192, "\(due.count), \(heard.count)")
        // The pitch rises all the time. Both places are half a second away from the seam.
        for place in [24_000, 72_000] { #expect(try Self.correlation(due, heard, at: place) > 0.98, "\(place)") }
        #expect(abs(try Probe(copy.url.path).format.seconds - 2) < 0.03)
    }

    /// FFmpeg 5.1 shows some of these frames at wrong times, or twice.
    @Test(arguments: [
        ["-c:v", "libx264", "-g", "25", "-bf", "3"],
        [
            "-c:v", "libx265", "-x265-params",
            "open-gop=1:keyint=12:min-keyint=12:bframes=3:b-adapt=0:scenecut=0:log-level=none",
        ],
        ["-c:v", "mpeg4", "-g", "12", "-bf", "2", "-q:v", "4"],
    ])
    func reader_severalEdits_followsTheEditList(codec: [String]) async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            "e.mp4", ["testsrc2=s=128x96:r=25:d=4"],
            codec + ["-pix_fmt", "yuv420p", "-video_track_timescale", "25"])
        let all = try await AssetReader.reading(source, .video, .pixels(nil)).1.all()
        #expect(all.count == 100)
        // Backwards, once more, and in the middle of groups; after nothing.
        let parts: [(first: Int32, count: Int32)] = [(29, 4), (18, 6), (2, 12), (18, 6)]
        let delay: Int32 = codec.contains("mpeg4") ? 1 : 2
        try Self.setEdits([(200, -1)] + parts.map { ($0.count * 40, $0.first + delay) }, in: source)
        try Self.setDuration(200 + parts.reduce(0) { $0 + $1.count * 40 }, in: source)
        let shown = try await AssetReader.reading(source, .video, .pixels(nil)).1.all()
        let due = parts.flatMap { part in (0..<part.count).map { Int(part.first + $0) } }
        #expect(shown.map(\.visible) == due.map { all[$0].visible })
        let times = due.indices.map { 0.2 + Double($0) * 0.04 }
        #expect(zip(shown, times).allSatisfy { abs($0.presentationTime.seconds - $1) < 0.001 })
        let copy = try await ExportedCopy(of: source, in: fixture.directory)
        let found = try Probe.frameTimes(copy.url.path)
        #expect(found.count == times.count && zip(found, times).allSatisfy { abs($0 - $1) < 0.002 }, "\(found)")
    }

    @Test func reader_gapBetweenEdits_keepsTheTimesAfterIt() async throws {
        let fixture = try ReadingFixture()
        let source = try movie(fixture, bFrames: 2, [(480, 5), (500, -1), (520, 40)])
        let (_, output) = try await AssetReader.reading(source, .video, .pixels(nil))
        let times = output.all().map(\.presentationTime.seconds)
        let before: [Double] = (0..<12).map { Double($0) * 0.04 }
        let due: [Double] = before + (0..<13).map { 0.98 + Double($0) * 0.04 }
        #expect(times.count == due.count && zip(times, due).allSatisfy { abs($0 - $1) < 0.001 }, "\(times)")
        let duration = try await Asset(url: source).load(.duration)
        #expect(abs(duration.seconds - 1.5) < 0.001)
        let copy = try await ExportedCopy(of: source, in: fixture.directory)
        let shown = try Probe.frameTimes(copy.url.path)
        #expect(shown.count == due.count && zip(shown, due).allSatisfy { abs($0 - $1) < 0.002 }, "\(shown)")
    }

    @Test(arguments: [ExportPreset.passthrough, .highQuality])
    func export_severalEditsOfAFileInFragments_showsTheirFrames(preset: ExportPreset) async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            "f.mp4", ["testsrc2=s=128x96:r=25:d=4"],
            [
                "-c:v", "libx264", "-g", "25", "-bf", "2", "-pix_fmt", "yuv420p", "-video_track_timescale", "25",
                "-movflags", "frag_keyframe+delay_moov+default_base_moof",
            ])
        // FFmpeg shows all of the media, whatever edits such a file has.
        let all = try CutFramesTests.frames(source)
        #expect(all.hashes.count == 100)
        try Self.setEdits([(480, 7), (520, 42)], in: source)
        let copy = try await ExportedCopy(
            of: source, in: fixture.directory, preset: preset, tolerating: Self.sameTimes)
        let shown = try CutFramesTests.frames(copy.url)
        #expect(shown.hashes.count == 25)
        if preset == .passthrough {
            #expect(shown.hashes == Array(all.hashes[5..<17] + all.hashes[40..<53]))
        } else {
            let times = try Probe.frameTimes(copy.url.path)
            #expect(zip(times, (0..<25).map { Double($0) / 25 }).allSatisfy { abs($0 - $1) < 0.002 }, "\(times)")
        }
        #expect(copy.session.report.damage.isEmpty)
    }

    @Test func composition_storedSamplesOfSeveralEdits_areRefused() async throws {
        let fixture = try ReadingFixture()
        let source = Asset(url: try movie(fixture, bFrames: 0, [(480, 5), (520, 40)]))
        var composition = Composition()
        try await composition.insertTimeRange(
            TimeRange(start: .zero, end: .positiveInfinity), of: source, at: .zero)
        let error = await #expect(throws: MediaError.self) {
            _ = try await ExportedCopy(of: Asset(composition), in: fixture.directory, preset: .passthrough)
        }
        #expect(error?.code == .unsupported && error?.wayOut.contains("re-encode") == true)
    }

    @Test func reencode_framesOutOfOrderWithoutOffsets_keepsTheirTimes() async throws {
        let fixture = try ReadingFixture()
        let whole = try fixture.make(
            "n.mp4", ["testsrc2=s=128x96:r=25:d=2"], ["-c:v", "libx264", "-bf", "2", "-pix_fmt", "yuv420p"])
        var data = try Data(contentsOf: whole)
        for name in ["ctts", "edts"] {
            let place = try #require(data.range(of: Data(name.utf8), options: .backwards))
            data.replaceSubrange(place, with: Data("free".utf8))
        }
        let url = fixture.directory.file("without.mp4")
        try data.write(to: url)
        let (_, output) = try await AssetReader.reading(url, .video, .pixels(nil))
        let (_, expected) = try await AssetReader.reading(whole, .video, .pixels(nil))
        let (found, due) = (output.all(), expected.all())
        #expect(found.map(\.presentationTime.seconds) == due.map(\.presentationTime.seconds))
        #expect(found.map(\.visible) == due.map(\.visible))
    }
}
