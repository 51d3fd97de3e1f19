import Foundation
import MediaTypes
import MovieFile
import RealTime
import TestSupport
import Testing

@testable import AssetIO

/// Tests of movies in segments: the content and order of the output, and its playback in other players.
@Suite struct SegmentTests {
    private static let seconds = 7

    /// Appends seven seconds of frames and a tone to a writer with segments of two seconds.
    private func record(_ writer: AssetWriter, flushAfter: Int? = nil) async throws {
        let video = try AssetWriterInput(
            mediaType: .video,
            outputSettings: .video(
                VideoSettings(
                    width: 64, height: 48, preset: "ultrafast", keyframeInterval: MediaTime(value: 1, timescale: 1),
                    expectedFrameRate: 30)))
        let audio = try AssetWriterInput(
            mediaType: .audio, outputSettings: .audio(AudioSettings()), sourceFormatHint: .audio(SyntheticMedia.pcm))
        for input in [video, audio] { try writer.add(input) }
        try writer.configure { $0.segmentInterval = MediaTime(value: 2, timescale: 1) }
        try writer.startWriting()
        try writer.startSession(atSourceTime: WriterFixture.start)
        for number in 0..<(Self.seconds * 30) {
            let time = WriterFixture.time(Double(number) / 30)
            let frame = SyntheticMedia.videoSample(number, at: time, width: 64, height: 48)
            let tone = SyntheticMedia.tone(from: number * 1600, count: 1600, at: time)
            for (input, sample) in [(video, frame), (audio, tone)] {
                #expect(eventually { input.isReadyForMoreMediaData || writer.status != .writing })
                guard try input.append(sample) else {
                    throw writer.error ?? MediaError(.invalidState, "cannot append", reason: "\(writer.status)")
                }
            }
            if number == flushAfter { try writer.flushSegment() }
        }
        try await writer.finishWriting()
    }

    // MARK: Files beside a playlist

    @Test func writer_playlist_isWrittenBesideItsSegmentsAndPlays() async throws {
        let directory = try TemporaryDirectory()
        let playlist = directory.file("movie.m3u8")
        try await record(try AssetWriter(playlistURL: playlist))
        #expect(
            directory.names == [
                "movie-00001.m4s", "movie-00002.m4s", "movie-00003.m4s", "movie-00004.m4s", "movie-init.mp4",
                "movie.m3u8",
            ])
        let lines = try String(contentsOf: playlist, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(
            lines == [
                "#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:2", "#EXT-X-MEDIA-SEQUENCE:1",
                "#EXT-X-PLAYLIST-TYPE:VOD", "#EXT-X-INDEPENDENT-SEGMENTS", "#EXT-X-MAP:URI=\"movie-init.mp4\"",
                "#EXTINF:2.000000,", "movie-00001.m4s", "#EXTINF:2.000000,", "movie-00002.m4s",
                "#EXTINF:2.000000,", "movie-00003.m4s", "#EXTINF:1.000000,", "movie-00004.m4s", "#EXT-X-ENDLIST",
            ])

        let probe = try Probe(playlist.path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == Self.seconds * 30)
        #expect(abs(probe.format.seconds - Double(Self.seconds)) < 0.05)
        let discovered = try Command.run("gst-discoverer-1.0", playlist.absoluteString)
        #expect(discovered.text.contains("0:00:07.0") && discovered.text.contains("H.264"), "\(discovered.text)")
        let brightness = try Probe.brightness(playlist.path)
        #expect(brightness.count == Self.seconds * 30)
        for (number, luma) in brightness.enumerated() {
            let difference = Int(luma) - Int(SyntheticMedia.luma(number))
            #expect(abs(difference) <= 3, "frame \(number)")
        }
    }

    @Test func browser_segments_playsAndSeeks() async throws {
        let directory = try TemporaryDirectory()
        let playlist = directory.file("movie.m3u8")
        try await record(try AssetWriter(playlistURL: playlist))
        let result = try Command.run("python3", Project.path("Tests/Judges/browser.py"), playlist.path, "4.01")
        #expect(result.status == 0, "\(result.text) \(result.errors)")
        let answer = try JSONSerialization.jsonObject(with: result.output) as? [String: Any]
        #expect(answer?["width"] as? Int == 64)
        #expect(abs((answer?["duration"] as? Double ?? 0) - Double(Self.seconds)) < 0.1)
        #expect(abs((answer?["seekedTo"] as? Double ?? 0) - 4) < 0.05)
    }

    @Test func segments_audioAndVideo_beginTogether() async throws {
        let reports = Locked<[AssetSegment.Report]>([])
        let writer = try AssetWriter(delegate: { segment in
            if let report = segment.report { reports.withLock { $0.append(report) } }
        })
        try await record(writer)
        let all = reports.withLock { $0 }
        #expect(all.count == 4)
        for (number, report) in all.enumerated() {
            let begins = MediaTime(value: Int64(number) * 2, timescale: 1)
            #expect(report.start == begins)
            for track in report.tracks {
                // Audio comes in packets of 21 ms, and the first contains the priming.
                let offset = (track.earliestPresentation - begins).seconds
                #expect(
                    track.mediaType == .video ? offset == 0 : abs(offset) < 0.025,
                    "\(track.mediaType) in segment \(number) begins \(offset) s late")
            }
        }
        var frames = 0
        for track in all.flatMap(\.tracks) where track.mediaType == .video { frames += track.sampleCount }
        #expect(frames == 210)
    }

    @Test func writer_playlistOrSegmentExists_neverReplacesIt() async throws {
        let directory = try TemporaryDirectory()
        let playlist = directory.file("movie.m3u8")
        try Data("precious".utf8).write(to: playlist)
        await #expect(throws: MediaError.self) { try await record(try AssetWriter(playlistURL: playlist)) }
        #expect(directory.names == ["movie.m3u8"])
        #expect(try Data(contentsOf: playlist) == Data("precious".utf8))
        try FileManager.default.moveItem(at: playlist, to: directory.file("movie-00002.m4s"))
        let writer = try AssetWriter(playlistURL: playlist)
        await #expect(throws: (any Error).self) { try await record(writer) }
        #expect(writer.status == .failed && writer.error?.code == .outputExists)
        #expect(try Data(contentsOf: directory.file("movie-00002.m4s")) == Data("precious".utf8))
        // The segments listed so far play. Without the end tag ffprobe would wait for more.
        let listed = try String(contentsOf: playlist, encoding: .utf8)
        #expect(listed.contains("movie-00001.m4s") && !listed.contains("movie-00002.m4s"))
        try Data((listed + "#EXT-X-ENDLIST\n").utf8).write(to: directory.file("ended.m3u8"))
        #expect(try Probe(directory.path("ended.m3u8"), decodes: true).video?.frames == 60)
    }

    @Test func writer_cancelled_leavesNoSegment() async throws {
        let directory = try TemporaryDirectory()
        let writer = try AssetWriter(playlistURL: directory.file("movie.m3u8"))
        let video = try AssetWriterInput(
            mediaType: .video, outputSettings: .video(VideoSettings(width: 64, height: 48, expectedFrameRate: 30)))
        try writer.add(video)
        try writer.configure { $0.segmentInterval = MediaTime(value: 1, timescale: 1) }
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        for number in 0..<200 {
            #expect(eventually { video.isReadyForMoreMediaData })
            let time = MediaTime(value: Int64(number), timescale: 30)
            #expect(try video.append(SyntheticMedia.videoSample(number, at: time, width: 64, height: 48)))
        }
        #expect(eventually { directory.names.contains("movie.m3u8") })
        writer.cancelWriting()
        #expect(eventually { directory.names == [] }, "\(directory.names)")
    }

    /// A file that another program has put in the place of a segment or of the playlist is kept.
    @Test func discard_fileReplacedByAnotherProgram_keepsTheirs() throws {
        let directory = try TemporaryDirectory()
        let segments = SegmentDirectory(playlistPath: directory.path("movie.m3u8"))
        try segments.open(MuxerConfiguration(.mp4))
        try segments.receive(AssetSegment(kind: .initialization, number: 0, data: MediaData([1, 2, 3])))
        for number in 1...2 {
            let report = AssetSegment.Report(
                tracks: [], start: .zero, duration: MediaTime(value: 6, timescale: 1))
            try segments.receive(
                AssetSegment(kind: .media, number: number, data: MediaData([4, 5, 6]), report: report))
        }
        let replaced: Set = ["movie-00001.m4s", "movie.m3u8"]
        #expect(Set(directory.names).isSuperset(of: replaced) && directory.names.count == 4, "\(directory.names)")
        for name in replaced {
            try Data("precious".utf8).write(to: directory.file("theirs"))
            try DiskFile.rename(directory.path("theirs"), to: directory.path(name), replacing: true)
        }
        segments.discard()
        #expect(Set(directory.names) == replaced, "\(directory.names)")
        for name in replaced {
            #expect(try Data(contentsOf: directory.file(name)) == Data("precious".utf8), "\(name)")
        }
    }

    // MARK: Handed to the caller

    @Test func segmentSequence_returnsTheHeaderThenSegmentsInOrder() async throws {
        let writer = try AssetWriter(segmentsOf: .mp4)
        let segments = writer.segments
        async let recorded: Void = record(writer)
        var kinds: [AssetSegment.Kind] = []
        var bytes = Data()
        for await segment in segments {
            #expect(segment.number == kinds.count)
            kinds.append(segment.kind)
            bytes.append(contentsOf: segment.data.bytes)
        }
        try await recorded
        #expect(kinds == [.initialization, .media, .media, .media, .media])
        #expect(writer.bytesWritten == bytes.count)
        // Joined, they are a movie.
        let directory = try TemporaryDirectory()
        try bytes.write(to: directory.file("movie.mp4"))
        let probe = try Probe(directory.path("movie.mp4"), decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == 210)
    }

    @Test func writer_delegateThrows_fails() async throws {
        let writer = try AssetWriter(delegate: { segment in
            if segment.number == 2 { throw MediaError(.diskFull, "cannot send", reason: "the test says so") }
        })
        await #expect(throws: (any Error).self) { try await record(writer) }
        #expect(writer.status == .failed && writer.error?.code == .diskFull)
    }

    @Test func flushSegment_endsTheSegmentAfterAppendedFrames() async throws {
        let reports = Locked<[AssetSegment.Report]>([])
        let writer = try AssetWriter(delegate: { segment in
            if let report = segment.report { reports.withLock { $0.append(report) } }
        })
        try await record(writer, flushAfter: 70)
        let durations = reports.withLock { $0.map(\.duration.seconds) }
        let whole: Double = durations.reduce(0, +)
        #expect(abs(whole - Double(Self.seconds)) < 0.0001)
        // Frames 0 to 59, then 60 to 70, although keyframes are a second apart.
        #expect(durations.count >= 5 && abs(durations[0] - 2) < 0.0001 && abs(durations[1] - 11.0 / 30) < 0.0001)
    }

    @Test func segmentReport_hasThePlaceOfEachTracksFirstSample() async throws {
        let segments = Locked<[AssetSegment]>([])
        try await record(try AssetWriter(delegate: { segment in segments.withLock { $0.append(segment) } }))
        let all = segments.withLock { $0 }
        let directory = try TemporaryDirectory()
        try Data(all.flatMap { Array($0.data.bytes) }).write(to: directory.file("movie.mp4"))
        // ffprobe reports positions in the file, and numbers streams from 0.
        for stream in 0...1 {
            let packets = try Probe.ask(directory.path("movie.mp4"), "packet=pos,size", of: "\(stream)").text
            let known = Set(packets.split(separator: "\n").map { $0.trimmingCharacters(in: [","]) })
            var start = 0
            for segment in all {
                defer { start += segment.data.count }
                guard let report = segment.report else { continue }
                let track = try #require(report.tracks.first { $0.trackID == stream + 1 })
                let sample = track.firstSample
                #expect(known.contains("\(sample.byteCount),\(start + sample.offset)"), "\(sample)")
                #expect(sample.isKeyframe)
                if track.mediaType == .video { #expect(sample.presentationTime == track.earliestPresentation) }
            }
        }
    }

    @Test func segments_segmentStartSet_areCountedFromThere() async throws {
        let reports = Locked<[AssetSegment.Report]>([])
        let writer = try AssetWriter(delegate: { segment in
            if let report = segment.report { reports.withLock { $0.append(report) } }
        })
        try writer.configure { $0.segmentStart = WriterFixture.time(-1) }
        try await record(writer)
        #expect(reports.withLock { $0.map { $0.duration.seconds.rounded() } } == [1, 2, 2, 2])
        #expect(code { try AssetWriter(segmentsOf: .mp4).configure { $0.segmentStart = .invalid } } == .invalidSettings)
    }

    @Test func cmafProfile_acceptsOneTrackAndSetsTheBrands() async throws {
        let bytes = Locked<[Data]>([])
        func writer() throws -> AssetWriter {
            let writer = try AssetWriter(delegate: { segment in bytes.withLock { $0.append(Data(segment.data.bytes)) } }
            )
            try writer.configure { $0.segmentProfile = .cmaf }
            return writer
        }
        let two = try writer()
        await #expect(throws: MediaError.self) { try await record(two) }
        #expect(two.status == .failed && two.error?.reason.contains("one track") == true)

        let one = try writer()
        let video = try AssetWriterInput(
            mediaType: .video,
            outputSettings: .video(VideoSettings(width: 64, height: 48, preset: "ultrafast", expectedFrameRate: 30)))
        try one.add(video)
        try one.startWriting()
        try one.startSession(atSourceTime: .zero)
        for number in 0..<30 {
            #expect(eventually { video.isReadyForMoreMediaData })
            let time = MediaTime(value: Int64(number), timescale: 30)
            #expect(try video.append(SyntheticMedia.videoSample(number, at: time, width: 64, height: 48)))
        }
        try await one.finishWriting()
        let segments = bytes.withLock { $0 }
        #expect(segments.count == 2)
        func brands(_ data: Data) -> String { String(decoding: data.prefix(28).dropFirst(4), as: UTF8.self) }
        #expect(brands(segments[0]).hasPrefix("ftypiso6") && brands(segments[0]).contains("cmfc"))
        #expect(brands(segments[1]).hasPrefix("stypcmfs"))
        let directory = try TemporaryDirectory()
        try segments.reduce(Data(), +).write(to: directory.file("movie.mp4"))
        let probe = try Probe(directory.path("movie.mp4"), decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == 30)
        #expect(probe.format.tags?["compatible_brands"] == "iso6cmfcmp41")
    }

    @Test func writer_flushWithoutSegmentsOrSegmentsOfMOV_throws() async throws {
        let fixture = try WriterFixture()
        _ = try fixture.addVideo()
        try fixture.begin()
        #expect(code { try fixture.writer.flushSegment() } == .invalidState)
        fixture.writer.cancelWriting()
        #expect(code { _ = try AssetWriter(segmentsOf: .mov) } == .unsupported)
        let writer = try AssetWriter(segmentsOf: .mp4)
        #expect(code { try writer.flushSegment() } == .invalidState)
        #expect(code { try writer.configure { $0.segmentInterval = .zero } } == .invalidSettings)
    }

    /// Sends 20 segments to a channel on a new thread.
    ///
    /// - Returns: the thread, and the number of segments that the channel has taken.
    private func fill(_ channel: SegmentChannel) throws -> (NamedThread, Locked<Int>) {
        let taken = Locked(0)
        let thread = try NamedThread("segments") {
            for number in 1...20 {
                let segment = AssetSegment(kind: .media, number: number, data: MediaData([0]), report: nil)
                guard (try? channel.receive(segment)) != nil else { return }
                taken.withLock { $0 += 1 }
            }
        }
        return (thread, taken)
    }

    @Test func segmentChannel_readerStops_blocksTheWriter() async throws {
        let channel = SegmentChannel()
        let (thread, taken) = try fill(channel)
        #expect(eventually { taken.withLock { $0 } == 4 })
        #expect(await channel.next()?.number == 1)
        #expect(eventually { taken.withLock { $0 } == 5 })
        channel.discard()
        thread.join()
        #expect(taken.withLock { $0 } == 5)
        #expect(await channel.next() == nil)
    }

    @Test func segmentChannel_abandoned_releasesTheWriterAndKeepsSegments() async throws {
        let channel = SegmentChannel()
        let (thread, taken) = try fill(channel)
        #expect(eventually { taken.withLock { $0 } == 4 })
        SegmentDestination(channel).abandon()
        thread.join()
        #expect(taken.withLock { $0 } == 4)
        for number in 1...4 { #expect(await channel.next()?.number == number) }
        #expect(await channel.next() == nil)
    }

    @Test(.timeLimit(.minutes(2)), arguments: ["failed", "cancelled", "released", "released before it started"])
    func segmentSequence_writerEndsEarly_ends(_ end: String) async throws {
        func count(_ segments: SegmentSequence) async -> Int {
            var count = 0
            for await _ in segments { count += 1 }
            return count
        }
        var writer: AssetWriter? = try AssetWriter(segmentsOf: .mp4)
        let segments = try #require(writer?.segments)
        async let read = count(segments)
        let video = try AssetWriterInput(
            mediaType: .video, outputSettings: .video(VideoSettings(width: 64, height: 48, expectedFrameRate: 30)))
        try writer?.add(video)
        if end != "released before it started" {
            try writer?.startWriting()
            try writer?.startSession(atSourceTime: .zero)
        }
        switch end {
        case "failed": writer?.core.fail(MediaError(.codecFailure, "cannot encode", reason: "test"))
        case "cancelled": writer?.cancelWriting()
        default: writer = nil
        }
        #expect(await read == 0)
    }
}
