import MediaCodecs
import MediaTypes

/// What is done to pictures between decoding and encoding.
struct PictureSteps: Sendable, Hashable {
    /// nil: pictures stay as they are; else made whole of fields, the order as the source says.
    var deinterlaces = false
    var fieldOrder: FieldOrder?
    /// Pictures a second at equal distances; nil: every picture keeps its time.
    var frameRate: Double?
    /// Coded size of the result, and the shape of its pixels where that is not the source's.
    var frame: PictureGeometry
    var scalingMode = VideoSettings.ScalingMode.resizeAspect
    /// From high dynamic range to standard; nil: pictures stay what they are.
    var toneMapping: ToneMapper.Conversion?
    /// What the track says of its pictures; nil where the result says the same.
    var source: PictureGeometry?
}

/// Carries the steps out, for one stretch of pictures in order. One thread at a time calls it.
final class PicturePreparation {
    private let steps: PictureSteps
    private let fitter: PictureFitter
    private var deinterlacer: Deinterlacer?
    private var pacer: FramePacer?
    private let toneMapper: ToneMapper?

    /// - Throws: `unsupported` when deinterlacing or tone mapping is asked for and libavfilter is not there.
    init(_ steps: PictureSteps, from start: MediaTime) throws(MediaError) {
        self.steps = steps
        fitter = PictureFitter(steps.frame, mode: steps.scalingMode)
        if steps.deinterlaces { deinterlacer = try Deinterlacer(fieldOrder: steps.fieldOrder) }
        toneMapper = try steps.toneMapping.map { conversion throws(MediaError) in try ToneMapper(conversion) }
        pacer = steps.frameRate.map { FramePacer(frameRate: $0, start: start) }
    }

    /// Takes the next picture, or nil for the end.
    func take(_ sample: SampleBuffer?, output: (SampleBuffer) -> Void) throws(MediaError) {
        var failure: MediaError?
        func size(_ sample: SampleBuffer) {
            do throws(MediaError) { output(try sized(sample)) } catch { failure = failure ?? error }
        }
        func pace(_ sample: SampleBuffer) {
            guard pacer != nil else { return size(sample) }
            pacer?.take(sample, output: size)
        }
        if let deinterlacer {
            try deinterlacer.process(sample, output: pace)
        } else if let sample {
            pace(sample)
        }
        if sample == nil { pacer?.finish(output: size) }
        if let failure { throw failure }
    }

    /// Larger and smaller pictures of one film get one size.
    func sized(_ sample: SampleBuffer) throws(MediaError) -> SampleBuffer {
        guard case .pixels(let buffer) = sample.content else { return sample }
        let source = steps.source
        // The clean aperture is that of pictures of the size that the track names.
        let isNamed = source?.width == buffer.width && source?.height == buffer.height
        var picture = try fitter.fit(
            buffer, pixelAspectRatio: source?.pixelAspectRatio ?? .one,
            cleanAperture: isNamed ? source?.cleanAperture : nil)
        // Behind fitting, which mostly leaves fewer pixels.
        if let toneMapper { picture = try toneMapper.map(picture) }
        if picture.data === buffer.data { return sample }
        return SampleBuffer(
            pixels: picture, presentationTime: sample.presentationTime, duration: sample.duration)
    }
}
