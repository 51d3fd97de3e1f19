import Foundation
import MediaTypes
import RealTime
import Synchronization
import TestSupport
import Testing

@testable import AssetIO

/// Tests that the same movie with the same settings becomes the same bytes, however its threads are delayed.
@Suite struct SameBytesTests {
    /// Uses up processor time in bursts, to delay other threads.
    private final class Disturbance: Sendable {
        private let isOver = Atomic(false)
        private let threads = Locked<[NamedThread]>([])

        init(_ count: Int) throws {
            for index in 0..<count {
                let thread = try NamedThread("disturbance") {
                    var number = UInt64(index)
                    while !self.isOver.load(ordering: .relaxed) {
                        for _ in 0..<(200_000 * (index + 1)) { number = number &* 6_364_136_223_846_793_005 &+ 1 }
                        if number % 3 == 0 { usleep(UInt32(index) * 700) }
                    }
                }
                threads.withLock { $0.append(thread) }
            }
        }

        func stop() {
            isOver.store(true, ordering: .relaxed)
            for thread in threads.withLock({ $0 }) { thread.join() }
        }
    }

    private static let undated = Date(timeIntervalSince1970: 1_600_000_000)

    private func copy(
        _ source: URL, _ name: String, preset: ExportPreset, in directory: TemporaryDirectory,
        _ configure: (inout ExportSession.Configuration) -> Void
    ) async throws -> Data {
        let url = directory.file(name)
        let session = try ExportSession(asset: Asset(url: source), preset: preset)
        try session.configure {
            $0.undatedCreationDate = Self.undated
            configure(&$0)
        }
        try await session.export(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        return try Data(contentsOf: url)
    }

    private func expectSameBytes(
        _ source: URL, as type: String = "mov", preset: ExportPreset = .highQuality, in directory: TemporaryDirectory,
        _ configure: (inout ExportSession.Configuration) -> Void = { _ in }
    ) async throws {
        let first = try await copy(source, "first.\(type)", preset: preset, in: directory, configure)
        #expect(first.count > 1000)
        for round in 1...3 {
            let disturbance = try Disturbance(round * 2)
            defer { disturbance.stop() }
            let again = try await copy(source, "again.\(type)", preset: preset, in: directory, configure)
            #expect(again == first, "round \(round)")
        }
    }

    private static func encode(_ codec: VideoCodec) -> (inout ExportSession.Configuration) -> Void {
        { configuration in
            var settings = VideoSettings(codec: codec, rateControl: .constantQuality(30), preset: "ultrafast")
            settings.threadCount = 3
            configuration.videoSettings = settings
        }
    }

    private static let sources = ["testsrc2=s=192x108:r=25:d=6", "sine=f=440:r=48000:d=6"]

    @Test(arguments: [VideoCodec.h264, .hevc, .av1], ["mov", "mp4"])
    func export_videoAndAudio_writesTheSameBytes(_ codec: VideoCodec, as type: String) async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            "plain.mov", Self.sources, ["-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac"])
        try await expectSameBytes(source, as: type, in: fixture.directory, Self.encode(codec))
    }

    @Test func export_chaptersTimecodeAndDate_writesTheSameBytes() async throws {
        let fixture = try ReadingFixture()
        try await expectSameBytes(try fixture.describedMovie(seconds: 5), in: fixture.directory, Self.encode(.h264))
    }

    @Test func export_unequalAudioTracks_writesTheSameBytes() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            "tracks.mov",
            [
                "testsrc2=s=192x108:r=25:d=8", "sine=f=440:r=48000:d=8", "sine=f=220:r=44100:d=2",
                "sine=f=880:r=48000:d=2",
            ],
            [
                "-filter_complex", "[3:a]asetpts=PTS+5/TB[late]", "-map", "0:v", "-map", "1:a", "-map", "2:a", "-map",
                "[late]", "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac",
            ])
        try await expectSameBytes(source, in: fixture.directory, Self.encode(.h264))
        try await expectSameBytes(source, preset: .passthrough, in: fixture.directory)
        try await expectSameBytes(source, as: "m4a", preset: .audioOnly, in: fixture.directory)
    }

    @Test func export_subtitles_writesTheSameBytes() async throws {
        let fixture = try ReadingFixture()
        let words = fixture.directory.file("words.srt")
        try Data("1\n00:00:00,200 --> 00:00:00,400\nOne\n\n2\n00:00:00,700 --> 00:00:00,900\nTwo\n".utf8).write(
            to: words)
        let source = try fixture.remake(
            try fixture.movie(), "titled.mov", ["-map", "0", "-map", "1", "-c", "copy", "-c:s", "mov_text"],
            inputs: [words.path])
        try await expectSameBytes(source, in: fixture.directory, Self.encode(.h264))
        try await expectSameBytes(source, preset: .passthrough, in: fixture.directory)
    }

    @Test func export_headerFirst_writesTheSameBytes() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.movie()
        try await expectSameBytes(source, as: "mp4", in: fixture.directory) {
            Self.encode(.h264)(&$0)
            $0.shouldOptimizeForNetworkUse = true
        }
    }

    /// A movie whose writer is fed by one thread, each track as far as it may go before the other.
    private func written(_ turns: [Int], audioBegins second: Int = 0) throws -> Data {
        let fixture = try WriterFixture()
        try fixture.writer.configure {
            $0.isRecoverable = false
            $0.creationDate = Self.undated
        }
        // x264 makes the same packets from the same frames only with a fixed number of threads.
        var settings = VideoSettings(width: 64, height: 48, expectedFrameRate: 30)
        settings.threadCount = 2
        let inputs = [try fixture.addPull(.video, .video(settings)), try fixture.addPullAudio()]
        let ends = [240, 240]
        var next = [0, second * 30]
        try fixture.begin()
        var isOpen = [true, true]
        let deadline = ContinuousClock.now + .seconds(60)
        var turn = 0
        while isOpen.contains(true), ContinuousClock.now < deadline {
            let track = turns[turn % turns.count]
            turn += 1
            while isOpen[track], inputs[track].isReadyForMoreMediaData {
                if next[track] == ends[track] {
                    inputs[track].markAsFinished()
                    isOpen[track] = false
                } else {
                    let sample = track == 0 ? WriterFixture.frame(next[0]) : WriterFixture.audio(next[1])
                    if try inputs[track].append(sample) { next[track] += 1 }
                }
            }
        }
        #expect(isOpen == [false, false])
        try fixture.writer.finishWritingNow()
        return try Data(contentsOf: fixture.writer.outputURL)
    }

    @Test(arguments: [0, 4]) func writer_eitherTrackFedFirst_writesTheSameBytes(audioBegins: Int) throws {
        let framesFirst = try written([0, 1], audioBegins: audioBegins)
        #expect(try written([1, 0], audioBegins: audioBegins) == framesFirst)
        #expect(try written([1, 1, 1, 0], audioBegins: audioBegins) == framesFirst)
    }

    /// More data than the backlog allows comes before the first audio, whose beginning the encoder holds back.
    @Test func writer_audioBeginsBeyondTheBacklogLimit_doesNotWait() async throws {
        let fixture = try WriterFixture()
        try fixture.writer.configure { $0.isRecoverable = false }
        let format = VideoFormat(codec: .mjpeg, width: 64, height: 48)
        let video = try fixture.addPull(.video, nil, hint: .video(format))
        let audio = try fixture.addPullAudio()
        try fixture.begin()
        let frame = MediaData([UInt8](repeating: 7, count: 1 << 20))
        async let frames: Void = video.feed(.receiver, 80) { number in
            SampleBuffer(
                format: .video(format), content: .data(frame), presentationTime: WriterFixture.time(Double(number)),
                duration: MediaTime(value: 1, timescale: 1), isKeyframe: true)
        }
        async let audioFeed: Void = audio.feed(.receiver, 90) { WriterFixture.audio(70 * 30 + $0) }
        _ = try await (frames, audioFeed)
        try await fixture.writer.finishWriting()
        #expect(video.ledger.written == 80 && audio.ledger.written == 90 * 1600)
        #expect(fixture.writer.bytesWritten > 80 << 20)
    }
}
