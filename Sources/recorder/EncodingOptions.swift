import ArgumentParser
import RecorderService

struct EncodingOptions: ParsableArguments {
    @Option(.codec) var codec: String?
    @Option(.preset) var preset: String?
    @Option(.crf) var crf: String?
    @Option(.bitRate) var bitRate: String?
    @Option(.keyFrameInterval) var keyFrameInterval: String?
    @Option(.audioCodec) var audioCodec: String?
    @Option(.audioBitRate) var audioBitRate: String?
    @Option(.channels) var channels: String?
    @Option(.sampleRate) var sampleRate: String?

    var assignments: [SettingAssignment] {
        typealias Setting = RecordingSetting
        let video =
            Setting.codec.given(codec) + Setting.preset.given(preset) + Setting.crf.given(crf)
            + Setting.bitRate.given(bitRate) + Setting.keyFrameInterval.given(keyFrameInterval)
        let audio =
            Setting.audioCodec.given(audioCodec) + Setting.audioBitRate.given(audioBitRate)
            + Setting.channels.given(channels) + Setting.sampleRate.given(sampleRate)
        return video + audio
    }
}
