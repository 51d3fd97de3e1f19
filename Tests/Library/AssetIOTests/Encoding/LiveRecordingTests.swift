import AssetIO
import Foundation
import MediaTypes
import TestSupport
import Testing

/// Tests of complete recordings of synthetic media, verified with other programs.
@Suite struct LiveRecordingTests {
    /// Five seconds of frames that encode their number, 320×180 at 30 fps, with a tone.
    private func recording() async throws -> WriterFixture {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo(width: 320, height: 180)
        let audio = try fixture.addAudio()
        try fixture.begin()
        for number in 0..<150 {
            #expect(try video.append(SyntheticMedia.videoSample(number, at: WriterFixture.time(Double(number) / 30))))
            try fixture.appendTone(number..<(number + 1), to: audio)
        }
        try await fixture.writer.finishWriting()
        #expect(fixture.writer.status == .completed && fixture.writer.error == nil)
        for input in [video, audio] { #expect(input.ledger.isWhole) }
        #expect(video.ledger.written == 150 && audio.ledger.written == 240_000)
        return fixture
    }

    @Test func liveRecording_finalized_opensInEveryProgram() async throws {
        let fixture = try await recording()
        let path = fixture.path
        #expect(fixture.directory.names == ["movie.mov"])

        let probe = try Probe(path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == 150)
        #expect(probe.video?.width == 320 && probe.video?.height == 180)
        #expect(abs(probe.format.seconds - 5) < 0.001 && abs((probe.video?.seconds ?? 0) - 5) < 0.001)
        #expect(abs((probe.audio?.seconds ?? 0) - 5) < 0.001)
        #expect(probe.video?.start == 0 && probe.audio?.start == 0)

        let info = try Command.run(
            "mediainfo", "--Output=Video;%FrameCount%,%Width%,%Height%,%Duration%,%IsTruncated%", path)
        let facts = info.text.trimmingCharacters(in: .whitespacesAndNewlines).split(separator: ",").map(String.init)
        #expect(facts.prefix(4) == ["150", "320", "180", "5000"])

        let discovered = try Command.run("gst-discoverer-1.0", "-v", path).text
        #expect(discovered.contains("Duration: 0:00:05.000000000") && discovered.contains("Seekable: yes"))
        #expect(discovered.contains("Width: 320") && discovered.contains("Height: 180"))
        #expect(!discovered.contains("Missing plugins"))

        let summary = try MovieSummary(contentsOf: fixture.writer.outputURL)
        #expect(summary.health == .whole && summary.tracks.map(\.codec) == ["h264", "aac"])
        #expect(summary.ledger?["video"]?.written == 150 && summary.ledger?["audio"]?.captured == 240_000)
    }

    @Test func browser_liveRecording_playsAndSeeksToTheFrame() async throws {
        let fixture = try await recording()
        // The middle of frame 75.
        let result = try Command.run(
            "python3", Project.path("Tests/Judges/browser.py"), fixture.path, String(75.5 / 30))
        let answer = try #require(JSONSerialization.jsonObject(with: result.output) as? [String: Any])
        #expect(result.status == 0 && answer["error"] == nil, "\(answer)")
        #expect(abs((answer["duration"] as? Double ?? 0) - 5) < 0.001)
        #expect(answer["width"] as? Int == 320 && answer["height"] as? Int == 180)
        #expect(abs((answer["seekedTo"] as? Double ?? 0) - 2.5) < 0.002)
        let luma = Double(SyntheticMedia.luma(75))
        let grey = ((luma - 16) * 255 / 219).rounded()
        for channel in try #require(answer["seekedPixel"] as? [Double]) { #expect(abs(channel - grey) <= 5) }
        #expect((answer["warnings"] as? [String] ?? []).isEmpty)
    }

    @Test func ffmpeg_seekInALiveRecording_showsTheRequestedFrame() async throws {
        let fixture = try await recording()
        let all = try Probe.brightness(fixture.path)
        #expect(all.count == 150)
        let errors = all.enumerated().map { Int($1) - Int(SyntheticMedia.luma($0)) }
        #expect(errors.allSatisfy { abs($0) <= 3 }, "\(errors)")
        for number in [1, 59, 75, 100, 149] {
            let seconds = Double(number) / 30 + 0.001
            // A seek to one millisecond into a frame would first find the frame after it.
            let found = try Probe.brightness(fixture.path, seeking: seconds - 0.002, count: 1)
            #expect(found == [all[number]])
        }
    }

    @Test func writer_irregularFrameTimes_keepsEachTime() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo(rate: nil)
        try fixture.begin()
        var time: Int64 = 0
        var times: [Double] = []
        for (number, random) in SyntheticMedia.noise(100).enumerated() {
            let moment = WriterFixture.start + MediaTime(value: time, timescale: 1_000_000)
            #expect(try video.append(SyntheticMedia.videoSample(number, at: moment, width: 64, height: 48)))
            times.append(Double(time) / 1e6)
            time += 15_001 + Int64(random) * 300
        }
        try await fixture.writer.finishWriting()
        let found = try Probe.frameTimes(fixture.path)
        #expect(found.count == 100)
        for (a, b) in zip(found, times) { #expect(abs(a - b) < 1.5e-6) }
    }

    @Test func writer_lastFrame_keepsItsDuration() async throws {
        for duration in [0.5, 0.01] {
            let fixture = try WriterFixture()
            let video = try fixture.addVideo()
            try fixture.begin()
            try fixture.appendFrames(0..<30, to: video)
            let last = SyntheticMedia.videoSample(
                30, at: WriterFixture.time(1), width: 64, height: 48, duration: MediaTime(seconds: duration))
            #expect(try video.append(last))
            try await fixture.writer.finishWriting()
            #expect(abs(try Probe(fixture.path).format.seconds - 1 - duration) < 0.001)
        }
    }

    @Test func unfinishedFile_whileRecording_canBeRead() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        try fixture.begin()
        var events = fixture.writer.events.makeAsyncIterator()
        try fixture.appendFrames(0..<30, to: video)
        guard case .began = await events.next() else { return #expect(Bool(false)) }
        #expect(fixture.directory.names == ["movie.recording.mov"] && fixture.writer.bytesWritten > 0)
        let path = fixture.writer.temporaryURL.path
        #expect(try Probe(path).video?.width == 64)
        try fixture.appendFrames(30..<120, to: video)
        #expect(eventually { (try? Probe(path, decodes: true).video?.frames ?? 0) ?? 0 >= 60 })
        try await fixture.writer.finishWriting()
        guard case .completed = await events.next() else { return #expect(Bool(false)) }
        #expect(await events.next() == nil)
    }
}

extension Ledger {
    fileprivate var isWhole: Bool { captured == written && droppedInAll == 0 }
}
