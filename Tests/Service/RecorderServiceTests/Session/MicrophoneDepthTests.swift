import MediaTypes
import Testing

@testable import RecorderService

@Suite struct MicrophoneDepthTests {
    @Test(
        arguments: [
            (.s16, .s16), (.s24, .s24), (.s32, .s32), (.float32, .float32),
        ] as [(PCMSampleFormat, PCMSampleFormat)])
    func settings_PCM_keepsTheBitsOfTheMicrophone(microphone: PCMSampleFormat, stored: PCMSampleFormat) {
        let format = AudioFormat(pcm: microphone, sampleRate: 48_000, channelCount: 2)
        #expect(EncoderPlan.settings(AudioSettings(codec: .linearPCM), of: format).pcm == stored)
    }

    @Test func settings_otherCodecs_stayUnchanged() {
        let format = AudioFormat(pcm: .s32, sampleRate: 48_000, channelCount: 2)
        for codec in [AudioCodec.aac, .alac] {
            #expect(EncoderPlan.settings(AudioSettings(codec: codec), of: format) == AudioSettings(codec: codec))
        }
    }
}
