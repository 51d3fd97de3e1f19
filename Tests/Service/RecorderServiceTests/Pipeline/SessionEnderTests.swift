import FakeDevices
import MediaTypes
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

@Suite struct SessionEnderTests {
    /// Returns an ender with both tracks: frames every 40 ms up to 960 ms, audio up to 1000 ms.
    private func running(duration: MediaTime? = nil) -> Ender {
        let ender = Ender(hasVideo: true, hasAudio: true, duration: duration)
        ender.sessionStarted(at: .zero)
        for time in stride(from: 0, to: 1000, by: 40) { #expect(ender.video(at: milliseconds(time), duration: nil)) }
        for time in stride(from: 0, to: 1000, by: 100) {
            #expect(ender.audio(from: milliseconds(time), to: milliseconds(time + 100)))
        }
        return ender
    }

    @Test func stop_acceptsEarlierFramesAndAudioUpToTheirEnd() {
        let ender = running()
        ender.stop(at: milliseconds(1050))
        #expect(!ender.isVideoComplete)
        // Captured before the stop request, delivered after it.
        #expect(ender.video(at: milliseconds(1000), duration: nil))
        #expect(ender.video(at: milliseconds(1040), duration: nil))
        #expect(!ender.video(at: milliseconds(1080), duration: nil))
        #expect(ender.end == milliseconds(1080))
        #expect(!ender.isEnded)
        #expect(ender.audio(from: milliseconds(1000), to: milliseconds(1100)))
        #expect(ender.isEnded)
        #expect(!ender.audio(from: milliseconds(1100), to: milliseconds(1200)))
        #expect(!ender.video(at: milliseconds(1120), duration: nil))
    }

    /// Sends frames of a camera with B-frames in decode order, and returns those that belong to the movie.
    private func send(_ frames: some Sequence<SampleBuffer>, to ender: Ender) -> [Int] {
        frames.compactMap { frame in
            let time = frame.presentationTime
            guard ender.video(at: time, decodedAt: frame.decodeTime, duration: nil) else { return nil }
            return Int(time.ticks(in: 1000)) / 40
        }
    }

    @Test func stop_reorderedFrames_waitsForThoseBeforeIt() {
        let ender = Ender(hasVideo: true, hasAudio: false)
        ender.sessionStarted(at: .zero)
        let packets = ReorderedFrames.packets()
        #expect(send(packets.prefix(5), to: ender) == [0, 4, 2, 1, 3])
        // Before frame 6: 8 and 6 are decoded before 5, which depends on them.
        ender.stop(at: milliseconds(230))
        #expect(send(packets.dropFirst(5), to: ender) == [8, 6, 5])
        #expect(ender.end == milliseconds(240) && ender.isEnded)
    }

    @Test func stop_behindAnAcceptedFrame_showsThatFrame() {
        let ender = Ender(hasVideo: true, hasAudio: false)
        ender.sessionStarted(at: .zero)
        let packets = ReorderedFrames.packets()
        // A file may have begun with the keyframe 8, which is shown at 320 ms.
        #expect(send(packets.prefix(6), to: ender) == [0, 4, 2, 1, 3, 8])
        ender.stop(at: milliseconds(230))
        #expect(send(packets.dropFirst(6), to: ender) == [6, 5, 7, 12, 10])
        #expect(ender.end == milliseconds(360) && ender.isEnded)
    }

    @Test func limit_isKnownWithADurationOrAStop() {
        let ender = Ender(hasVideo: true, hasAudio: false, duration: milliseconds(230))
        #expect(ender.limit == nil)
        ender.sessionStarted(at: milliseconds(40))
        #expect(ender.limit == milliseconds(270))
        ender.stop(at: milliseconds(100))
        #expect(ender.limit == milliseconds(100))
        #expect(!ender.video(at: milliseconds(120), duration: nil))
        #expect(ender.limit == ender.end)
    }

    @Test func duration_reorderedFrames_endsExactly() {
        let ender = Ender(hasVideo: true, hasAudio: false, duration: milliseconds(230))
        ender.sessionStarted(at: .zero)
        #expect(send(ReorderedFrames.packets(), to: ender) == [0, 4, 2, 1, 3, 8, 6, 5])
        #expect(ender.end == milliseconds(230) && ender.isEnded)
    }

    @Test func stop_reorderedFramesHang_waitsForTheReorderingToo() {
        let ender = Ender(hasVideo: true, hasAudio: false)
        ender.sessionStarted(at: .zero)
        _ = send(ReorderedFrames.packets().prefix(6), to: ender)
        ender.stop(at: milliseconds(230))
        // Frame 8 is decoded at 120 ms, 200 ms before it is shown.
        ender.tick(now: milliseconds(729))
        #expect(!ender.isVideoComplete)
        ender.tick(now: milliseconds(730))
        #expect(ender.isVideoComplete)
    }

    @Test func duration_bothTracks_endsExactly() {
        let ender = running(duration: milliseconds(1030))
        #expect(ender.video(at: milliseconds(1000), duration: nil))
        #expect(!ender.video(at: milliseconds(1040), duration: nil))
        #expect(ender.end == milliseconds(1030))
        #expect(ender.audio(from: milliseconds(1000), to: milliseconds(1100)))
        #expect(ender.isEnded)
    }

    @Test func stop_beforeTheDuration_endsEarlier() {
        let ender = running(duration: milliseconds(60_000))
        ender.stop(at: milliseconds(970))
        #expect(!ender.video(at: milliseconds(1000), duration: nil))
        #expect(ender.end == milliseconds(1000))
        #expect(ender.isEnded)
    }

    @Test func stop_cameraHangs_waitsAtMost300Milliseconds() {
        let ender = running()
        ender.stop(at: milliseconds(1010))
        ender.tick(now: milliseconds(1300))
        #expect(!ender.isVideoComplete)
        ender.tick(now: milliseconds(1310))
        #expect(ender.end == milliseconds(1000))
        #expect(ender.isEnded)
    }

    @Test func stop_microphoneHangs_waitsAtMost300Milliseconds() {
        let ender = running()
        ender.stop(at: milliseconds(1050))
        #expect(ender.video(at: milliseconds(1040), duration: nil))
        #expect(!ender.video(at: milliseconds(1080), duration: nil))
        ender.tick(now: milliseconds(1090))
        #expect(!ender.isEnded)
        ender.tick(now: milliseconds(1650))
        #expect(ender.isEnded)
        #expect(ender.end == milliseconds(1120) || ender.end == milliseconds(1080))
    }

    @Test func duration_noSamples_endsByTheClock() {
        let ender = running(duration: milliseconds(2000))
        ender.tick(now: milliseconds(2299))
        #expect(!ender.isVideoComplete)
        for time in stride(from: 2300, through: 3000, by: 100) { ender.tick(now: milliseconds(time)) }
        #expect(ender.isEnded)
        #expect(ender.end == milliseconds(2000))
    }

    @Test func stop_cameraFailed_doesNotShortenTheAudio() {
        let ender = running()
        ender.videoGone()
        #expect(!ender.isEnded)
        #expect(ender.audio(from: milliseconds(1000), to: milliseconds(5000)))
        ender.stop(at: milliseconds(4990))
        #expect(ender.end == milliseconds(4990))
        #expect(ender.isEnded)
    }

    @Test func stop_cameraHungLongAgo_doesNotShortenTheAudio() {
        let ender = running()
        #expect(ender.audio(from: milliseconds(1000), to: milliseconds(5000)))
        ender.stop(at: milliseconds(4990))
        ender.tick(now: milliseconds(5290))
        #expect(ender.end == milliseconds(4990))
    }

    @Test func stop_microphoneFailed_doesNotWaitForIt() {
        let ender = running()
        ender.audioGone()
        ender.stop(at: milliseconds(1010))
        #expect(ender.video(at: milliseconds(1000), duration: nil))
        #expect(!ender.video(at: milliseconds(1040), duration: nil))
        #expect(ender.isEnded)
        #expect(ender.end == milliseconds(1040))
    }

    @Test func session_noDevice_continuesUntilStop() {
        let ender = running()
        ender.videoGone()
        ender.audioGone()
        ender.tick(now: milliseconds(60_000))
        #expect(!ender.isEnded && ender.end == nil)
        ender.stop(at: milliseconds(61_000))
        #expect(ender.isEnded)
        #expect(ender.end == milliseconds(61_000))
    }

    @Test func stop_cameraReconnected_waitsForIt() {
        let ender = running()
        ender.videoGone()
        ender.videoBack()
        #expect(ender.video(at: milliseconds(3000), duration: nil))
        ender.stop(at: milliseconds(3010))
        #expect(!ender.isVideoComplete)
        #expect(!ender.video(at: milliseconds(3040), duration: nil))
        #expect(ender.isVideoComplete)
    }

    @Test func stop_microphoneReconnected_waitsForIt() {
        let ender = running()
        ender.audioGone()
        ender.audioBack()
        ender.stop(at: milliseconds(1010))
        #expect(ender.video(at: milliseconds(1000), duration: nil))
        #expect(!ender.video(at: milliseconds(1040), duration: nil))
        #expect(!ender.isEnded)
        #expect(ender.audio(from: milliseconds(1000), to: milliseconds(1100)))
        #expect(ender.isEnded)
    }

    @Test func stop_audioOnly_endsAtTheRequestedTime() {
        let ender = Ender(hasVideo: false, hasAudio: true)
        ender.sessionStarted(at: .zero)
        #expect(ender.audio(from: .zero, to: milliseconds(100)))
        ender.stop(at: milliseconds(150))
        #expect(ender.isVideoComplete)
        #expect(!ender.isEnded)
        #expect(ender.audio(from: milliseconds(100), to: milliseconds(200)))
        #expect(ender.isEnded)
        #expect(ender.end == milliseconds(150))
    }

    @Test func duration_audioOnly_endsExactly() {
        let ender = Ender(hasVideo: false, hasAudio: true, duration: milliseconds(150))
        ender.sessionStarted(at: milliseconds(20))
        #expect(ender.audio(from: milliseconds(20), to: milliseconds(120)))
        #expect(ender.audio(from: milliseconds(120), to: milliseconds(220)))
        #expect(ender.isEnded)
        #expect(ender.end == milliseconds(170))
        #expect(!ender.audio(from: milliseconds(220), to: milliseconds(320)))
    }

    @Test func stop_lastFrame_keepsItsDuration() {
        let ender = Ender(hasVideo: true, hasAudio: false)
        ender.sessionStarted(at: .zero)
        #expect(ender.video(at: .zero, duration: milliseconds(20)))
        ender.stop(at: milliseconds(5))
        #expect(!ender.video(at: milliseconds(20), duration: milliseconds(20)))
        #expect(ender.end == milliseconds(20))
        #expect(ender.isEnded)
    }
}

/// A reference to the value, so that mutating calls can be used inside an expectation.
private final class Ender {
    private var value: SessionEnder

    init(hasVideo: Bool, hasAudio: Bool, duration: MediaTime? = nil) {
        value = SessionEnder(hasVideo: hasVideo, hasAudio: hasAudio, duration: duration)
    }

    var end: MediaTime? { value.end }
    var limit: MediaTime? { value.limit }
    var isVideoComplete: Bool { value.isVideoComplete }
    var isEnded: Bool { value.isEnded }
    func sessionStarted(at start: MediaTime) { value.sessionStarted(at: start) }
    func stop(at time: MediaTime) { value.stop(at: time) }
    func video(at time: MediaTime, decodedAt decodeTime: MediaTime? = nil, duration: MediaTime?) -> Bool {
        value.video(at: time, decodedAt: decodeTime, duration: duration)
    }
    func audio(from start: MediaTime, to end: MediaTime) -> Bool { value.audio(from: start, to: end) }
    func videoGone() { value.videoGone() }
    func audioGone() { value.audioGone() }
    func videoBack() { value.videoBack() }
    func audioBack() { value.audioBack() }
    func tick(now: MediaTime) { value.tick(now: now) }
}
