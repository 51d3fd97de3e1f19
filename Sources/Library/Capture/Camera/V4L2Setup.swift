import CV4L2
import Glibc
import MediaTypes

/// The setup of a camera: its mode, and the details that the driver chose.
struct V4L2Setup {
    var mode: CameraMode
    var color: ColorDescription
    /// The layout of raw frames; nil for compressed ones.
    var layout: PixelLayout?
    /// The maximum size of one frame, in bytes.
    var byteCount: Int
    /// The position of the fields in a frame; never `separate`.
    var fields: FieldLayout

    /// The format of every sample.
    var format: VideoFormat {
        let (width, height) = (mode.size.width, mode.size.height)
        if let layout {
            var format = VideoFormat(pixelFormat: layout.format, width: width, height: height, color: color)
            format.fieldOrder = fields.order
            return format
        }
        return VideoFormat(codec: mode.pixelFormat.codec, width: width, height: height, color: color)
    }

    /// Negotiates and sets the format and the rate.
    ///
    /// - Parameter signal: The signal at the camera's input, which determines the rate; nil if the camera determines
    ///   the rate itself.
    /// - Throws: `deviceUnsuitable` with the nearest mode that the camera supports; `busy`; the error that the driver
    ///   reports.
    init(
        _ device: V4L2Device, request: CameraRequest, signal: InputSignal? = nil
    ) throws(MediaError) {
        let offer = V4L2Formats(device: device).read(asking: request.size ?? signal?.size)
        var mode = try offer.capabilities.mode(for: request, signal: signal, device: device.path)
        var format = V4L2Formats.format(offer.codes[mode.pixelFormat] ?? 0, mode.size)
        if signal?.isInterlaced == true { cv4l2_pix(&format).pointee.field = V4L2_FIELD_INTERLACED.rawValue }
        let code = device.call(CV4L2_S_FMT, &format)
        guard code == 0 else {
            if code == EBUSY || code == ENODEV { throw V4L2Device.openError(code, path: device.path) }
            throw MediaError(
                .ioFailure, "cannot record \(mode.size) \(mode.pixelFormat.rawValue) from \(device.path)",
                reason: "the driver refused", underlying: .errno(code))
        }
        let pix = cv4l2_pix(&format).pointee
        let got = FrameSize(Int(pix.width), Int(pix.height))
        fields = FieldLayout(pix.field, height: got.height)
        guard fields != .separate else {
            throw MediaError(
                .deviceUnsuitable, "cannot record \(mode.size) from \(device.path)",
                reason: "its frames are interlaced, and the driver delivers the fields one by one",
                wayOut: "set the source to a progressive size, such as 1080p")
        }
        guard CameraPixelFormat(v4l2: pix.pixelformat) == mode.pixelFormat, got == mode.size else {
            throw MediaError(
                .deviceUnsuitable, "cannot record \(mode.size) \(mode.pixelFormat.rawValue) from \(device.path)",
                reason: "the driver chose another size or format", wayOut: "nearest is \(got)")
        }
        if signal == nil { mode.frameRate = Self.setRate(mode.frameRate, of: device) ?? mode.frameRate }
        if let asked = request.frameRate, let rate = mode.frameRate, !rate.isNear(asked) {
            throw MediaError(
                .deviceUnsuitable, "cannot record \(mode.size) at \(asked) fps from \(device.path)",
                reason: "the driver chose another rate", wayOut: "nearest is \(rate) fps")
        }
        self.mode = mode
        color = V4L2Color(pix, isJPEG: mode.pixelFormat == .mjpeg).description
        byteCount = Int(pix.sizeimage)
        layout = mode.pixelFormat.raw.map { raw in
            PixelLayout(
                format: raw, width: got.width, height: got.height,
                bytesPerRow: pix.bytesperline > 0 ? Int(pix.bytesperline) : nil)
        }
    }

    /// Sets the rate and returns the one that the driver chose; nil if the driver cannot report it.
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
