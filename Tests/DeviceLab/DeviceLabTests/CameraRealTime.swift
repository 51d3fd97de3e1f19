import MediaTypes
import RealTime
import Testing

@testable import Capture

/// Camera and microphone together, in real time.
@Suite(.serialized) struct CameraRealTime {
    @Test func capture_tenSecondsOf720pWithAudio_countsEveryFrame() throws {
        let camera = try CameraVirtualTime.camera(FrameSize(1280, 720))
        let microphone = try ALSAMicrophone(device: MicrophoneVirtualTime.device)
        let (shown, audio) = (CaptureLog(), CaptureLog())
        try camera.start(shown.receiver())
        try microphone.start(audio.receiver())
        #expect(shown.waits(atMost: 30) { $0.samples.count >= 300 })
        camera.stop()
        microphone.stop()
        #expect(shown.now.failure == nil && audio.now.failure == nil && audio.now.lost.isEmpty)
        // On a busy machine the driver itself may skip a frame. It reports that, and the recorder does too.
        let lost = shown.now.lost[.device] ?? 0
        #expect(shown.now.lost.count <= 1 && lost < 30)
        let span = try #require(shown.now.samples.last).time - shown.now.samples[0].time
        let frames = Int64(shown.now.samples.count) + lost
        #expect(abs(span.seconds - Double(frames - 1) / 30) < 0.02)
        // The reader never fell behind.
        #expect(camera.copiedCount == 0)
    }

    /// The clock rate of the sound card, as drift correction measures it.
    @Test func microphone_slowReader_timestampsFollowTheClock() throws {
        let microphone = try ALSAMicrophone(device: MicrophoneVirtualTime.device)
        let log = CaptureLog()
        let clock = MonotonicClock()
        try microphone.start(
            log.receiver { _ in
                // The reader is late repeatedly, up to 60 ms. The times of the blocks must not show it.
                if log.now.samples.count % 25 == 24 { clock.sleep(until: clock.nanoseconds + 60_000_000) }
            })
        #expect(log.waits(atMost: 20) { $0.samples.count >= 300 })
        microphone.stop()
        let state = log.now
        #expect(state.lost.isEmpty && state.failure == nil)
        var frames: Int64 = 0
        var errors: [Double] = []
        for sample in state.samples {
            errors.append((sample.time - state.samples[0].time - MediaTime(value: frames, timescale: 48_000)).seconds)
            frames += Int64(sample.sampleCount)
        }
        // The loopback card advances in ticks of 4 ms; a reading between two ticks is off by up to one.
        #expect(errors.allSatisfy { abs($0) < 0.008 })
        let sum: Double = errors.reduce(0, +)
        #expect(abs(sum / Double(errors.count)) < 0.004)
    }
}
