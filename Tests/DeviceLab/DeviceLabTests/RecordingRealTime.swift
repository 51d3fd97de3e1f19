import Foundation
import MediaTypes
import TestSupport
import Testing

/// The recorder in real time, on the lab's one processor.
@Suite(.serialized) struct RecordingRealTime {
    /// If the host is busy, the guest stops for a moment, and the camera loses frames that no recorder could have
    /// captured. So one attempt of several must lose nothing: a recorder that is too slow loses frames every time. If the
    /// host is too slow for 720p, a smaller size is enough; `scripts/bench` compares speeds.
    @Test func recording_twentySecondsInRealTime_dropsNothing() throws {
        let sizes = Array(repeating: "1280x720", count: 3) + Array(repeating: "640x360", count: 7)
        for (attempt, size) in sizes.enumerated()
        where try record(size, isLastAttempt: attempt == sizes.count - 1) { return }
    }

    /// Returns true if nothing was dropped; the last attempt requires that.
    private func record(_ size: String, isLastAttempt: Bool) throws -> Bool {
        let place = try TemporaryDirectory()
        let url = URL(fileURLWithPath: place.path("movie.mov"))
        let result = try Program.run(
            Program.recorder,
            [
                "run", "lab", "--camera", "/dev/video0", "--microphone", "hw:Loopback,1,0", "--size", size,
                "--frame-rate", "30", "--pixel-format", "yuyv", "--preset", "ultrafast", "--duration", "20s",
                "--output", url.path,
            ])
        #expect(result.status == 0, "\(result.errors)")
        let movie = MovieMeasure(url: url)
        let ledger = try movie.ledger()
        let video = try #require(ledger["video"])
        let audio = try #require(ledger["audio"])
        #expect(video.pending == 0 && audio.pending == 0)
        #expect(try movie.decodingErrors() == "")
        let isWhole = video.droppedInAll == 0 && audio.droppedInAll == 0
        guard isWhole || isLastAttempt else { return false }
        #expect(isWhole, "\(ledger)")
        #expect((599...601).contains(try movie.packetTimes("v").count))
        return true
    }
}
