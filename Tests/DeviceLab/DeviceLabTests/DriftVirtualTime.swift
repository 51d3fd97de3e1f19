import Foundation
import TestSupport
import Testing

/// Microphones with a drifting clock, compared with frames on the monotonic clock. Ten minutes; `scripts/soak drift`
/// records an hour.
@Suite(.serialized) struct DriftVirtualTime {
    private static let seconds =
        ProcessInfo.processInfo.environment["RECORDER_DRIFT_MINUTES"].flatMap(Int.init).map { $0 * 60 } ?? 600

    /// Returns the delay of each flash after its beep, in order.
    private func offsets(_ movie: URL) throws -> [Double] {
        let measure = MovieMeasure(url: movie)
        let beeps = try measure.beeps()
        return try measure.flashes().compactMap { flash in
            beeps.min { abs($0 - flash) < abs($1 - flash) }.map { flash - $0 }
        }.filter { abs($0) < 0.5 }
    }

    private func record(_ camera: String, _ microphone: String, to movie: URL, configuration: String? = nil) throws {
        let environment = configuration.map { ["ALSA_CONFIG_PATH=\($0)"] } ?? []
        let result = try Program.run(
            "env",
            environment + [
                Program.recorder, "run", "lab", "--camera", camera, "--microphone", microphone, "--size", "320x180",
                "--frame-rate", "30", "--preset", "ultrafast", "--duration", "\(Self.seconds)s", "--output", movie.path,
            ])
        #expect(result.status == 0, "\(result.errors)")
        for (track, ledger) in try MovieMeasure(url: movie).ledger() {
            #expect(ledger.captured == ledger.written + ledger.droppedInAll, "\(track): \(ledger)")
        }
    }

    /// The kernel's sound card, 200 ppm slow: its control `PCM Rate Shift 100000` is the length of its second.
    @Test func recording_driftingSoundCard_staysInSync() throws {
        let shift = 100_020
        let place = try TemporaryDirectory()
        let movie = URL(fileURLWithPath: place.path("clap.mov"))
        try Program.run("v4l2-ctl", ["-d", "/dev/video0", "-c", "test_pattern=5,osd_text_mode=2"])
        func setShift(_ value: Int) throws {
            let set = try Program.run(
                "amixer",
                ["-q", "-c", "Loopback", "cset", "iface=PCM,name='PCM Rate Shift 100000',device=1", String(value)])
            #expect(set.status == 0, "\(set.errors)")
        }
        try setShift(shift)
        defer { try? setShift(100_000) }
        // 22.4 s by this card's clock: an integral number of its audio frames, of camera frames and of the kernel's
        // ticks. Every clap is therefore as far from the next frame as the first one.
        let frames = (22.4 * 48_000 * 100_000 / Double(shift)).rounded()
        let claps = Int(Double(Self.seconds) / 22.4) + 2
        let clap = LabCommand(
            "exec lab-clap /dev/video0 hw:Loopback,0,0 \(String(format: "%.9f", frames / 48_000)) \(claps) 150")
        defer { clap.end() }
        try record("/dev/video0", "hw:Loopback,1,0", to: movie)
        let offsets = try offsets(movie)
        let first = try #require(offsets.first)
        #expect(offsets.count >= claps - 4)
        // A clap at the edge of a frame is seen in this frame or in the next.
        let unwrapped = offsets.map { $0 - (($0 - first) * 30).rounded() / 30 }
        try judge(unwrapped, lowest: -0.005, highest: 0.038)
    }

    /// alsa-lib's own microphone, without the kernel's jiffies: every beep begins at the time of its flash.
    @Test(arguments: [200, -200]) func recording_driftingMicrophone_staysInSync(ppm: Int) throws {
        let place = try TemporaryDirectory()
        let movie = URL(fileURLWithPath: place.path("beep.mov"))
        let microphone = try DriftingMicrophone(ppm: ppm, in: place)
        try record("test", "drifting", to: movie, configuration: microphone.configuration)
        let offsets = try offsets(movie)
        #expect(offsets.count > Self.seconds * 9 / 10)
        try judge(offsets, lowest: -0.005, highest: 0.005)
    }

    private func judge(_ offsets: [Double], lowest: Double, highest: Double) throws {
        let first = try #require(offsets.first)
        let last = try #require(offsets.last)
        let least = try #require(offsets.min())
        let most = try #require(offsets.max())
        print("video minus audio: first \(first) s, last \(last) s, from \(least) to \(most) s, \(offsets.count) claps")
        #expect(least >= lowest && most <= highest, "video minus audio from \(least) to \(most) s")
        // Uncorrected, the offset would grow by 200 µs each second.
        #expect(abs(last - first) < 0.005 && most - least < 0.005, "video minus audio from \(least) to \(most) s")
    }
}
