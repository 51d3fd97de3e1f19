extension VideoCodec {
    /// True if frames in a camera's stream of this codec depend on other frames. The recorder stores the packets of
    /// such a stream unchanged.
    package var hasDependentFrames: Bool { self == .h264 || self == .hevc }

    /// The codec's name in texts for people, such as "H.264".
    package var title: String {
        switch self {
        case .h264: "H.264"
        case .hevc: "HEVC"
        case .mjpeg: "motion JPEG"
        default: rawValue
        }
    }
}
