import Capture
import Foundation
import Glibc
import MediaTypes
import RealTime
import RecorderService
import RecorderStorage
import TestSupport
import Testing

/// The camera behind libcamera in virtual time: list, record, starve, share, kill its helper.
@Suite(.serialized) struct LibcameraVirtualPipeline {
    private func keeper() throws -> DeviceKeeper {
        var configuration = RecordingConfiguration()
        configuration.camera = .libcamera("Sensor B")
        configuration.microphone = .none
        configuration.size = FrameSize(642, 480)
        return try #require(try DeviceOpener().openKeepers(configuration).camera)
    }

    /// Expects that delivered and dropped frames fill the time.
    private func expectAllFrames(_ state: KeeperLog.State, tolerance: Int64) {
        let lost = state.lost[.device] ?? 0
        let all = state.capturedFrames(at: LabPipeline.rate)
        let delivered = Int64(state.samples.count)
        #expect(abs(delivered + lost - all) <= tolerance, "\(delivered) + \(lost) of \(all)")
        #expect(zip(state.samples, state.samples.dropFirst()).allSatisfy { $0.time < $1.time })
    }

    @Test func devices_vimc_isListedAndItsNodesAreNot() throws {
        let result = try Program.run(Program.recorder, ["devices", "--controls"])
        #expect(result.status == 0, "\(result.errors)")
        let lines = result.text.split(separator: "\n").map(String.init)
        #expect(lines.contains { $0.hasPrefix("  libcamera:") && $0.hasSuffix("  Sensor B") }, "\(result.text)")
        #expect(lines.contains { $0.hasPrefix("    made of /dev/video") }, "\(result.text)")
        #expect(!lines.contains { $0.hasPrefix("  /dev/video") && $0.lowercased().contains("vimc") }, "\(result.text)")
    }

    @Test func recording_ofARawNode_namesTheCamera() throws {
        let node = try LabPipeline.node(named: "Raw Capture 0")
        let place = try TemporaryDirectory()
        let result = try Program.run(
            Program.recorder,
            ["run", "raw", "--camera", node, "--microphone", "none", "--output", place.path("movie.mov")])
        #expect(result.status != 0 && result.errors.contains("--camera \"libcamera:"), "\(result.errors)")
    }

    @Test func helper_everyThread_isRestricted() throws {
        let keeper = try keeper()
        let log = KeeperLog()
        try keeper.start { log.receive($0) }
        #expect(log.waitsForMore(50, atMost: 30))
        #expect(LabPipeline.isRestricted())
        keeper.stop()
    }

    @Test func camera_tenSeconds_deliversEveryFrame() throws {
        let keeper = try keeper()
        let log = KeeperLog()
        try keeper.start { log.receive($0) }
        #expect(log.waitsForMore(500, atMost: 30))
        keeper.stop()
        let state = log.now
        #expect(state.lost.isEmpty && state.gone.isEmpty)
        expectAllFrames(state, tolerance: 0)
        // Frames arrive soon after their own times.
        #expect(state.samples.allSatisfy { ($0.received - $0.time).seconds < 0.1 })
    }

    @Test func camera_receiverThatIsLate_countsItsLosses() throws {
        let keeper = try keeper()
        let log = KeeperLog()
        let clock = MonotonicClock()
        try keeper.start { event in
            log.receive(event)
            guard case .sample = event, log.now.samples.count % 100 == 50 else { return }
            // All buffers are filled meanwhile, and the camera has none.
            clock.sleep(until: clock.nanoseconds + 400_000_000)
        }
        #expect(log.waitsForMore(350, atMost: 60))
        keeper.stop()
        let state = log.now
        #expect((state.lost[.device] ?? 0) >= 20 && state.gone.isEmpty)
        expectAllFrames(state, tolerance: 3)
    }

    @Test func camera_inUse_isRefusedWithAReason() throws {
        let place = try TemporaryDirectory()
        let first = LabRecorder(
            LabPipeline.arguments(output: place.path("first.mov"), more: ["--microphone", "none"]), in: place)
        #expect(first.waitsForStart())
        let second = LabRecorder(
            LabPipeline.arguments(output: place.path("second.mov"), more: ["--microphone", "none"]), in: place,
            name: "second")
        #expect(second.process.wait() != 0)
        #expect(second.messages.contains("another program"), "\(second.messages)")
        let end = try first.stop()
        #expect(end?.video?.droppedInAll == 0)
    }

    @Test func camera_helperThatIsStopped_isReplaced() throws {
        let keeper = try keeper()
        let log = KeeperLog()
        try keeper.start { log.receive($0) }
        #expect(log.waitsForMore(600, atMost: 30))
        #expect(LabPipeline.signal(SIGSTOP))
        #expect(log.waits(atMost: 30) { $0.returns.count == 1 })
        #expect(log.waitsForMore(100, atMost: 30))
        keeper.stop()
        let state = log.now
        #expect(state.gone.first?.reason.hasPrefix("no frame for") == true)
        expectAllFrames(state, tolerance: 3)
    }

    @Test func recording_helperKilledFourTimes_losesOnlyWhatItCounts() throws { try killHelpers(4) }

    @Test func recording_helperKilledAHundredTimesOver_losesOnlyWhatItCounts() throws { try killHelpers(100) }

    /// Kills the helper at random moments of a recording.
    private func killHelpers(_ count: Int) throws {
        let place = try TemporaryDirectory()
        let url = URL(fileURLWithPath: place.path("movie.mov"))
        let recorder = LabRecorder(
            LabPipeline.arguments(output: url.path, more: ["--microphone", "hw:Loopback,1,0"]), in: place)
        #expect(recorder.waitsForStart())
        var random = SeededRandom(seed: 38)
        let clock = MonotonicClock()
        for _ in 0..<count {
            // The time that is recorded between two kills, not a wait for a condition. Mostly after ten seconds of frames,
            // so that the next helper is started at once; some before.
            let wait = Int64.random(in: 2_000_000_000...15_000_000_000, using: &random)
            clock.sleep(until: clock.nanoseconds + wait)
            // Without a helper at this moment there is one to come.
            #expect(eventually(within: 60, every: 0.1) { LabPipeline.signal(SIGKILL) })
        }
        #expect(eventually(within: 60, every: 0.1) { recorder.status?.state == "recording" })
        LabSignal.hold(seconds: 40)
        let end = try #require(try recorder.stop())
        let files = end.segments.map { URL(fileURLWithPath: $0.file) }
        #expect(!files.isEmpty)
        for file in files {
            let movie = MovieMeasure(url: file)
            let ledger = try movie.ledger()
            let video = try #require(ledger["video"])
            let audio = try #require(ledger["audio"])
            #expect(video.captured == video.written + video.droppedInAll && video.pending == 0, "\(ledger)")
            #expect(audio.droppedInAll == 0, "\(ledger)")
            #expect(try movie.packetTimes("v").count == Int(video.written))
            #expect(try movie.decodingErrors() == "")
            // The frames and the counted ones fill the time of the audio. Each absence may be off by one.
            let expected = try movie.duration("a") * LabPipeline.rate
            #expect(abs(Double(video.captured) - expected) <= Double(count + 5), "\(video.captured) of \(expected)")
        }
    }

    /// Records claps every 1.4 s, an integral number of frames, before the sensor and the microphone.
    @Test func recording_tenMinutesOfClaps_staysInSync() throws {
        let place = try TemporaryDirectory()
        let url = URL(fileURLWithPath: place.path("clap.mov"))
        let sensor = try LabPipeline.node(named: "Sensor B")
        let clap = LabCommand("exec lab-clap \(sensor) hw:Loopback,0,0 1.4 440 150")
        defer { clap.end() }
        let result = try Program.run(
            Program.recorder,
            [
                "run", "lab", "--camera", LabPipeline.camera, "--microphone", "hw:Loopback,1,0", "--size",
                LabPipeline.size, "--preset", "ultrafast", "--duration", "600s", "--output", url.path,
            ])
        #expect(result.status == 0, "\(result.errors)")
        let movie = MovieMeasure(url: url)
        let ledger = try movie.ledger()
        #expect(ledger["video"]?.droppedInAll == 0 && ledger["audio"]?.droppedInAll == 0, "\(ledger)")
        let frames = try movie.packetTimes("v").count
        #expect((29_999...30_001).contains(frames), "\(frames) frames")
        let beeps = try movie.beeps()
        let offsets = try movie.flashes().compactMap { flash in
            beeps.min { abs($0 - flash) < abs($1 - flash) }.map { flash - $0 }
        }.filter { abs($0) < 0.5 }
        #expect(offsets.count > 400)
        let lowest = try #require(offsets.min())
        let highest = try #require(offsets.max())
        // A clap inside a frame is seen in the next one.
        #expect(lowest >= -0.002 && highest <= 0.022, "video minus audio from \(lowest) to \(highest) s")
        #expect(highest - lowest <= 0.002, "video minus audio from \(lowest) to \(highest) s")
    }
}
