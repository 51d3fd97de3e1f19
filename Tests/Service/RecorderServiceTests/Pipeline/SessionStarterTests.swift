import FakeDevices
import MediaTypes
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

@Suite struct SessionStarterTests {
    @Test func session_firstFrame_isTimeZeroAndEarlierAudioIsReleased() {
        let starter = Starter(expectsVideo: true)
        // Blocks of 100 ms at 0, 100 … 400 ms; the frame arrives at 250 ms.
        for start in stride(from: 0, to: 500, by: 100) { #expect(starter.audio(audio(at: start)).isKeep) }
        #expect(starter.video(at: milliseconds(250)) == .startSession(at: milliseconds(250)))
        starter.sessionStarted()
        #expect(starter.start == milliseconds(250))
        #expect(starter.video(at: milliseconds(283)) == .append)
        // The block that contains the start belongs to the movie.
        #expect(starter.audio(audio(at: 500)).appendedAt == [200, 300, 400, 500])
        #expect(starter.audio(audio(at: 600)).appendedAt == [600])
    }

    @Test func audio_whileTheSessionStarts_waits() {
        let starter = Starter(expectsVideo: true)
        #expect(starter.video(at: milliseconds(50)) == .startSession(at: milliseconds(50)))
        #expect(starter.audio(audio(at: 0)).isKeep)
        starter.sessionStarted()
        #expect(starter.audio(audio(at: 100)).appendedAt == [0, 100])
    }

    @Test func session_silentMicrophone_doesNotDelayTheCamera() {
        let starter = Starter(expectsVideo: true)
        #expect(starter.video(at: milliseconds(7)) == .startSession(at: milliseconds(7)))
        starter.sessionStarted()
        #expect(starter.video(at: milliseconds(40)) == .append)
        #expect(starter.releaseWaiting().isEmpty)
    }

    @Test func audio_beforeTheFirstFrame_isBounded() {
        let starter = Starter(expectsVideo: true)
        for start in stride(from: 0, to: 60_000, by: 100) { #expect(starter.audio(audio(at: start)).isKeep) }
        _ = starter.video(at: milliseconds(1))
        starter.sessionStarted()
        let released = starter.releaseWaiting()
        #expect(released.count == 30)
        #expect(released.first?.presentationTime == milliseconds(57_000))
    }

    @Test func session_noCamera_beginsWithTheFirstAudio() {
        let starter = Starter(expectsVideo: false)
        guard case .startSession(let start) = starter.audio(audio(at: 300)) else {
            Issue.record("the session was not started")
            return
        }
        #expect(start == milliseconds(300))
        starter.sessionStarted()
        #expect(starter.releaseWaiting().map(\.presentationTime) == [milliseconds(300)])
        #expect(starter.audio(audio(at: 400)).appendedAt == [400])
    }

    @Test func session_cameraFailsBeforeItsFirstFrame_keepsTheAudio() {
        let starter = Starter(expectsVideo: true)
        #expect(starter.audio(audio(at: 0)).isKeep)
        starter.cameraGone()
        guard case .startSession(let start) = starter.audio(audio(at: 100)) else {
            Issue.record("the session was not started")
            return
        }
        #expect(start == .zero)
        starter.sessionStarted()
        #expect(starter.releaseWaiting().count == 2)
    }
}

/// A reference to the value, so that mutating calls can be used inside an expectation.
private final class Starter {
    private var value: SessionStarter

    init(expectsVideo: Bool) { value = SessionStarter(expectsVideo: expectsVideo) }

    var start: MediaTime? { value.start }
    func video(at time: MediaTime) -> SessionStarter.VideoAction { value.video(at: time) }
    func audio(_ block: SampleBuffer) -> SessionStarter.AudioAction { value.audio(block) }
    func sessionStarted() { value.sessionStarted() }
    func releaseWaiting() -> [SampleBuffer] { value.releaseWaiting() }
    func cameraGone() { value.cameraGone() }
}

extension SessionStarter.AudioAction {
    fileprivate var isKeep: Bool {
        if case .wait = self { true } else { false }
    }

    fileprivate var appendedAt: [Int64]? {
        switch self {
        case .append(let block): [block.presentationTime.ticks(in: 1000)]
        case .appendAll(let blocks): blocks.map { $0.presentationTime.ticks(in: 1000) }
        case .wait, .startSession: nil
        }
    }
}
