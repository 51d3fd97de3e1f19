import MediaTypes

extension CameraPixelFormat {
    /// The order of preference at the same size and rate; smaller is better. First come formats without conversion,
    /// then those with conversion, then intra-only compression, then inter-frame compression.
    var rank: Int {
        switch self {
        case .nv12: 0
        case .i420: 1
        case .yuyv: 2
        case .uyvy: 3
        case .mjpeg: 4
        case .h264: 5
        case .hevc: 6
        }
    }
}
