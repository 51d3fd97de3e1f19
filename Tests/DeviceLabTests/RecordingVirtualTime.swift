import Foundation
import MediaTypes
import Testing

/// The recorder with real devices in virtual time: whatever is missing from the file was lost by the recorder.
@Suite(.serialized) struct RecordingVirtualTime {
    /// Records with the command and checks what every recording must be.
    private func record(
        _ camera: String, size: String, rate: Int, format: String, seconds: Int, frames: ClosedRange<Int>? = nil
    ) throws {
        let place = try TemporaryPlace()
        let url = place.file("movie.mov")
        let result = try Program.run(
            Program.recorder,
            [
                "run", "lab", "--camera", camera, "--microphone", "hw:Loopback,1,0", "--size", size, "--frame-rate", "\(rate)",
                "--pixel-format", format, "--preset", "ultrafast", "--duration", "\(seconds)s", "--output", url.path,
            ])
        #expect(result.status == 0, "\(result.errors)")
        let movie = MovieMeasure(url: url)
        let times = try movie.packetTimes("v")
        let ledger = try movie.ledger()
        let video = try #require(ledger["video"])
        let audio = try #require(ledger["audio"])
        #expect(video.droppedInAll == 0 && audio.droppedInAll == 0)
        #expect(video.captured == video.written && audio.captured == audio.written)
        #expect(Int(video.written) == times.count)
        #expect((frames ?? (seconds * rate)...(seconds * rate)).contains(times.count), "\(times.count) frames")
        let audioLength = try movie.duration("a")
        #expect(abs(audioLength - (try movie.duration("v"))) <= 0.020)
        #expect(abs(audioLength - Double(seconds)) <= 0.020)
        #expect(try movie.decodingErrors() == "")
    }

    @Test func tenMinutesOf720p30AreWholeAndTheSoundIsAsLong() throws {
        try record("/dev/video0", size: "1280x720", rate: 30, format: "yuyv", seconds: 600)
    }

    @Test func aMinuteOf720p60IsWhole() throws {
        try record("/dev/video0", size: "1280x720", rate: 60, format: "yuyv", seconds: 60)
    }

    @Test func aMinuteOf1080p30IsWhole() throws {
        try record("/dev/video0", size: "1920x1080", rate: 30, format: "yuyv", seconds: 60)
    }

    @Test func aMinuteOfMotionJPEGIsWhole() throws {
        let feed = try Program.start(
            "ffmpeg",
            [
                "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=30", "-pix_fmt", "yuvj422p", "-c:v", "mjpeg",
                "-q:v", "4", "-f", "v4l2", "/dev/video9",
            ])
        defer {
            feed.terminate()
            feed.waitUntilExit()
        }
        // The camera exists for a recorder once the feeder has set its format (exclusive_caps).
        try waitUntil(atMost: 30) {
            try Program.run("v4l2-ctl", ["-d", "/dev/video9", "--get-fmt-video"]).output.contains("MJPG")
        }
        // The feeder's own pace decides how many pictures there are; none that arrived may be missing.
        try record("/dev/video9", size: "1280x720", rate: 30, format: "mjpeg", seconds: 60, frames: 1700...1801)
    }

    private func waitUntil(atMost seconds: Double, _ condition: () throws -> Bool) throws {
        let end = Date().addingTimeInterval(seconds)
        while try !condition() {
            try #require(Date() < end, "the condition did not come true in \(seconds) s")
        }
    }
}
