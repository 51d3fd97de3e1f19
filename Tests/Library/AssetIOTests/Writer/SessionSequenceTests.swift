import Foundation
import MediaCodecs
import MediaTypes
import MovieFile
import TestSupport
import Testing

@testable import AssetIO

/// Tests of consecutive sessions; the samples between them are not shown.
@Suite struct SessionSequenceTests {
    /// A block of mono audio, a thirtieth of a second long, with a click in its middle if its number is `click`.
    private static func audio(_ block: Int, click: Int) -> SampleBuffer {
        SyntheticMedia.clicks(
            at: block == click ? [800] : [], count: 1600,
            time: WriterFixture.start + MediaTime(value: Int64(block) * 1600, timescale: 48_000))
    }

    private func addAudio(_ fixture: WriterFixture, _ codec: AudioCodec, isLive: Bool) throws -> AssetWriterInput {
        let settings = OutputSettings.audio(AudioSettings(codec: codec))
        let hint = FormatDescription.audio(SyntheticMedia.clickFormat)
        return isLive
            ? try fixture.add(.audio, settings, hint: hint) : try fixture.addPull(.audio, settings, hint: hint)
    }

    /// The times of the clicks in our reader, which has a time for each sample.
    private func clicks(_ url: URL) async throws -> [Double] {
        let (_, output) = try await AssetReader.reading(url, .audio, .pcm(TrackOutput.PCM(.float32)))
        var times: [Double] = []
        for sample in output.all() {
            guard case .data(let data) = sample.content else { continue }
            let numbers = Array(data.bytes.bindMemory(to: Float.self))
            for place in SyntheticMedia.clickPlaces(in: numbers) {
                times.append(sample.presentationTime.seconds + Double(place) / 48_000)
            }
        }
        return times
    }

    /// The times of the clicks in ffmpeg, which plays complete packets at the seams.
    private func clicksOfFFmpeg(_ path: String) throws -> [Double] {
        let result = try Command.run([
            "ffmpeg", "-v", "error", "-i", path, "-map", "0:a", "-af", "aresample=async=1:first_pts=0", "-ac", "1",
            "-ar", "48000", "-f", "f32le", "-",
        ])
        #expect(result.status == 0 && result.errors == "", "\(result.errors)")
        let numbers = result.output.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        return SyntheticMedia.clickPlaces(in: numbers).map { Double($0) / 48_000 }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var codec: AudioCodec
        var isLive: Bool
        /// Blocks from the first session's end to the second one's start.
        var gap: Int
        var testDescription: String { "\(codec) in \(name), \(isLive ? "live" : "pulled"), \(gap / 30) s between" }
    }

    @Test(arguments: [
        Case(name: "a.mov", codec: .aac, isLive: true, gap: 150),
        Case(name: "a.mp4", codec: .aac, isLive: false, gap: 150),
        Case(name: "a.mov", codec: .linearPCM, isLive: false, gap: 150),
        // So long that the audio encoder restarts.
        Case(name: "a.mov", codec: .aac, isLive: false, gap: 3000),
    ])
    func sessions_gapBetween_isRemovedFromBothTracks(_ test: Case) async throws {
        let fixture = try WriterFixture(name: test.name)
        let video = try test.isLive ? fixture.addVideo() : fixture.addPullVideo()
        let audio = try addAudio(fixture, test.codec, isLive: test.isLive)
        try fixture.begin()
        let second = 60 + test.gap
        for (first, click) in [(0, 15), (second, second + 15)] {
            if first > 0 {
                try fixture.writer.endSession(atSourceTime: WriterFixture.time(2))
                try fixture.writer.startSession(atSourceTime: WriterFixture.time(Double(second) / 30))
            }
            async let frames: Void = video.feed(.readiness, 60, finishes: first > 0) {
                WriterFixture.frame($0 + first)
            }
            async let audioTracks: Void = audio.feed(.readiness, 60, finishes: first > 0) {
                Self.audio($0 + first, click: click)
            }
            _ = try await (frames, audioTracks)
        }
        try await fixture.writer.finishWriting()
        #expect(video.ledger.written == 120 && audio.ledger.written == 192_000 && audio.ledger.isBalanced)
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == 120)
        #expect(abs(probe.format.seconds - 4) < 0.001, "\(probe.format.seconds)")
        #expect(abs((probe.video?.seconds ?? 0) - 4) < 0.001 && abs((probe.audio?.seconds ?? 0) - 4) < 0.001)
        #expect(probe.video?.start == 0 && probe.audio?.start == 0)
        // The video media continues where the gap was: that is one edit.
        let trace = try Probe.ask(fixture.path, level: "trace").errors
        #expect(trace.contains("track[0].edit_count = 1"))
        let times = try Probe.frameTimes(fixture.path)
        #expect(times.count == 120 && zip(times, 0..<120).allSatisfy { abs($0 - Double($1) / 30) < 0.001 })
        let brightness = try Probe.brightness(fixture.path)
        let numbers = Array(0..<60) + (0..<60).map { $0 + second }
        #expect(zip(brightness, numbers).allSatisfy { abs(Int($0) - Int(SyntheticMedia.luma($1))) <= 3 })
        // A click half a second into each session.
        let wanted = [24_800.0 / 48_000, 120_800.0 / 48_000]
        let heard = try await clicks(fixture.writer.outputURL)
        #expect(heard.count == 2 && zip(heard, wanted).allSatisfy { abs($0 - $1) < 0.001 }, "\(heard)")
        let ffmpeg = try clicksOfFFmpeg(fixture.path)
        #expect(ffmpeg.count == 2 && zip(ffmpeg, wanted).allSatisfy { abs($0 - $1) < 0.022 }, "\(ffmpeg)")
    }

    @Test func sessions_cutInsideFrames_keepTracksInSync() async throws {
        let fixture = try WriterFixture()
        let (video, audio) = (try fixture.addVideo(), try addAudio(fixture, .aac, isLive: true))
        try fixture.begin()
        // Each session begins and ends within a frame, and the click comes 15 blocks after its first block.
        let sessions = [(0, 0.0, 1.017), (90, 3.011, 4.003), (180, 6.029, 6.777)]
        for (index, (first, start, end)) in sessions.enumerated() {
            if index > 0 { try fixture.writer.startSession(atSourceTime: WriterFixture.time(start)) }
            // A live input accepts only as much as it has room for, and this is faster than any camera.
            for number in first..<(first + 31) {
                try #require(eventually { video.isReadyForMoreMediaData })
                try fixture.appendFrames(number..<(number + 1), to: video)
                try audio.append(Self.audio(number, click: first + 15))
            }
            try fixture.writer.endSession(atSourceTime: WriterFixture.time(end))
        }
        try await fixture.writer.finishWriting()
        let length = 1.017 + 0.992 + 0.748
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.complaints == "" && abs(probe.format.seconds - length) < 0.001)
        #expect(abs((probe.video?.seconds ?? 0) - (probe.audio?.seconds ?? 1)) < 0.001)
        let offsets = [0, 1.017 - 3.011, 1.017 + 0.992 - 6.029]
        let wanted = zip(sessions, offsets).map { session, offset in
            Double(session.0 + 15) / 30 + 800.0 / 48_000 + offset
        }
        let heard = try await clicks(fixture.writer.outputURL)
        #expect(heard.count == 3 && zip(heard, wanted).allSatisfy { abs($0 - $1) < 0.001 }, "\(heard), \(wanted)")
        // The frame on screen at the time of the click is the one that was recorded with it.
        let generator = FrameGenerator.exact(fixture.writer.outputURL)
        for (click, session) in zip(wanted, sessions) {
            let (image, _) = try await generator.image(at: MediaTime(seconds: click))
            let luma = image.plane(0)[image.height / 2 * image.layout.planes[0].bytesPerRow + image.width / 2]
            #expect(abs(Int(luma) - Int(SyntheticMedia.luma(session.0 + 15))) <= 3)
        }
    }

    // MARK: Packets

    /// Three seconds with B-frames and a keyframe every second, in decode order.
    private static let packets: [SampleBuffer] = {
        let settings = VideoSettings(
            width: 64, height: 48, preset: "medium", keyframeInterval: MediaTime(value: 1, timescale: 1),
            expectedFrameRate: 30)
        var packets: [SampleBuffer] = []
        let encoder = try! H264Encoder(settings: settings, color: .bt601, timeScale: 90_000, isRealTime: false)
        for number in 0..<90 {
            let frame = SyntheticMedia.frame(number, width: 64, height: 48)
            try! encoder.encode(frame, at: MediaTime(value: Int64(number), timescale: 30)) { packets.append($0) }
        }
        try! encoder.finish { packets.append($0) }
        return packets
    }()

    private static func number(_ packet: SampleBuffer) -> Int { Int(packet.presentationTime.ticks(in: 30)) }

    /// The second session begins at a keyframe, or in the middle of a GOP.
    @Test(arguments: [false, true]) func sessions_packets_areShownOneAfterAnother(startsWithin: Bool) async throws {
        let keys = Self.packets.filter(\.isKeyframe).map(Self.number)
        let (last, second) = (try #require(keys.last { $0 < 75 }), try #require(keys.dropFirst().first))
        try #require(second < last)
        let start = startsWithin ? last + 5 : last
        let fixture = try WriterFixture()
        let video = try fixture.addPull(.video, nil, hint: Self.packets[0].format)
        func time(_ number: Int) -> MediaTime { MediaTime(value: Int64(number), timescale: 30) }
        try fixture.writer.startWriting()
        try fixture.writer.startSession(atSourceTime: .zero)
        for packet in Self.packets.prefix(while: { Self.number($0) != second }) {
            try #require(eventually { video.isReadyForMoreMediaData })
            try #require(try video.append(packet))
        }
        try fixture.writer.endSession(atSourceTime: time(second))
        try fixture.writer.startSession(atSourceTime: time(start))
        // Decoding restarts, with a keyframe.
        let leaning = try #require(Self.packets.first { Self.number($0) == last + 7 })
        let stray = #expect(throws: MediaError.self) { try video.append(leaning) }
        #expect(stray?.code == .invalidSample && stray?.reason == "no keyframe came before it")
        for packet in Self.packets.drop(while: { Self.number($0) != last }) {
            try #require(eventually { video.isReadyForMoreMediaData })
            try #require(try video.append(packet))
        }
        try await fixture.writer.finishWriting()
        let numbers = Array(0..<second) + Array(start..<90)
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.complaints == "" && abs(probe.format.seconds - Double(numbers.count) / 30) < 0.001)
        let brightness = try Probe.brightness(fixture.path)
        #expect(brightness.count == numbers.count, "\(brightness.count)")
        #expect(zip(brightness, numbers).allSatisfy { abs(Int($0) - Int(SyntheticMedia.luma($1))) <= 3 })
    }

    // MARK: Rules

    @Test func append_betweenSessions_throws() async throws {
        let fixture = try WriterFixture()
        let (video, audio) = (try fixture.addVideo(), try fixture.addPullAudio())
        try fixture.writer.startWriting()
        #expect(code { try fixture.appendFrames(0..<1, to: video) } == .invalidState)
        try fixture.writer.startSession(atSourceTime: WriterFixture.start)
        try fixture.writer.startSession(atSourceTime: WriterFixture.start)
        #expect(code { try fixture.writer.startSession(atSourceTime: WriterFixture.time(1)) } == .invalidState)
        try fixture.appendFrames(0..<3, to: video)
        #expect(eventually { audio.isReadyForMoreMediaData })
        try audio.append(WriterFixture.audio(0))
        try fixture.writer.endSession(atSourceTime: WriterFixture.time(0.1))
        #expect(!video.isReadyForMoreMediaData && !audio.isReadyForMoreMediaData)
        #expect(code { try fixture.appendFrames(3..<4, to: video) } == .invalidState)
        #expect(code { try audio.append(WriterFixture.audio(3)) } == .invalidState)
        #expect(code { try fixture.writer.endSession(atSourceTime: WriterFixture.time(0.2)) } == .invalidState)
        #expect(code { try fixture.writer.startSession(atSourceTime: WriterFixture.time(0.05)) } == .invalidState)
        // Accepted samples are encoded meanwhile, and refused ones are not counted.
        #expect(video.ledger.captured == 3)
        audio.markAsFinished()
        try fixture.writer.startSession(atSourceTime: WriterFixture.time(1))
        try fixture.appendFrames(30..<33, to: video)
        try await fixture.writer.finishWriting()
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == 6 && abs(probe.format.seconds - 0.2) < 0.001)
        #expect((probe.audio?.seconds ?? 1) < 0.04)
    }

    @Test func sessions_trackOnlyInTheSecond_beginsThere() async throws {
        let fixture = try WriterFixture()
        let (video, audio) = (try fixture.addVideo(), try addAudio(fixture, .aac, isLive: true))
        try fixture.begin()
        try fixture.appendFrames(0..<30, to: video)
        try fixture.writer.endSession(atSourceTime: WriterFixture.time(1))
        try fixture.writer.startSession(atSourceTime: WriterFixture.time(10))
        try fixture.appendFrames(300..<330, to: video)
        for block in 300..<330 { try audio.append(Self.audio(block, click: 315)) }
        try await fixture.writer.finishWriting()
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == 60 && abs(probe.format.seconds - 2) < 0.001)
        #expect(abs((probe.audio?.start ?? 0) - 1) < 0.001)
        let heard = try await clicks(fixture.writer.outputURL)
        #expect(heard.count == 1 && abs(heard[0] - (1 + 24_800.0 / 48_000)) < 0.001, "\(heard)")
    }

    @Test func repair_crashInTheSecondSession_keepsBothAndTheGap() async throws {
        let fixture = try WriterFixture()
        let (video, audio) = (try fixture.addVideo(), try fixture.addAudio())
        try fixture.begin()
        for first in [0, 240] {
            if first > 0 {
                try fixture.writer.endSession(atSourceTime: WriterFixture.time(3))
                try fixture.writer.startSession(atSourceTime: WriterFixture.time(8))
            }
            try fixture.appendFrames(first..<(first + 90), to: video)
            try fixture.appendTone(first..<(first + 90), to: audio)
        }
        #expect(eventually { video.ledger.written >= 120 })
        let copy = fixture.directory.path("crashed.mov")
        try FileManager.default.copyItem(atPath: fixture.writer.temporaryURL.path, toPath: copy)
        _ = try MovieFinisher.finish(try DiskFile(path: copy, mode: .update))
        let probe = try Probe(copy, decodes: true)
        #expect(probe.complaints == "" && (probe.video?.frames ?? 0) >= 120 && probe.format.seconds > 8.5)
        fixture.writer.cancelWriting()
    }

    @Test func segmentedWriter_secondSession_throws() async throws {
        let directory = try TemporaryDirectory()
        let writer = try AssetWriter(playlistURL: directory.file("movie.m3u8"))
        let video = try AssetWriterInput(
            mediaType: .video, outputSettings: .video(VideoSettings(width: 64, height: 48)))
        try writer.add(video)
        try writer.startWriting()
        try writer.startSession(atSourceTime: WriterFixture.start)
        try #require(try video.append(WriterFixture.frame(0)))
        try writer.endSession(atSourceTime: WriterFixture.time(1))
        #expect(code { try writer.startSession(atSourceTime: WriterFixture.time(2)) } == .unsupported)
        // Nothing has changed.
        try await writer.finishWriting()
        #expect(writer.status == .completed)
    }
}
