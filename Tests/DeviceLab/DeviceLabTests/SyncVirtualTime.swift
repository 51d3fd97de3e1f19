import Foundation
import TestSupport
import Testing

/// Video and audio in sync: the lab's clap turns the video white at the instant a beep begins.
@Suite(.serialized) struct SyncVirtualTime {
    /// Returns the offsets of claps every 1.4 s, an integral number of frames, in one recording.
    private func offsets(seconds: Int) throws -> [Double] {
        let place = try TemporaryDirectory()
        let url = URL(fileURLWithPath: place.path("clap.mov"))
        try Program.run("v4l2-ctl", ["-d", "/dev/video0", "-c", "test_pattern=5,osd_text_mode=2"])
        let claps = Int(Double(seconds) / 1.4) + 2
        let clap = LabCommand("exec lab-clap /dev/video0 hw:Loopback,0,0 1.4 \(claps) 150")
        defer { clap.end() }
        let result = try Program.run(
            Program.recorder,
            [
                "run", "lab", "--camera", "/dev/video0", "--microphone", "hw:Loopback,1,0", "--size", "640x360",
                "--frame-rate",
                "30", "--preset", "ultrafast", "--duration", "\(seconds)s", "--output", url.path,
            ])
        #expect(result.status == 0, "\(result.errors)")
        let movie = MovieMeasure(url: url)
        let beeps = try movie.beeps()
        return try movie.flashes().compactMap { flash in
            beeps.min { abs($0 - flash) < abs($1 - flash) }.map { flash - $0 }
        }.filter { abs($0) < 0.5 }
    }

    @Test func recording_tenMinutesOfClaps_staysInSync() throws {
        let offsets = try offsets(seconds: 600)
        #expect(offsets.count > 400)
        let lowest = try #require(offsets.min())
        let highest = try #require(offsets.max())
        // A clap inside a frame is seen in the next one, which is the camera's own uncertainty.
        #expect(lowest >= -0.002 && highest <= 0.035, "video minus audio from \(lowest) to \(highest) s")
        #expect(highest - lowest <= 0.002, "video minus audio from \(lowest) to \(highest) s")
    }
}
