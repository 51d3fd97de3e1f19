import FakeDevices
import MediaTypes
import Testing

@testable import AVCapture

@Suite struct RecordingSessionsTests {
    private func frame(_ time: Int, isKeyframe: Bool = true) -> SampleBuffer {
        SampleBuffer(
            format: .video(VideoFormat(codec: .h264, width: 64, height: 32)), content: .data(MediaData([0])),
            presentationTime: milliseconds(time), isKeyframe: isKeyframe)
    }

    private func image(_ time: Int) -> SampleBuffer {
        SampleBuffer(
            format: .video(VideoFormat(codec: .mjpeg, width: 64, height: 32)), content: .data(MediaData([0])),
            presentationTime: milliseconds(time))
    }

    private func text(_ step: RecordingSessions.Step) -> String {
        switch step {
        case .leaveOut: "-"
        case .append: "append"
        case .begin(let time, let held): "begin \(time.ticks(in: 1000)), \(held.count) held"
        }
    }

    @Test func recording_audioFirst_waitsForVideo() {
        var sessions = RecordingSessions(hasVideo: true)
        #expect(text(sessions.add(audio(at: 900))) == "-")
        #expect(text(sessions.add(frame(990, isKeyframe: false))) == "-")
        #expect(text(sessions.add(frame(1000))) == "begin 1000, 1 held")
        #expect(text(sessions.add(audio(at: 1000))) == "append")
        #expect(sessions.start == milliseconds(1000) && sessions.recorded == milliseconds(100))
    }

    @Test func recording_audioAlone_beginsWithIt() {
        var sessions = RecordingSessions(hasVideo: false)
        #expect(text(sessions.add(audio(at: 900))) == "begin 900, 0 held")
    }

    @Test func recording_pause_isCutOut() {
        var sessions = RecordingSessions(hasVideo: true)
        _ = sessions.add(frame(1000))
        _ = sessions.add(frame(1040))
        // The last frame is shown as long as the one before it.
        #expect(sessions.pause() == milliseconds(1080) && sessions.isPaused)
        #expect(sessions.pause() == nil)
        #expect(text(sessions.add(frame(3000))) == "-")
        #expect(sessions.resume() && !sessions.resume())
        #expect(text(sessions.add(frame(5000))) == "begin 5000, 0 held")
        _ = sessions.add(frame(5040))
        #expect(sessions.recorded == milliseconds(160) && sessions.start == milliseconds(1000))
        #expect(sessions.end() && !sessions.end() && sessions.isEnded)
        #expect(sessions.recorded == milliseconds(160))
        #expect(text(sessions.add(frame(5080))) == "-")
    }

    @Test func recording_resumedAtOnce_beginsAfterTheSessionBefore() {
        var sessions = RecordingSessions(hasVideo: true)
        for time in [1000, 1040] { _ = sessions.add(image(time)) }
        _ = sessions.add(audio(at: 1000))
        #expect(sessions.pause() == milliseconds(1100) && sessions.resume())
        // A frame from before the end of what the microphone recorded.
        #expect(text(sessions.add(image(1080))) == "-")
        #expect(text(sessions.add(image(1120))) == "begin 1120, 0 held")
        #expect(sessions.recorded == milliseconds(140) && sessions.isRunning)
    }

    @Test func recording_packetsResumedAtOnce_keepTheKeyframe() {
        var sessions = RecordingSessions(hasVideo: true)
        for time in [1000, 1040] { _ = sessions.add(frame(time)) }
        _ = sessions.add(audio(at: 1000))
        #expect(sessions.pause() == milliseconds(1100) && sessions.resume())
        #expect(text(sessions.add(frame(1080))) == "begin 1100, 0 held")
        #expect(text(sessions.add(frame(1120, isKeyframe: false))) == "append")
    }

    @Test func recording_longWaitForVideo_holdsTheNewestAudio() {
        var sessions = RecordingSessions(hasVideo: true)
        for index in 0..<300 { _ = sessions.add(audio(at: index * 100)) }
        guard case .begin(_, let held) = sessions.add(frame(30_000)) else {
            Issue.record("the recording does not begin")
            return
        }
        #expect(held.count == RecordingSessions.mostHeld && held.last?.presentationTime == milliseconds(29_900))
    }

    @Test func recording_sampleBeyondTheLimit_isCut() {
        var sessions = RecordingSessions(hasVideo: true)
        #expect(sessions.cut(to: milliseconds(10)) == nil, "nothing is recorded")
        _ = sessions.add(frame(1000))
        _ = sessions.add(frame(1040))
        _ = sessions.pause()
        _ = sessions.resume()
        _ = sessions.add(frame(5000))
        _ = sessions.add(audio(at: 5000))
        #expect(sessions.recorded == milliseconds(180))
        #expect(sessions.cut(to: milliseconds(180)) == nil && sessions.cut(to: milliseconds(70)) == nil)
        #expect(sessions.cut(to: milliseconds(130)) == milliseconds(5050))
        #expect(sessions.end() && sessions.recorded == milliseconds(130))
    }

    @Test func limits_reached_endTheRecording() {
        var limits = RecordingLimits()
        #expect(limits.reached(duration: milliseconds(90_000), fileSize: 1 << 40) == nil)
        #expect(!limits.isFull(free: 0))
        limits.duration = milliseconds(1000)
        limits.fileSize = 5000
        limits.freeSpace = 100
        #expect(limits.reached(duration: milliseconds(999), fileSize: 4999) == nil)
        #expect(limits.reached(duration: milliseconds(1000), fileSize: 0) == .maximumDuration)
        #expect(limits.reached(duration: .zero, fileSize: 5000) == .maximumFileSize)
        #expect(limits.isFull(free: 99) && !limits.isFull(free: 100) && !limits.isFull(free: nil))
    }
}
