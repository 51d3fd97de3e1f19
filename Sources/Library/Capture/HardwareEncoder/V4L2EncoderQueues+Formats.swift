import CV4L2
import Glibc
import MediaTypes

/// The formats of an encoder's queues, and its controls.
extension V4L2EncoderQueues {
    /// Sets the formats, the rate and the controls.
    ///
    /// - Parameter strides: The bytes per row to request for each plane of memory; empty to let the driver choose.
    static func configure(
        _ node: EncoderNode, _ setup: EncoderSetup, strides: [Int] = []
    ) throws(MediaError) -> (cv4l2_queue_format, PixelFormat) {
        try setPacketFormat(node, setup)
        let (format, layout) = try setFrameFormat(node, setup, strides)
        let time = setup.frameTime
        // An encoder that gets no frame rate assumes one. Its bit rate is then wrong by the ratio of the two rates.
        _ = cv4l2_set_frame_time(node.frames, time.numerator, time.denominator)
        for control in setup.controls {
            if control.isRequired { try checkBitRate(control.value, node.range(of: control.id), node.path) }
            let code = node.set(control.id, to: control.value)
            guard code != 0, control.isRequired else { continue }
            throw MediaError(
                .invalidSettings, "cannot encode with \(node.path)",
                reason: "it refuses the bit rate \(control.value)", underlying: .errno(code),
                wayOut: "write another --bit-rate, or --encoder x264")
        }
        return (format, layout)
    }

    /// - Parameter lengths: The bytes of each plane of memory.
    static func places(
        _ node: EncoderNode, _ setup: EncoderSetup, _ format: cv4l2_queue_format, _ layout: PixelFormat,
        lengths: [Int]
    ) throws(MediaError) -> EncoderPlanes {
        if let planes = EncoderPlanes(format, layout, setup, lengths: lengths) { return planes }
        throw MediaError(
            .deviceUnsuitable, "cannot encode with \(node.path)",
            reason: "its buffers of \(lengths) bytes with rows of \(strides(of: format)) do not hold a frame of "
                + "\(setup.width)×\(setup.height)", wayOut: "write --encoder x264")
    }

    /// Returns the bytes per row of each plane of memory.
    static func strides(of format: cv4l2_queue_format) -> [Int] {
        (0..<format.plane_count).map { plane in withUnsafePointer(to: format) { Int(cv4l2_stride($0, plane)) } }
    }

    /// Returns the bytes of each plane of memory.
    static func sizes(of format: cv4l2_queue_format) -> [Int] {
        (0..<format.plane_count).map { plane in withUnsafePointer(to: format) { Int(cv4l2_size($0, plane)) } }
    }

    /// Throws for a bit rate that the encoder does not support. As with other encoders, a setting is never ignored.
    static func checkBitRate(_ rate: Int64, _ range: ClosedRange<Int64>?, _ path: String) throws(MediaError) {
        if let range, range.contains(rate) { return }
        let limits = range.map { "its bit rates are \($0.lowerBound) to \($0.upperBound) bits per second" }
        throw MediaError(
            .invalidSettings, "cannot encode \(rate) bits per second with \(path)",
            reason: limits ?? "it has no control for a bit rate", wayOut: "write another --bit-rate, or --encoder x264")
    }

    private static func setPacketFormat(_ node: EncoderNode, _ setup: EncoderSetup) throws(MediaError) {
        var format = cv4l2_queue_format()
        format.pixel_format = setup.coded
        format.width = UInt32(clamping: setup.width)
        format.height = UInt32(clamping: setup.height)
        format.plane_count = 1
        // Enough bytes for a keyframe that does not compress.
        let pixels = UInt32(clamping: Int64(setup.width) * Int64(setup.height))
        cv4l2_set_size(&format, max(1 << 18, pixels))
        let code = cv4l2_set_queue_format(node.packets, &format)
        guard code == 0 else { throw Self.failure(code, node, "it refuses the codec") }
        guard format.pixel_format == setup.coded else { throw Self.failure(nil, node, "it does not have the codec") }
    }

    private static func setFrameFormat(
        _ node: EncoderNode, _ setup: EncoderSetup, _ strides: [Int]
    ) throws(MediaError) -> (cv4l2_queue_format, PixelFormat) {
        let offered = Set(node.pixelFormats(node.frames).map(\.code))
        guard let best = EncoderSetup.frameFormats.first(where: { offered.contains($0.code) }) else {
            throw Self.failure(nil, node, "it accepts neither NV12 nor YUV420")
        }
        let tags = setup.tags
        var format = cv4l2_queue_format()
        format.pixel_format = best.code
        format.width = UInt32(clamping: setup.width)
        format.height = UInt32(clamping: setup.height)
        for (plane, stride) in strides.enumerated() {
            cv4l2_set_stride(&format, UInt32(clamping: plane), UInt32(clamping: stride))
        }
        (format.colorspace, format.transfer) = (tags.colorspace, tags.transfer)
        (format.encoding, format.quantization) = (tags.encoding, tags.quantization)
        let code = cv4l2_set_queue_format(node.frames, &format)
        guard code == 0 else { throw Self.failure(code, node, "it refuses frames") }
        guard format.pixel_format == best.code, (1...UInt32(CV4L2_PLANES)).contains(format.plane_count) else {
            throw Self.failure(nil, node, "it changed the pixel format")
        }
        guard Int(format.width) >= setup.width, Int(format.height) >= setup.height else {
            throw MediaError(
                .deviceUnsuitable, "cannot encode \(setup.width)×\(setup.height) with \(node.path)",
                reason: "its frames have at most \(format.width)×\(format.height)",
                wayOut: "use a smaller --size, or --encoder x264")
        }
        // Without the crop, the padding of the driver's frames would be visible. The check of the parameter sets
        // detects that.
        _ = cv4l2_set_crop(node.frames, UInt32(clamping: setup.width), UInt32(clamping: setup.height))
        return (format, best.format)
    }

    private static func failure(_ code: Int32?, _ node: EncoderNode, _ reason: String) -> MediaError {
        MediaError(
            code == EBUSY ? .busy : .deviceUnsuitable, "cannot encode with \(node.path)", reason: reason,
            underlying: code.map { MediaError.Underlying.errno($0) },
            wayOut: "`recorder devices` lists what the encoders can do")
    }
}

extension EncoderPlanes {
    /// Creates the layout of a frame in a buffer of a queue's format; nil if a frame does not fit.
    ///
    /// - Parameter lengths: The bytes of each plane of memory.
    init?(_ queue: cv4l2_queue_format, _ format: PixelFormat, _ setup: EncoderSetup, lengths: [Int]) {
        self.init(
            format: format, width: setup.width, height: setup.height, strides: V4L2EncoderQueues.strides(of: queue),
            lengths: lengths, codedHeight: Int(queue.height))
    }
}
