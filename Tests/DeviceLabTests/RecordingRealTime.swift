import Foundation
import MediaTypes
import TestSupport
import Testing

/// The recorder against the real clock, on the lab's one processor.
@Suite(.serialized) struct RecordingRealTime {
    @Test func aMinuteOf720p30DropsNothing() throws {
        let place = try TemporaryDirectory()
        let url = URL(fileURLWithPath: place.path("movie.mov"))
        let result = try Program.run(
            Program.recorder,
            [
                "run", "lab", "--camera", "/dev/video0", "--microphone", "hw:Loopback,1,0", "--size", "1280x720",
                "--frame-rate", "30", "--pixel-format", "yuyv", "--preset", "ultrafast", "--duration", "60s",
                "--output", url.path,
            ])
        #expect(result.status == 0, "\(result.errors)")
        let movie = MovieMeasure(url: url)
        let ledger = try movie.ledger()
        let video = try #require(ledger["video"])
        let audio = try #require(ledger["audio"])
        #expect(video.droppedInAll == 0 && audio.droppedInAll == 0, "\(ledger)")
        #expect((1799...1801).contains(try movie.packetTimes("v").count))
        #expect(try movie.decodingErrors() == "")
    }
}
