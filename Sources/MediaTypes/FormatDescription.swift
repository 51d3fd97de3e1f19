/// What a sample buffer or a track holds.
public enum FormatDescription: Sendable, Hashable {
    case video(VideoFormat)
    case audio(AudioFormat)
    case timecode(TimecodeFormat)
    case text(TextFormat)

    public var mediaType: MediaType {
        switch self {
        case .video: .video
        case .audio: .audio
        case .timecode: .timecode
        case .text: .text
        }
    }

    public var video: VideoFormat? {
        if case .video(let format) = self { format } else { nil }
    }

    public var audio: AudioFormat? {
        if case .audio(let format) = self { format } else { nil }
    }

    public var timecode: TimecodeFormat? {
        if case .timecode(let format) = self { format } else { nil }
    }
}
