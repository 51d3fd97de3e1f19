import MediaTypes

/// Packets as encoders emit them: ten video frames and about fifty audio packets a second.
enum LivePackets {
    static let video = format(level: 0x1E)
    static let audio = FormatDescription.audio(
        AudioFormat(
            codec: .aac, sampleRate: 48_000, channelCount: 2, decoderConfiguration: [0x11, 0x90], framesPerPacket: 1024)
    )
    static let motionJPEG = FormatDescription.video(VideoFormat(codec: .mjpeg, width: 64, height: 48))
    static let pcm = FormatDescription.audio(AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 2))

    static func format(level: UInt8) -> FormatDescription {
        .video(
            VideoFormat(
                codec: .h264, width: 64, height: 48, decoderConfiguration: [1, 0x64, 0, level, 0xFF, 0xE0, 0]))
    }

    /// Returns frame `number`; every tenth one is a keyframe.
    static func frame(_ number: Int, of format: FormatDescription = video, size: Int = 100) -> SampleBuffer {
        SampleBuffer(
            format: format, content: .data(MediaData([UInt8](repeating: UInt8(number & 0xFF), count: size))),
            presentationTime: MediaTime(value: Int64(1000 + number), timescale: 10),
            duration: MediaTime(value: 1, timescale: 10), isKeyframe: number % 10 == 0)
    }

    static func audioPacket(_ number: Int, of format: FormatDescription = audio) -> SampleBuffer {
        SampleBuffer(
            format: format, content: .data(MediaData([1, 2, 3])),
            presentationTime: MediaTime(value: Int64(4_800_000 + number * 1024), timescale: 48_000),
            duration: MediaTime(value: 1024, timescale: 48_000), sampleCount: 1024)
    }
}
