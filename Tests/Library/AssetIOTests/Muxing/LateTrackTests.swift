import Foundation
import MediaTypes
import MovieFile
import RealTime
import TestSupport
import Testing

@testable import AssetIO

/// Tests of tracks whose format is unknown when the header is written: they join the movie with their first packet.
@Suite struct LateTrackTests {
    /// AAC packets from another program.
    private static func packets(seconds: Int, in directory: TemporaryDirectory) async throws -> [SampleBuffer] {
        let path = directory.path("audio.m4a")
        let made = try Command.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=440:r=48000:d=\(seconds)", "-c:a", "aac", path)
        #expect(made.status == 0, "\(made.errors)")
        let asset = Asset(url: URL(fileURLWithPath: path))
        let reader = try AssetReader(asset: asset)
        let track = try #require(try await asset.tracks(withMediaType: .audio).first)
        let output = try TrackOutput(track: track)
        try reader.add(output)
        try reader.startReading()
        var packets: [SampleBuffer] = []
        while let packet = output.copyNextSampleBuffer() { packets.append(packet) }
        return packets
    }

    /// A copy of a packet, moved by some seconds.
    private func moved(_ packet: SampleBuffer, by seconds: Double) -> SampleBuffer {
        let shift = WriterFixture.time(seconds)
        return SampleBuffer(
            format: packet.format, content: packet.content, presentationTime: packet.presentationTime + shift,
            duration: packet.duration, isKeyframe: packet.isKeyframe)
    }

    /// The file that a crash at this moment leaves, repaired.
    private func repaired(_ fixture: WriterFixture) throws -> Probe {
        let copy = fixture.directory.path("crashed.mov")
        try FileManager.default.copyItem(atPath: fixture.writer.temporaryURL.path, toPath: copy)
        _ = try MovieFinisher.finish(try DiskFile(path: copy, mode: .update))
        return try Probe(copy, decodes: true)
    }

    private func fits(_ probe: Probe, frames: Int, audio: ClosedRange<Double>, at start: Double) {
        #expect(probe.complaints == "" && probe.video?.frames == frames)
        #expect(audio.contains(probe.audio?.seconds ?? -1), "\(String(describing: probe.audio))")
        #expect(abs((probe.audio?.start ?? -1) - start) < 0.05, "\(String(describing: probe.audio))")
    }

    @Test func lateTrack_packetsWithoutHint_areInTheFinalizedAndRepairedMovie() async throws {
        let fixture = try WriterFixture()
        let packets = try await Self.packets(seconds: 4, in: fixture.directory)
        let video = try fixture.addVideo()
        let audio = try fixture.add(.audio, nil)
        try fixture.begin()
        // Longer than the header waits.
        try fixture.appendFrames(0..<300, to: video)
        #expect(eventually { fixture.writer.bytesWritten > 0 })
        for packet in packets { #expect(try audio.append(moved(packet, by: 10))) }
        try fixture.appendFrames(300..<600, to: video)
        #expect(eventually { audio.ledger.written > 0 && video.ledger.written > 400 })
        let crashed = try repaired(fixture)
        #expect(crashed.complaints == "" && (crashed.audio?.frames ?? 0) > 100)
        try await fixture.writer.finishWriting()
        #expect(fixture.writer.status == .completed && audio.ledger.isBalanced)
        #expect(audio.ledger.written == audio.ledger.captured)
        fits(try Probe(fixture.path, decodes: true), frames: 600, audio: 3.9...4.1, at: 10)
        #expect(!FileManager.default.fileExists(atPath: fixture.writer.temporaryURL.path))
    }

    /// Live, and from a source that can wait.
    @Test(arguments: [true, false]) func lateTrack_encodedAudioAfterTwentySeconds_isStored(isLive: Bool) async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        let audio = try AssetWriterInput(
            mediaType: .audio, outputSettings: .audio(AudioSettings(sampleRate: 48_000, channelCount: 2)))
        if isLive { try audio.configure { $0.expectsMediaDataInRealTime = true } }
        try fixture.writer.add(audio)
        try fixture.begin()
        try fixture.appendFrames(0..<600, to: video)
        if isLive { #expect(eventually { fixture.writer.bytesWritten > 0 }) }
        for block in 600..<690 {
            let time = WriterFixture.start + MediaTime(value: Int64(block) * 1600, timescale: 48_000)
            #expect(eventually { audio.isReadyForMoreMediaData })
            #expect(try audio.append(SyntheticMedia.tone(from: block * 1600, count: 1600, at: time)))
        }
        try fixture.appendFrames(600..<690, to: video)
        try await fixture.writer.finishWriting()
        fits(try Probe(fixture.path, decodes: true), frames: 690, audio: 2.9...3.1, at: 20)
    }

    @Test func lateTrack_audioAfter300MiBOfVideo_isStored() async throws {
        let fixture = try WriterFixture()
        let packets = try await Self.packets(seconds: 3, in: fixture.directory)
        let made = try Command.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "nullsrc=s=1280x720:d=1,geq=random(1)*255:128:128",
            "-frames:v",
            "1", "-q:v", "1", "-pix_fmt", "yuvj444p", "-f", "mjpeg", "-")
        let frame = MediaData([UInt8](made.output))
        let count = (300 << 20) / frame.count + 1
        let video = try fixture.add(.video, nil)
        let audio = try fixture.add(.audio, nil)
        try fixture.begin()
        let format = FormatDescription.video(VideoFormat(codec: .mjpeg, width: 1280, height: 720))
        for number in 0..<count {
            let sample = SampleBuffer(
                format: format, content: .data(frame), presentationTime: WriterFixture.time(Double(number) / 25),
                duration: MediaTime(value: 1, timescale: 25), isKeyframe: true)
            try #require(eventually { video.isReadyForMoreMediaData })
            try #require(try video.append(sample))
        }
        for packet in packets {
            try #require(eventually { audio.isReadyForMoreMediaData })
            try #require(try audio.append(moved(packet, by: 1)))
        }
        try await fixture.writer.finishWriting()
        #expect(audio.ledger.written == audio.ledger.captured && video.ledger.written == Int64(count))
        let probe = try Probe(fixture.path)
        #expect(probe.complaints == "" && probe.video?.frames == count)
        #expect(abs((probe.audio?.start ?? -1) - 1) < 0.05)
        let decoded = try Command.run("ffmpeg", "-v", "error", "-i", fixture.path, "-map", "0:a", "-f", "null", "-")
        #expect(decoded.status == 0 && decoded.errors == "", "\(decoded.errors)")
    }

    /// A power cut may come between the fragment and the header that knows its track, and leave that header half
    /// written.
    @Test(arguments: ["old", "torn"]) func repair_oldOrDamagedHeader_findsEveryTrack(_ header: String) async throws {
        let fixture = try WriterFixture()
        let packets = try await Self.packets(seconds: 4, in: fixture.directory)
        let video = try fixture.addVideo()
        let audio = try fixture.add(.audio, nil)
        try fixture.begin()
        try fixture.appendFrames(0..<300, to: video)
        #expect(eventually { fixture.writer.bytesWritten > 0 })
        let before = try Data(contentsOf: fixture.writer.temporaryURL).prefix(6000)
        for packet in packets { #expect(try audio.append(moved(packet, by: 10))) }
        try fixture.appendFrames(300..<450, to: video)
        #expect(eventually { audio.ledger.written > 0 && video.ledger.written > 350 })
        var bytes = try Data(contentsOf: fixture.writer.temporaryURL)
        let moov = try #require(before.range(of: Data("moov".utf8))).lowerBound - 4
        let end = moov + Int(before[(before.startIndex + moov)...].prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
        #expect(bytes[..<end] != before[..<end])
        bytes.replaceSubrange(
            0..<(header == "old" ? end : moov + 512), with: before[..<(header == "old" ? end : moov + 512)])
        let path = fixture.directory.path("cut.mov")
        try bytes.write(to: URL(fileURLWithPath: path))
        let report = try MovieFinisher.finish(try DiskFile(path: path, mode: .update))
        #expect(report.gaps.isEmpty)
        let probe = try Probe(path, decodes: true)
        #expect(probe.complaints == "" && (probe.audio?.frames ?? 0) > 100 && (probe.video?.frames ?? 0) > 350)
        fixture.writer.cancelWriting()
    }

    @Test func lateTrack_segmentedMovie_beginsWithTheNextSegment() async throws {
        let directory = try TemporaryDirectory()
        let playlist = directory.file("movie.m3u8")
        let writer = try AssetWriter(playlistURL: playlist)
        let video = try AssetWriterInput(
            mediaType: .video,
            outputSettings: .video(
                VideoSettings(
                    width: 64, height: 48, preset: "ultrafast", keyframeInterval: MediaTime(value: 1, timescale: 1),
                    expectedFrameRate: 30)))
        let audio = try AssetWriterInput(
            mediaType: .audio, outputSettings: .audio(AudioSettings(sampleRate: 48_000, channelCount: 2)))
        for input in [video, audio] {
            try input.configure {
                $0.expectsMediaDataInRealTime = true
                $0.realTimeBudget = RealTimeBudget(duration: MediaTime(value: 3600, timescale: 1), bytes: 1 << 30)
            }
            try writer.add(input)
        }
        try writer.configure { $0.segmentInterval = MediaTime(value: 2, timescale: 1) }
        try writer.startWriting()
        try writer.startSession(atSourceTime: WriterFixture.start)
        for number in 0..<360 {
            let time = WriterFixture.time(Double(number) / 30)
            #expect(try video.append(SyntheticMedia.videoSample(number, at: time, width: 64, height: 48)))
            if number == 240 { #expect(eventually { directory.names.contains("movie-00002.m4s") }) }
            guard number >= 240 else { continue }
            #expect(try audio.append(SyntheticMedia.tone(from: number * 1600, count: 1600, at: time)))
        }
        try await writer.finishWriting()
        #expect(directory.names.contains("movie-init-2.mp4") && !directory.names.contains("movie-init-3.mp4"))
        let lines = try String(contentsOf: playlist, encoding: .utf8).split(separator: "\n").map(String.init)
        let change = try #require(lines.firstIndex(of: "#EXT-X-DISCONTINUITY"))
        #expect(lines[change + 1] == "#EXT-X-MAP:URI=\"movie-init-2.mp4\"")
        // The segments that follow are a movie with audio, if that header is put before them.
        let segments = ["movie-init-2.mp4"] + lines[(change + 2)...].filter { $0.hasSuffix(".m4s") }
        let joined = directory.path("joined.mp4")
        try segments.reduce(Data()) { try $0 + Data(contentsOf: directory.file($1)) }
            .write(to: URL(fileURLWithPath: joined))
        let probe = try Probe(joined, decodes: true)
        #expect(probe.complaints == "" && (probe.audio?.frames ?? 0) > 180 && (probe.video?.frames ?? 0) >= 120)
    }

    @Test func lateTrack_neverFed_doesNotFailTheWriter() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        _ = try fixture.add(.audio, nil)
        try fixture.begin()
        try fixture.appendFrames(0..<300, to: video)
        try await fixture.writer.finishWriting()
        #expect(fixture.writer.status == .completed)
    }

    /// The decoder configuration is larger than the room in the header.
    @Test func lateTrack_formatTooLargeForTheHeader_throwsAndKeepsTheOthers() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        let second = try fixture.add(.video, nil)
        try fixture.begin()
        try fixture.appendFrames(0..<300, to: video)
        #expect(eventually { fixture.writer.bytesWritten > 0 })
        var format = VideoFormat(codec: .h264, width: 64, height: 48)
        format.decoderConfiguration = [UInt8](repeating: 1, count: 10_000)
        for number in 300..<310 {
            // Some packets come before the refused fragment is written, some after it.
            if number == 305 { #expect(eventually { second.ledger.droppedInAll > 0 }) }
            try second.append(
                SampleBuffer(
                    format: .video(format), content: .data(MediaData([0, 0, 0, 1, 0x65])),
                    presentationTime: WriterFixture.time(Double(number) / 30), isKeyframe: true))
        }
        let error = await #expect(throws: MediaError.self) { try await fixture.writer.finishWriting() }
        #expect(error?.wayOut.contains("sourceFormatHint") == true && fixture.writer.status == .failed)
        #expect(fixture.directory.names == ["movie.recording.mov"])
        #expect(
            second.ledger[dropped: .encoder] == second.ledger.captured && second.ledger.isBalanced, "\(second.ledger)")
        #expect(video.ledger.written == 300)
        _ = try MovieFinisher.finish(try DiskFile(path: fixture.writer.temporaryURL.path, mode: .update))
        let probe = try Probe(fixture.writer.temporaryURL.path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == 300)
    }
}
