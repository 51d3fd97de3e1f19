import CV4L2
import Glibc
import MediaTypes

extension CameraPixelFormat {
    /// Creates a format from V4L2's four-character code; nil for formats that this program does not read.
    init?(v4l2 code: UInt32) {
        switch code {
        case CV4L2_PIX_NV12: self = .nv12
        case CV4L2_PIX_YUV420: self = .i420
        case CV4L2_PIX_YUYV: self = .yuyv
        case CV4L2_PIX_UYVY: self = .uyvy
        case CV4L2_PIX_MJPEG, CV4L2_PIX_JPEG: self = .mjpeg
        case CV4L2_PIX_H264: self = .h264
        case CV4L2_PIX_HEVC: self = .hevc
        default: return nil
        }
    }
}

/// Reads the formats that a camera supports.
///
/// Source: the Linux media API, VIDIOC_ENUM_FMT, VIDIOC_ENUM_FRAMESIZES, VIDIOC_ENUM_FRAMEINTERVALS, VIDIOC_TRY_FMT.
struct V4L2Formats {
    let device: V4L2Device

    /// Sizes that are queried if a driver offers a grid, or does not enumerate sizes.
    private static let usualSizes = [
        FrameSize(3840, 2160), FrameSize(2560, 1440), FrameSize(1920, 1080), FrameSize(1600, 1200),
        FrameSize(1280, 960),
        FrameSize(1280, 720), FrameSize(1024, 768), FrameSize(800, 600), FrameSize(640, 480), FrameSize(640, 360),
        FrameSize(352, 288), FrameSize(320, 240), FrameSize(160, 120),
    ]

    /// The capabilities, and V4L2's code for each format that the camera offers; MJPEG has two codes.
    struct Offer {
        var capabilities: CameraCapabilities
        var codes: [CameraPixelFormat: UInt32]
    }

    /// Returns the camera's capabilities.
    ///
    /// - Parameter size: A size that will be requested, so that its rates are read too.
    func read(asking size: FrameSize? = nil) -> Offer {
        var offer = Offer(capabilities: CameraCapabilities(formats: []), codes: [:])
        var index: UInt32 = 0
        while index < 256 {
            var description = v4l2_fmtdesc()
            description.index = index
            description.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
            guard device.call(CV4L2_ENUM_FMT, &description) == 0 else { break }
            index += 1
            let code = description.pixelformat
            let isEmulated = description.flags & UInt32(V4L2_FMT_FLAG_EMULATED) != 0
            guard let format = CameraPixelFormat(v4l2: code) else {
                if !isEmulated {
                    offer.capabilities.unreadFormats.append(FourCharCode(rawValue: code.byteSwapped).description)
                }
                continue
            }
            guard offer.codes[format] == nil else { continue }
            let sizes = sizes(of: code, asking: size)
            guard !sizes.isEmpty else { continue }
            offer.codes[format] = code
            offer.capabilities.formats.append(.init(format, isEmulated: isEmulated, sizes: sizes))
        }
        return offer
    }

    private func sizes(of code: UInt32, asking asked: FrameSize?) -> [CameraCapabilities.SizeRange] {
        var ranges: [CameraCapabilities.SizeRange] = []
        var index: UInt32 = 0
        while index < 256 {
            var item = v4l2_frmsizeenum()
            item.index = index
            item.pixel_format = code
            guard device.call(CV4L2_ENUM_FRAMESIZES, &item) == 0 else { break }
            index += 1
            if item.type == V4L2_FRMSIZE_TYPE_DISCRETE.rawValue {
                let size = FrameSize(Int(item.discrete.width), Int(item.discrete.height))
                if size.area > 0 { ranges.append(.init(size, rates(of: code, at: size))) }
                continue
            }
            var range = CameraCapabilities.SizeRange(
                widths: .init(
                    Int(item.stepwise.min_width), Int(item.stepwise.max_width), step: Int(item.stepwise.step_width)),
                heights: .init(
                    Int(item.stepwise.min_height), Int(item.stepwise.max_height), step: Int(item.stepwise.step_height)))
            let largest = FrameSize(range.widths.maximum, range.heights.maximum)
            for size in Self.usualSizes + [largest] + (asked.map { [$0] } ?? []) where range.contains(size) {
                range.rates[size] = rates(of: code, at: size)
            }
            ranges.append(range)
            break
        }
        return ranges.isEmpty ? triedSizes(of: code, asking: asked) : ranges
    }

    /// Returns the sizes of a driver that cannot list them. The driver is asked for the usual sizes, the current size
    /// and the requested size, and adjusts each to a size that it supports.
    private func triedSizes(of code: UInt32, asking asked: FrameSize?) -> [CameraCapabilities.SizeRange] {
        var current = v4l2_format()
        current.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        var wanted = Self.usualSizes + (asked.map { [$0] } ?? [])
        if device.call(CV4L2_G_FMT, &current) == 0 {
            let pix = cv4l2_pix(&current).pointee
            wanted.append(FrameSize(Int(pix.width), Int(pix.height)))
        }
        var found: Set<FrameSize> = []
        for size in wanted {
            var format = V4L2Formats.format(code, size)
            guard device.call(CV4L2_TRY_FMT, &format) == 0 else { continue }
            let pix = cv4l2_pix(&format).pointee
            if pix.pixelformat == code, pix.width > 0, pix.height > 0 {
                found.insert(FrameSize(Int(pix.width), Int(pix.height)))
            }
        }
        return found.sorted { $0.area < $1.area }.map { .init($0, rates(of: code, at: $0)) }
    }

    private func rates(of code: UInt32, at size: FrameSize) -> CameraCapabilities.FrameRates {
        var listed: [FrameRate] = []
        var index: UInt32 = 0
        while index < 256 {
            var item = v4l2_frmivalenum()
            item.index = index
            item.pixel_format = code
            item.width = UInt32(size.width)
            item.height = UInt32(size.height)
            guard device.call(CV4L2_ENUM_FRAMEINTERVALS, &item) == 0 else { break }
            index += 1
            if item.type == V4L2_FRMIVAL_TYPE_DISCRETE.rawValue {
                if let rate = FrameRate(interval: item.discrete) { listed.append(rate) }
                continue
            }
            // Zero, or a rate beyond what a ratio can express, means "unlimited".
            let fastest = FrameRate(interval: item.stepwise.min) ?? FrameRate(1000)
            let slowest = FrameRate(interval: item.stepwise.max) ?? FrameRate(1, per: 1000)
            return .range(slowest: min(slowest, fastest), fastest: max(slowest, fastest))
        }
        return listed.isEmpty ? .unknown : .listed(listed.sorted())
    }

    /// Returns a request for progressive frames of one format and size.
    static func format(_ code: UInt32, _ size: FrameSize) -> v4l2_format {
        var format = v4l2_format()
        format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        let pix = cv4l2_pix(&format)!
        pix.pointee.width = UInt32(size.width)
        pix.pointee.height = UInt32(size.height)
        pix.pointee.pixelformat = code
        pix.pointee.field = V4L2_FIELD_NONE.rawValue
        return format
    }
}

extension FrameRate {
    /// Creates a rate of one frame per interval; nil if the interval is invalid.
    init?(interval: v4l2_fract) { self.init(frames: interval.denominator, seconds: interval.numerator) }
}
