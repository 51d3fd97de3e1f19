import Dispatch
import Foundation
import MediaCodecs
import MediaTypes
import MovieFile
import RealTime
import TestSupport
import Testing

@testable import AssetIO

/// Tests of a program that copies all frames of a movie first, and then all its audio: the audio track is in the movie.
@Suite(.serialized) struct AudioAfterVideoTests {
    private static let frameSize = 1 << 20
    private static let rate = 5

    /// A larger count can be set with `LATE_TRACK_MEBIBYTES`, for longer runs.
    private static let frameCount =
        ProcessInfo.processInfo.environment["LATE_TRACK_MEBIBYTES"].flatMap { Int($0) } ?? 60

    /// A keyframe, and the format of its track.
    private static let key: (format: FormatDescription, bytes: [UInt8]) = {
        let settings = VideoSettings(width: 64, height: 48, preset: "ultrafast")
        let encoder = try! H264Encoder(settings: settings, color: .bt601, timeScale: 90_000, isRealTime: false)
        var packets: [SampleBuffer] = []
        try! encoder.encode(SyntheticMedia.frame(1, width: 64, height: 48), at: .zero) { packets.append($0) }
        try! encoder.finish { packets.append($0) }
        guard case .data(let data) = packets[0].content else { fatalError("an encoder gave no data") }
        return (packets[0].format, Array(data.bytes))
    }()

    /// The keyframe after a message of one mebibyte that no program understands (ITU-T H.264, D.1.6).
    private static let bytes: [UInt8] = {
        // No zeros, so that nothing in it resembles a start code.
        let noise = SyntheticMedia.noise(frameSize).map { $0 | 1 }
        var message: [UInt8] = [6, 5] + [UInt8](repeating: 255, count: noise.count / 255) + [UInt8(noise.count % 255)]
        message += noise + [0x80]
        let size = UInt32(message.count)
        return [UInt8(size >> 24), UInt8(size >> 16 & 255), UInt8(size >> 8 & 255), UInt8(size & 255)] + message
            + key.bytes
    }()

    /// A packet in its own memory.
    private static func frame(_ number: Int) -> SampleBuffer {
        SampleBuffer(
            format: key.format, content: .data(bytes.withUnsafeBytes { MediaData(copying: $0) }),
            presentationTime: MediaTime(value: Int64(number), timescale: Int32(rate)),
            duration: MediaTime(value: 1, timescale: Int32(rate)), isKeyframe: true)
    }

    private struct Program {
        let fixture: WriterFixture
        let video: AssetWriterInput
        let audio: AssetWriterInput
        let packets: [SampleBuffer]
    }

    /// The video input is flagged as live although it is pulled; in a `.mov` neither input has a format hint.
    private func program(_ name: String) async throws -> Program {
        let fixture = try WriterFixture(name: name)
        let source = fixture.directory.file("audio.m4a")
        let made = try Command.run([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
            "sine=440:r=48000:d=\(Double(Self.frameCount) / Double(Self.rate))", "-c:a", "aac", source.path,
        ])
        try #require(made.status == 0, "\(made.errors)")
        let (_, output) = try await AssetReader.reading(source, .audio, nil)
        let packets = output.all()
        let video = try fixture.addPull(.video, nil, hint: name.hasSuffix("mp4") ? Self.key.format : nil) {
            $0.expectsMediaDataInRealTime = true
        }
        let audio = try fixture.addPull(.audio, nil, hint: name.hasSuffix("mp4") ? packets[0].format : nil)
        return Program(fixture: fixture, video: video, audio: audio, packets: packets)
    }

    private static func residentBytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize())
    }

    /// Runs the program: all frames, the session again, and the audio up to `count` packets.
    private func run(_ program: Program, audioCount count: Int? = nil) async throws {
        let (writer, before) = (program.fixture.writer, Self.residentBytes())
        let (most, backlog) = (Locked(0), Locked<Int64>(0))
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        try await program.video.feed(.request, Self.frameCount) { number in
            let waiting = writer.core.shared.withLock { $0.muxer }?.backlog ?? 0
            backlog.withLock { $0 = max($0, waiting) }
            most.withLock { $0 = max($0, Self.residentBytes()) }
            return Self.frame(number)
        }
        try writer.startSession(atSourceTime: .zero)
        let packets = program.packets
        try await program.audio.feed(.request, count ?? packets.count, finishes: count == nil) { packets[$0] }
        #expect(backlog.withLock { $0 } <= Int64(Muxer.backlogLimit + Self.frameSize + (64 << 10)))
        let growth = most.withLock { $0 } - before
        #expect(growth < 200 << 20, "\(growth >> 20) MiB more than before")
        #expect(program.video.ledger.droppedInAll == 0 && program.audio.ledger.droppedInAll == 0)
    }

    private func judge(_ path: String, audio: ClosedRange<Double>) throws {
        let probe = try Probe(path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == Self.frameCount)
        #expect(audio.contains(probe.audio?.seconds ?? -1), "\(String(describing: probe.audio))")
        #expect((probe.audio?.start ?? 1) < 0.001 && (probe.audio?.frames ?? 0) > 100)
    }

    @Test(arguments: ["movie.mov", "movie.mp4"]) func audioAfterVideo_finalizedMovie_hasBoth(
        _ name: String
    ) async throws {
        let program = try await program(name)
        try await run(program)
        try await program.fixture.writer.finishWriting()
        let seconds = Double(Self.frameCount) / Double(Self.rate)
        try judge(program.fixture.path, audio: (seconds - 0.05)...(seconds + 0.05))
    }

    @Test(arguments: ["movie.mov", "movie.mp4"]) func audioAfterVideo_repairedMovie_hasBoth(
        _ name: String
    ) async throws {
        let program = try await program(name)
        // The program is killed before all of the audio is written.
        try await run(program, audioCount: program.packets.count * 3 / 4)
        #expect(eventually { program.audio.ledger.written >= Int64(program.packets.count / 2) * 1024 })
        let copy = program.fixture.directory.path("killed.\(name)")
        try FileManager.default.copyItem(atPath: program.fixture.writer.temporaryURL.path, toPath: copy)
        program.fixture.writer.cancelWriting()
        _ = try MovieFinisher.finish(try DiskFile(path: copy, mode: .update))
        let seconds = Double(Self.frameCount) / Double(Self.rate)
        try judge(copy, audio: (seconds * 0.45)...(seconds * 0.8))
    }
}
