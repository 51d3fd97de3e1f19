import Foundation
import MediaTypes
import TestSupport
import Testing

/// The recorder with real devices in virtual time: only the recorder itself can lose data.
@Suite(.serialized) struct RecordingVirtualTime {
    /// Records with the command and checks the properties of every recording.
    private func record(
        _ camera: String, size: String, rate: Int, format: String, seconds: Int, frames: ClosedRange<Int>? = nil
    ) throws {
        let place = try TemporaryDirectory()
        let url = URL(fileURLWithPath: place.path("movie.mov"))
        let result = try Program.run(
            Program.recorder,
            [
                "run", "lab", "--camera", camera, "--microphone", "hw:Loopback,1,0", "--size", size, "--frame-rate",
                "\(rate)",
                "--pixel-format", format, "--preset", "ultrafast", "--duration", "\(seconds)s", "--output", url.path,
            ])
        #expect(result.status == 0, "\(result.errors)")
        let movie = MovieMeasure(url: url)
        let times = try movie.packetTimes("v")
        let ledger = try movie.ledger()
        let video = try #require(ledger["video"])
        let audio = try #require(ledger["audio"])
        #expect(audio.droppedInAll == 0 && audio.captured == audio.written)
        #expect(video.droppedInAll == 0)
        #expect(video.captured == video.written + video.droppedInAll)
        #expect(Int(video.written) == times.count)
        #expect((frames ?? (seconds * rate)...(seconds * rate)).contains(times.count), "\(times.count) frames")
        let audioLength = try movie.duration("a")
        #expect(abs(audioLength - (try movie.duration("v"))) <= 0.020)
        #expect(abs(audioLength - Double(seconds)) <= 0.020)
        let complaints = try movie.decodingErrors()
        #expect(complaints == "", "\(complaints)")
    }

    @Test func recording_tenMinutesOf720p30_dropsNothing() throws {
        try record("/dev/video0", size: "1280x720", rate: 30, format: "yuyv", seconds: 600)
    }

    @Test func recording_aMinuteOf720p60_dropsNothing() throws {
        try record("/dev/video0", size: "1280x720", rate: 60, format: "yuyv", seconds: 60)
    }

    @Test func recording_aMinuteOf1080p30_dropsNothing() throws {
        try record("/dev/video0", size: "1920x1080", rate: 30, format: "yuyv", seconds: 60)
    }

    @Test func recording_aMinuteOfMotionJPEG_dropsNothing() throws {
        try withFeed("MJPG", ["-pix_fmt", "yuvj422p", "-c:v", "mjpeg", "-q:v", "4"]) {
            // The feeder's own rate decides the number of frames; none that arrived may be missing.
            try record("/dev/video9", size: "1280x720", rate: 30, format: "mjpeg", seconds: 60, frames: 1700...1801)
        }
    }

    /// Feeds v4l2loopback's camera with encoded video while `body` runs.
    private func withFeed(_ code: String, _ encoder: [String], _ body: () throws -> Void) throws {
        try reloadLoopback()
        let feed = LabCommand(
            "exec ffmpeg -v error -re -f lavfi -i testsrc2=size=1280x720:rate=30 "
                + encoder.joined(separator: " ") + " -f v4l2 /dev/video9")
        defer { feed.end() }
        // The device is a camera once the feeder has set its format (exclusive_caps).
        let hasStarted = eventually(within: 30) {
            (try? Program.run("v4l2-ctl", ["-d", "/dev/video9", "--get-fmt-video"]).text.contains(code)) == true
        }
        #expect(hasStarted, "the feed did not start in 30 s")
        try body()
    }
}
