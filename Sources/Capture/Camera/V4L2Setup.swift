import CV4L2
import Glibc
import MediaTypes

/// How a camera was set up: the mode, and what the driver made of it.
struct V4L2Setup {
    var mode: CameraMode
    var color: ColorDescription
    /// Of raw pictures; nil for compressed ones.
    var layout: PixelLayout?
    /// The most that one frame takes.
    var byteCount: Int
    /// Fields of an interlaced camera are woven into one picture.
    var isInterlaced: Bool

    /// What every sample will be.
    var format: VideoFormat {
        let (width, height) = (mode.size.width, mode.size.height)
        if let layout {
            return VideoFormat(pixelFormat: layout.format, width: width, height: height, color: color)
        }
        let codec: VideoCodec = mode.pixelFormat == .h264 ? .h264 : .mjpeg
        return VideoFormat(codec: codec, width: width, height: height, color: color)
    }

    /// Negotiates and sets format and rate.
    ///
    /// - Throws: `deviceUnsuitable` with the nearest that it can; `busy`; what the driver says.
    init(_ device: V4L2Device, request: CameraRequest) throws(MediaError) {
        let offer = V4L2Formats(device: device).read(asking: request.size)
        var mode = try offer.capabilities.mode(for: request, device: device.path)
        var format = V4L2Formats.format(offer.codes[mode.pixelFormat] ?? 0, mode.size)
        let code = device.call(CV4L2_S_FMT, &format)
        guard code == 0 else {
            if code == EBUSY || code == ENODEV { throw V4L2Device.openError(code, path: device.path) }
            throw MediaError(
                .ioFailure, "cannot record \(mode.size) \(mode.pixelFormat.rawValue) from \(device.path)",
                reason: "the driver refused", underlying: .errno(code))
        }
        let pix = cv4l2_pix(&format).pointee
        let got = FrameSize(Int(pix.width), Int(pix.height))
        guard CameraPixelFormat(v4l2: pix.pixelformat) == mode.pixelFormat, got == mode.size else {
            throw MediaError(
                .deviceUnsuitable, "cannot record \(mode.size) \(mode.pixelFormat.rawValue) from \(device.path)",
                reason: "the driver does not keep to what it offers", wayOut: "nearest is \(got)")
        }
        mode.frameRate = Self.setRate(mode.frameRate, of: device) ?? mode.frameRate
        if let asked = request.frameRate, let rate = mode.frameRate, !rate.isNear(asked) {
            throw MediaError(
                .deviceUnsuitable, "cannot record \(mode.size) at \(asked) fps from \(device.path)",
                reason: "the driver chose another rate", wayOut: "nearest is \(rate) fps")
        }
        self.mode = mode
        color = V4L2Color(pix, isJPEG: mode.pixelFormat == .mjpeg).description
        byteCount = Int(pix.sizeimage)
        isInterlaced = pix.field != V4L2_FIELD_NONE.rawValue && pix.field != V4L2_FIELD_ANY.rawValue
        layout = mode.pixelFormat.raw.map { raw in
            PixelLayout(
                format: raw, width: got.width, height: got.height,
                bytesPerRow: pix.bytesperline > 0 ? Int(pix.bytesperline) : nil)
        }
    }

    /// Sets the rate and reads back what the driver made of it; nil when the driver cannot say.
    private static func setRate(_ rate: FrameRate?, of device: V4L2Device) -> FrameRate? {
        var parameters = v4l2_streamparm()
        parameters.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        guard device.call(CV4L2_G_PARM, &parameters) == 0 else { return nil }
        let canSet = cv4l2_capture(&parameters).pointee.capability & UInt32(V4L2_CAP_TIMEPERFRAME) != 0
        if canSet, let rate {
            parameters = v4l2_streamparm()
            parameters.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
            cv4l2_capture(&parameters).pointee.timeperframe = v4l2_fract(
                // in range: an integer, and positive
                numerator: UInt32(rate.seconds), denominator: UInt32(rate.frames))
            guard device.call(CV4L2_S_PARM, &parameters) == 0 else { return nil }
        }
        return FrameRate(interval: cv4l2_capture(&parameters).pointee.timeperframe)
    }
}
