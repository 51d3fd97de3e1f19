import DequeModule
import MediaCodecs
import MediaTypes

/// The processing of frames between decoding and encoding.
struct FrameSteps: Sendable, Hashable {
    /// True if frames are deinterlaced; the source states the field order.
    var deinterlaces = false
    var fieldOrder: FieldOrder?
    /// The constant frame rate, in frames per second; nil if every frame keeps its timestamp.
    var frameRate: Double?
    /// The coded size of the result, and its pixel aspect ratio if that differs from the source's.
    var frame: FrameGeometry
    var scalingMode = VideoSettings.ScalingMode.resizeAspect
    /// The conversion from HDR to standard range; nil if frames are not converted.
    var toneMapping: ToneMapper.Conversion?
    /// The geometry of the source track, after `shape`; nil if the result has the same geometry.
    var source: FrameGeometry?
    /// The crop, the rotation, the flip and the masks; nil for none.
    var shape: FrameShape?
}

/// Applies the steps to one sequence of frames, in order. Only one thread at a time may call.
final class FramePreparation {
    private let steps: FrameSteps
    private let shaper: FrameShaper?
    private let fitter: FrameFitter
    private var deinterlacer: Deinterlacer?
    private var pacer: FramePacer?
    /// The latest timestamp; the start before the first frame.
    private var newest: MediaTime
    private let toneMapper: ToneMapper?
    /// The frames to return, if the frame rate is not changed.
    private var ready: Deque<SampleBuffer> = []
    /// The latest result, and the frame that it was made from. At a constant rate, one frame may be shown at many
    /// ticks.
    private var latest: (source: PixelBuffer, result: PixelBuffer)?

    /// Opens the filters.
    ///
    /// - Throws: `unsupported` if deinterlacing or tone mapping is requested and libavfilter is missing.
    init(_ steps: FrameSteps, from start: MediaTime) throws(MediaError) {
        self.steps = steps
        newest = start
        shaper = steps.shape.map { FrameShaper($0) }
        fitter = FrameFitter(steps.frame, mode: steps.scalingMode)
        if steps.deinterlaces { deinterlacer = try Deinterlacer(fieldOrder: steps.fieldOrder) }
        toneMapper = try steps.toneMapping.map { conversion throws(MediaError) in try ToneMapper(conversion) }
        pacer = steps.frameRate.map { FramePacer(frameRate: $0, start: start) }
    }

    /// Accepts the next frame; nil at the end.
    ///
    /// - Parameter lastFrameEnd: at the end, the earliest time at which the last frame may end; nil if the frame ends
    ///   after its own duration.
    /// - Throws: the errors of deinterlacing; `invalidSample` for a time so wrong that repeated frames up to it would
    ///   fill a disk.
    func take(_ sample: SampleBuffer?, lastFrameEnd: MediaTime? = nil) throws(MediaError) {
        func pace(_ sample: SampleBuffer) {
            if pacer == nil { ready.append(sample) } else { pacer?.take(sample) }
        }
        if let sample, pacer != nil {
            let time = sample.presentationTime
            guard time - newest <= TimeOrder.longestJump else {
                throw MediaError(
                    .invalidSample, "cannot change the frame rate",
                    reason: "the frames continue at \(time.words), more than a year later")
            }
            newest = time
        }
        if let deinterlacer {
            try deinterlacer.process(sample, output: pace)
        } else if let sample {
            pace(sample)
        }
        if sample == nil { pacer?.finish(lastFrameEnd: lastFrameEnd) }
    }

    /// Returns the next frame of the result; nil until more frames are accepted.
    func next() throws(MediaError) -> SampleBuffer? {
        guard let sample = pacer == nil ? ready.popFirst() : pacer?.next() else { return nil }
        return try sized(sample)
    }

    /// Scales all frames of a movie to one size, even if their sizes differ.
    private func sized(_ sample: SampleBuffer) throws(MediaError) -> SampleBuffer {
        guard case .pixels(let buffer) = sample.content else { return sample }
        let image = try processed(buffer)
        if image.data === buffer.data { return sample }
        return SampleBuffer(
            pixels: image, presentationTime: sample.presentationTime, duration: sample.duration)
    }

    private func processed(_ buffer: PixelBuffer) throws(MediaError) -> PixelBuffer {
        // Equal memory means an equal frame: frames are immutable, and `latest` retains its source, so that the memory
        // is not used for another frame.
        if let latest, latest.source.data === buffer.data, latest.source.layout == buffer.layout,
            latest.source.color == buffer.color
        {
            return latest.result
        }
        var shaped = buffer
        if let shaper { shaped = try shaper.reshape(buffer) }
        let source = steps.source
        // The clean aperture applies to frames that have the track's size.
        let isNamed = source?.width == shaped.width && source?.height == shaped.height
        var image = try fitter.fit(
            shaped, pixelAspectRatio: source?.pixelAspectRatio ?? .one,
            cleanAperture: isNamed ? source?.cleanAperture : nil)
        // Tone mapping comes after fitting, which usually reduces the number of pixels.
        if let toneMapper { image = try toneMapper.map(image) }
        // Masks come last, so that no step mixes hidden pixels with visible ones. The tone mapper's frames are not
        // overwritten, because libavfilter may still use them.
        if let shaper { image = shaper.mask(image, isOwn: toneMapper == nil && image.data !== buffer.data) }
        if pacer != nil { latest = (buffer, image) }
        return image
    }
}
