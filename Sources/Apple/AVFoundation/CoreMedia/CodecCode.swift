import MediaTypes

/// Maps the library's codec names to the four-character codes of files and Core Media, and back. A codec that is not
/// listed has the first four letters of its name as its code.
enum CodecCode {
    private static let video: [(code: FourCharCode, codec: VideoCodec)] = [
        (fourCC("avc1"), .h264), (fourCC("avc3"), .h264), (fourCC("hvc1"), .hevc), (fourCC("hev1"), .hevc),
        (fourCC("jpeg"), .mjpeg), (fourCC("mjpa"), .mjpeg), (fourCC("apcn"), .proRes), (fourCC("apch"), .proRes),
        (fourCC("apcs"), .proRes), (fourCC("apco"), .proRes), (fourCC("ap4h"), .proRes), (fourCC("ap4x"), .proRes),
        (fourCC("mp4v"), .mpeg4), (fourCC("av01"), .av1), (fourCC("vp09"), .vp9), (fourCC("png "), .png),
    ]
    private static let audio: [(code: FourCharCode, codec: AudioCodec)] = [
        (fourCC("lpcm"), .linearPCM), (fourCC("aac "), .aac), (fourCC("alac"), .alac),
        (fourCC(".mp3"), AudioCodec(rawValue: "mp3")), (fourCC("opus"), AudioCodec(rawValue: "opus")),
        (fourCC("flac"), AudioCodec(rawValue: "flac")), (fourCC("ac-3"), AudioCodec(rawValue: "ac3")),
        (fourCC("ec-3"), AudioCodec(rawValue: "eac3")), (fourCC("ulaw"), AudioCodec(rawValue: "pcm_mulaw")),
        (fourCC("alaw"), AudioCodec(rawValue: "pcm_alaw")), (fourCC(".mp2"), AudioCodec(rawValue: "mp2")),
    ]

    static func code(of format: VideoFormat) -> FourCharCode {
        if let tag = format.codecTag { return tag.rawValue }
        if format.codec == .raw {
            return format.pixelFormat?.code(isFullRange: format.color.isFullRange) ?? 0
        }
        return video.first { $0.codec == format.codec }?.code ?? MediaTypes.FourCharCode(format.codec.rawValue).rawValue
    }

    static func code(of codec: AudioCodec) -> FourCharCode {
        audio.first { $0.codec == codec }?.code ?? MediaTypes.FourCharCode(codec.rawValue).rawValue
    }

    /// Returns the codec for a code; nil if the code is not listed.
    static func videoCodec(_ code: FourCharCode) -> VideoCodec? { video.first { $0.code == code }?.codec }
    static func audioCodec(_ code: FourCharCode) -> AudioCodec? { audio.first { $0.code == code }?.codec }
}
