import AVFAudio
import Testing

@Suite struct AVAudioSessionTests {
    @Test func session_configured_keepsWhatIsSet() throws {
        let session = AVAudioSession.sharedInstance()
        #expect(session === AVAudioSession.sharedInstance())
        try session.setCategory(.playAndRecord, mode: .measurement, options: [.defaultToSpeaker, .mixWithOthers])
        #expect(session.category == .playAndRecord && session.mode == .measurement)
        #expect(session.categoryOptions == [.defaultToSpeaker, .mixWithOthers])
        try session.setCategory(.playback, mode: .default, policy: .longFormAudio)
        #expect(session.routeSharingPolicy == .longFormAudio && session.categoryOptions == [])
        try session.setCategory(.record)
        try session.setCategory(.record, options: .duckOthers)
        try session.setMode(.spokenAudio)
        #expect(session.category == .record && session.mode == .spokenAudio)
        try session.setPreferredSampleRate(44_100)
        try session.setPreferredIOBufferDuration(0.005)
        #expect(session.sampleRate == 44_100 && session.preferredSampleRate == 44_100)
        #expect(session.ioBufferDuration == 0.005 && session.preferredIOBufferDuration == 0.005)
        try session.setActive(true)
        try session.setActive(false, options: .notifyOthersOnDeactivation)
        #expect(!session.isInputAvailable && !session.isOtherAudioPlaying)
    }
}
