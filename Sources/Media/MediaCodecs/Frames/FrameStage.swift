package import MediaTypes

/// Converts the frames of a camera to recorded frames: decodes JPEG, crops, rotates, flips and scales, hides the masked
/// parts and draws the stamp.
///
/// The results are eight-bit 4:2:0, so encoders need no further conversion. The stage never writes into a frame that a
/// driver has lent. It draws on a converted frame, or on a copy. Called by one thread at a time. Memory comes from
/// pools.
package final class FrameStage {
    /// The geometry and the format of the results for one kind of source.
    private struct Kind {
        var source: FormatDescription
        var size: FrameSize
        var plan: FrameStagePlan
        var format: FormatDescription
    }

    private var settings: FrameStageSettings
    private var painter: MaskPainter?
    private var stamp: StampPainter?
    private let formats = PixelConverter()
    private let scaler = FrameScaler()
    private let rotator = FrameRotator()
    private var decoder: (jpeg: JPEGDecoder, size: FrameSize)?
    private var latest: Kind?

    /// - Parameter stamp: draws the stamp of the settings, with its font loaded; nil if there is no stamp.
    package init(_ settings: FrameStageSettings, stamp: StampPainter? = nil) {
        self.settings = settings
        self.stamp = stamp
        painter = Self.painter(settings)
    }

    /// The number of allocations from the system, not counting JPEG. It stays constant once the pipeline runs.
    package var allocationCount: Int {
        formats.allocationCount + scaler.allocationCount + rotator.allocationCount
    }

    /// Sets new settings for all further frames.
    ///
    /// - Parameter stamp: draws the stamp of the new settings; nil if there is no stamp.
    package func change(to new: FrameStageSettings, stamp: StampPainter? = nil) {
        guard new != settings else { return }
        settings = new
        self.stamp = stamp
        painter = Self.painter(new)
        latest = nil
    }

    private static func painter(_ settings: FrameStageSettings) -> MaskPainter? {
        settings.masks.isEmpty ? nil : MaskPainter(settings.masks, style: settings.maskStyle)
    }

    // MARK: Frames

    /// Returns the recorded frame for a camera's frame, raw or JPEG.
    ///
    /// - Parameter moment: the time and the number that the stamp shows.
    /// - Throws: `unsupported` for packets of a codec other than JPEG; `corruptData` and `invalidSample` for a JPEG
    ///   that cannot be decoded; `deviceUnsuitable` if the crop extends beyond the frame.
    package func process(
        _ sample: SampleBuffer, _ moment: FrameMoment = FrameMoment(wall: 0, number: 0)
    ) throws(MediaError) -> SampleBuffer {
        let frame: PixelBuffer
        let isLent: Bool
        switch sample.content {
        case .pixels(let pixels):
            frame = pixels
            isLent = true
        case .data(let data):
            frame = try decode(data, sample.format.video)
            isLent = false
        }
        let kind = try kind(sample.format, frame)
        let result = try recorded(frame, isLent: isLent, kind, moment)
        return SampleBuffer(
            format: kind.format, content: .pixels(result), presentationTime: sample.presentationTime,
            duration: sample.duration)
    }

    private func recorded(
        _ frame: PixelBuffer, isLent: Bool, _ kind: Kind, _ moment: FrameMoment
    ) throws(MediaError) -> PixelBuffer {
        try formats.requireWhole(frame.layout)
        let plan = kind.plan
        let planar = try formats.convert(frame, to: frame.format.recorded)
        let scaled = try scaler.scale(
            planar, width: plan.scaled.width, height: plan.scaled.height, crop: plan.part)
        var result = try rotator.turn(scaled, plan.orientation)
        if painter != nil || stamp != nil {
            if isLent, result.data === frame.data { result = formats.copy(result) }
            // From here on, the memory belongs to the stage, and no other code has a reference to it.
            var drawing = MutablePixelBuffer(reopening: result)
            drawing.color = kind.format.video?.color ?? result.color
            draw(on: drawing, moment)
            return drawing.finish()
        }
        return PixelBuffer(
            layout: result.layout, color: kind.format.video?.color ?? result.color, data: result.data)
    }

    /// Draws the masks and then the stamp on the recorded frame. The masks come first, so that the stamp is drawn on
    /// masked pixels.
    private func draw(on frame: borrowing MutablePixelBuffer, _ moment: FrameMoment) {
        painter?.paint(frame)
        stamp?.paint(frame, moment)
    }

    private func decode(_ data: MediaData, _ format: VideoFormat?) throws(MediaError) -> PixelBuffer {
        guard let format, format.codec == .mjpeg else { throw Self.refusal(of: format?.codec) }
        let size = FrameSize(format.width, format.height)
        if let decoder, decoder.size == size { return try decoder.jpeg.decode(data.bytes) }
        let jpeg = try JPEGDecoder(width: size.width, height: size.height)
        decoder = (jpeg, size)
        return try jpeg.decode(data.bytes)
    }

    // MARK: Formats

    private func kind(_ source: FormatDescription, _ frame: PixelBuffer) throws(MediaError) -> Kind {
        let size = FrameSize(frame.width, frame.height)
        if let latest, latest.size == size, latest.source == source { return latest }
        // Frames of a camera have the camera's format; frames of a test may differ.
        var video = source.video ?? frame.videoFormat
        (video.width, video.height) = (size.width, size.height)
        if video.codec == .raw { (video.pixelFormat, video.color) = (frame.format, frame.color) }
        let plan = try FrameStagePlan(settings, source: size)
        let kind = Kind(
            source: source, size: size, plan: plan, format: .video(Self.format(of: video, plan, settings)))
        latest = kind
        return kind
    }

    /// Returns the format of the recorded frames for a camera's format.
    ///
    /// - Throws: `unsupported` if the stage cannot decode the camera's frames, `deviceUnsuitable` if the crop is not
    ///   inside the frames.
    package static func format(
        of source: VideoFormat, _ settings: FrameStageSettings
    ) throws(MediaError) -> VideoFormat {
        guard source.codec == .raw || source.codec == .mjpeg else { throw refusal(of: source.codec) }
        let plan = try FrameStagePlan(settings, source: FrameSize(source.width, source.height))
        return format(of: source, plan, settings)
    }

    private static func format(
        of source: VideoFormat, _ plan: FrameStagePlan, _ settings: FrameStageSettings
    ) -> VideoFormat {
        var color = source.color
        if source.codec == .mjpeg {
            color = JPEGDecoder.color
        } else if source.pixelFormat?.isRGB == true || color.matrix == 0 {
            color = color.ofConvertedRGB
        }
        // If the matrix is unspecified, players assume it from the height. A frame of another height needs the matrix
        // that players assume for its source.
        if color.matrix == 2, (source.height >= 720) != (plan.size.height >= 720) {
            color.matrix = source.height >= 720 ? 1 : 6
        }
        var format = VideoFormat(
            pixelFormat: source.codec == .mjpeg ? .i420 : source.pixelFormat?.recorded ?? .nv12,
            width: plan.size.width, height: plan.size.height, color: color)
        // A scaled frame has the size that the user chose, with square pixels.
        if settings.scale == nil {
            let ratio = source.pixelAspectRatio
            format.pixelAspectRatio =
                plan.orientation.swapsSides ? Ratio(ratio.denominator, ratio.numerator) : ratio
        }
        return format
    }

    private static func refusal(of codec: VideoCodec?) -> MediaError {
        MediaError(
            .unsupported, "cannot mask, crop, rotate or scale frames",
            reason: "the camera delivers \(codec?.rawValue ?? "an unknown format"), which is not decoded",
            wayOut: "choose another --pixel-format, such as mjpeg")
    }
}

extension PixelFormat {
    /// The format of the recorded frames if the source has this format: the nearest one that x264 accepts.
    fileprivate var recorded: PixelFormat { self == .i420 || self == .i010 ? .i420 : .nv12 }
}
