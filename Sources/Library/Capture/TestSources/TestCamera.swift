public import MediaTypes
import RealTime

/// A built-in camera that needs no hardware: moving frames at the true rate, on any machine.
///
/// It shows color bars, a square that moves, the number of each frame and the monotonic clock. A frame is white if a
/// full second of that clock begins during it; `TestMicrophone` clicks at the same instant. Frame k has exactly the
/// time of a full second plus k intervals, to the microsecond. At a whole number of frames per second, one frame falls
/// on each full second. If the receiver is late by a full frame, frames are dropped and reported as lost by the device.
public final class TestCamera: CaptureSource {
    public let format: FormatDescription
    public let summary: String
    public var frameRate: FrameRate? { rate }

    private let size: FrameSize
    private let rate: FrameRate
    private let thread = CaptureThread(name: "test camera")

    /// Creates a test camera.
    ///
    /// - Throws: `deviceUnsuitable` for a size that is odd, below 64×32 or above 8192×8192, or a rate above 1000, with
    ///   the nearest supported value.
    public init(width: Int = 1280, height: Int = 720, frameRate: FrameRate = FrameRate(30)) throws(MediaError) {
        let nearest = FrameSize(min(max(width, 64), 8192) / 2 * 2, min(max(height, 32), 8192) / 2 * 2)
        guard nearest == FrameSize(width, height) else {
            throw MediaError(
                .deviceUnsuitable, "cannot record \(width)x\(height) from the test camera",
                reason: "its sizes are even, from 64x32 to 8192x8192", wayOut: "nearest is \(nearest)")
        }
        guard frameRate <= FrameRate(1000) else {
            throw MediaError(
                .deviceUnsuitable, "cannot record at \(frameRate) fps from the test camera",
                reason: "it does not offer this rate", wayOut: "nearest is 1000 fps")
        }
        size = nearest
        rate = frameRate
        format = .video(VideoFormat(pixelFormat: .nv12, width: width, height: height, color: .bt709))
        summary = "test camera: \(width)×\(height) nv12 at \(frameRate) fps"
    }

    public func start(_ receiver: @escaping @Sendable (DeviceEvent) -> Void) throws(MediaError) {
        let (stop, size, format, rate) = (thread.stopSignal, size, format, rate)
        try thread.start("cannot start the test camera") {
        } body: {
            Self.run(
                TestPattern(width: size.width, height: size.height), format, rate, stop: stop, receiver: receiver)
        } close: {
        }
    }

    public func stop() { _ = thread.stop() }

    private static func run(
        _ pattern: TestPattern, _ format: FormatDescription, _ rate: FrameRate, stop: WakeUp,
        receiver: (DeviceEvent) -> Void
    ) {
        let clock = MonotonicClock()
        let timing = TestSourceTiming(rate: rate, now: clock.nanoseconds)
        let first = timing.index(atOrAfter: clock.nanoseconds)
        var last = first - 1
        while !stop.isFired(before: timing.nanoseconds(of: last + 1)) {
            let (index, skipped) = timing.next(after: last, now: clock.nanoseconds)
            if skipped > 0 { receiver(.lost(count: skipped, cause: .device, near: timing.time(of: index))) }
            receiver(.sample(pattern.sample(index, number: index - first, timing: timing, format: format)))
            last = index
        }
    }

    /// Returns the number of a test camera's frame, read from the cells along its top edge, even after encoding,
    /// decoding and scaling. nil for a layout without a luma plane.
    public static func frameNumber(in frame: PixelBuffer) -> Int64? { TestPattern.number(in: frame) }
}
