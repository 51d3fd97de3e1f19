/// The camera formats that this program reads.
public enum CameraPixelFormat: String, Sendable, Hashable, Codable, CaseIterable {
    case nv12, i420, yuyv, uyvy
    case mjpeg
    case h264
    case hevc

    /// Creates a format from the name a user types, in any case. The names of V4L2 and FFmpeg are accepted too.
    public init?(name: String) {
        switch name.lowercased() {
        case "nv12": self = .nv12
        case "i420", "yu12", "yuv420", "yuv420p": self = .i420
        case "yuyv", "yuy2", "yuyv422": self = .yuyv
        case "uyvy", "uyvy422": self = .uyvy
        case "mjpeg", "mjpg", "jpeg", "motion-jpeg": self = .mjpeg
        case "h264", "h.264", "avc": self = .h264
        case "hevc", "h265", "h.265": self = .hevc
        default: return nil
        }
    }

    /// The layout of raw frames; nil for compressed ones.
    public var raw: PixelFormat? {
        switch self {
        case .nv12: .nv12
        case .i420: .i420
        case .yuyv: .yuyv
        case .uyvy: .uyvy
        case .mjpeg, .h264, .hevc: nil
        }
    }

    /// The codec of the frames; `raw` for raw ones.
    package var codec: VideoCodec {
        switch self {
        case .nv12, .i420, .yuyv, .uyvy: .raw
        case .mjpeg: .mjpeg
        case .h264: .h264
        case .hevc: .hevc
        }
    }
}
