public import MediaTypes

/// How a camera delivers its pictures, of those that this program reads.
public enum CameraPixelFormat: String, Sendable, Hashable, Codable, CaseIterable {
    case nv12, i420, yuyv, uyvy
    case mjpeg
    case h264

    /// By the name people type, in any case; the names of V4L2 and FFmpeg count too.
    public init?(name: String) {
        switch name.lowercased() {
        case "nv12": self = .nv12
        case "i420", "yu12", "yuv420", "yuv420p": self = .i420
        case "yuyv", "yuy2", "yuyv422": self = .yuyv
        case "uyvy", "uyvy422": self = .uyvy
        case "mjpeg", "mjpg", "jpeg", "motion-jpeg": self = .mjpeg
        case "h264", "h.264", "avc": self = .h264
        default: return nil
        }
    }

    /// The layout of raw pictures; nil for compressed ones.
    public var raw: PixelFormat? {
        switch self {
        case .nv12: .nv12
        case .i420: .i420
        case .yuyv: .yuyv
        case .uyvy: .uyvy
        case .mjpeg, .h264: nil
        }
    }

    /// Smaller is better at the same size and rate: what needs no conversion, then what needs one, then what was
    /// compressed picture by picture, then what was compressed with a loss over time.
    var rank: Int {
        switch self {
        case .nv12: 0
        case .i420: 1
        case .yuyv: 2
        case .uyvy: 3
        case .mjpeg: 4
        case .h264: 5
        }
    }
}
