package import MediaTypes

/// The formats of frames that are accepted from libcamera, by their DRM codes.
///
/// DRM names a format by the bits of a little-endian word: BGR888 is the bytes red, green, blue.
package enum FrameFormat: UInt32, Sendable, Hashable, CaseIterable {
    case nv12 = 0x3231_564E
    case yuv420 = 0x3231_5559
    case yuyv = 0x5659_5559
    case uyvy = 0x5956_5955
    case bgr888 = 0x3432_4742
    case xrgb8888 = 0x3432_5258
    case xbgr8888 = 0x3432_4258
    case mjpeg = 0x4750_4A4D

    /// Creates the format for a setting; nil for a format that libcamera does not deliver.
    package init?(_ format: CameraPixelFormat) {
        switch format {
        case .nv12: self = .nv12
        case .i420: self = .yuv420
        case .yuyv: self = .yuyv
        case .uyvy: self = .uyvy
        case .mjpeg: self = .mjpeg
        case .h264, .hevc: return nil
        }
    }

    /// The layout of raw frames; nil for compressed ones.
    package var pixelFormat: PixelFormat? {
        switch self {
        case .nv12: .nv12
        case .yuv420: .i420
        case .yuyv: .yuyv
        case .uyvy: .uyvy
        case .bgr888: .rgb24
        case .xrgb8888: .bgra
        case .xbgr8888: .rgba
        case .mjpeg: nil
        }
    }
}
