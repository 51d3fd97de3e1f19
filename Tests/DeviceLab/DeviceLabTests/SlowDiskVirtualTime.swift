import Foundation
import Glibc
import TestSupport
import Testing

/// A recorder whose disk is slow, blocks, or disappears.
@Suite(.serialized) struct SlowDiskVirtualTime {
    /// The memory that a recorder may use because of its disk, in bytes: 64 MiB of packets that wait for it
    /// (`PacketDispatcher`; `docs/design/decisions/pipeline.md`), and 16 MiB for a minute of audio, the fragment in
    /// progress and the allocator's overhead.
    private static let bound = (64 + 16) << 20

    private func arguments(_ output: String, size: String, more: [String]) -> [String] {
        [
            "--camera", "/dev/video0", "--microphone", "hw:Loopback,1,0", "--size", size, "--frame-rate", "30",
            "--pixel-format", "yuyv", "--preset", "ultrafast", "--output", output,
        ] + more
    }

    @Test func recording_everyFifthWriteIsLate_dropsNothing() throws {
        let place = try TemporaryDirectory()
        let disk = try SlowDisk(in: place)
        let url = place.file("movie.mov")
        let recorder = LabRecorder(
            arguments(url.path, size: "1280x720", more: ["--duration", "120s"]), in: place,
            environment: disk.environment(percent: 20))
        #expect(recorder.process.wait() == 0, "\(recorder.messages)")
        #expect(disk.delays > 20, "the disk was not slow")
        let movie = MovieMeasure(url: url)
        for (type, ledger) in try movie.ledger() {
            #expect(ledger.captured > 0 && ledger.written == ledger.captured, "\(type): \(ledger)")
        }
        #expect((3599...3601).contains(try movie.packetTimes("v").count))
        #expect(try movie.decodingErrors() == "")
    }

    /// - Parameters:
    ///   - size: frame size.
    ///   - pattern: number of vivid's test pattern.
    ///   - more: further options.
    ///   - losesGroups: true if a minute of it exceeds the packets that may wait.
    private func recordAcrossAMinuteWithoutDisk(
        size: String, pattern: Int, more: [String], losesGroups: Bool
    ) throws {
        let place = try TemporaryDirectory()
        let disk = try SlowDisk(in: place)
        let url = place.file("movie.mov")
        try Program.run("v4l2-ctl", ["-d", "/dev/video0", "-c", "test_pattern=\(pattern)"])
        defer { _ = LabCommand.run("v4l2-ctl -d /dev/video0 -c test_pattern=0") }
        let recorder = LabRecorder(
            arguments(url.path, size: size, more: more), in: place, environment: disk.environment())
        #expect(recorder.waitsForStart(), "\(recorder.messages)")
        sleep(10)
        let before = try #require(recorder.peakMemory)
        try disk.standStill()
        sleep(60)
        disk.resume()
        sleep(10)
        let peak = try #require(recorder.peakMemory)
        let end = try recorder.stop()
        #expect(recorder.process.wait() == 0, "\(recorder.messages)")
        #expect(disk.delays > 0, "the disk never stood still")
        print("  peak \(before >> 20) MiB before, \(peak >> 20) MiB after a minute without disk")
        #expect(peak - before <= Self.bound, "\((peak - before) >> 20) MiB more than before")

        let movie = MovieMeasure(url: url)
        let ledgers = try movie.ledger()
        for (type, ledger) in ledgers {
            #expect(ledger.pending == 0 && ledger.droppedInAll == ledger[dropped: .disk], "\(type): \(ledger)")
            let told = type == "video" ? end?.video : end?.audio
            #expect(told?.captured == ledger.captured && told?.written == ledger.written, "\(type): \(ledger)")
        }
        let video = try #require(ledgers["video"])
        #expect((video.droppedInAll > 0) == losesGroups, "\(video)")
        #expect(ledgers["audio"]?.droppedInAll == 0, "audio is small: it waits")
        // About eighty seconds, and no frame of them is uncounted.
        #expect(video.captured > 80 * 30 - 30, "\(video)")
        #expect(try movie.shownPackets("v") == video.written)
        #expect(try movie.decodingErrors() == "")
    }

    @Test func recording_diskStallsAndMemorySuffices_dropsNothing() throws {
        try recordAcrossAMinuteWithoutDisk(
            size: "1280x720", pattern: 0, more: ["--bit-rate", "4M"], losesGroups: false)
    }

    @Test func recording_diskStallsBeyondTheMemoryBound_dropsGOPs() throws {
        try recordAcrossAMinuteWithoutDisk(size: "640x360", pattern: 21, more: ["--crf", "1"], losesGroups: true)
    }
}
