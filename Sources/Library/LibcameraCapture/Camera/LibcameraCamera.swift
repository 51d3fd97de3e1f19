package import Capture
package import MediaTypes
import RealTime

/// A camera behind libcamera, as a push source. A helper program runs it (docs/design/decisions/libcamera.md).
///
/// Frames are lent, not copied: a sample's memory is the camera's own buffer. After the sample's last user has released
/// it, the buffer is returned to the camera when the next frame arrives. A receiver that keeps many frames gets copies
/// instead, so that the camera never runs out of buffers. Frame times are those of the sensor, on CLOCK_MONOTONIC, in
/// microseconds.
package final class LibcameraCamera: CaptureSource {
    package let format: FormatDescription
    package let frameRate: FrameRate?
    package let summary: String

    private let camera: String
    private let stream: LibcameraStream
    private let thread = CaptureThread(name: "libcamera")

    /// Starts a helper, and opens and configures the camera. Streaming does not start yet. Blocks for at most 20 s.
    ///
    /// - Parameters:
    ///   - controls: Controls to set at the start, by libcamera's names.
    ///   - interruption: Interrupts the opening and the start when it is fired.
    ///   - whenEnded: Called if the helper ends before `stop`, on the thread that notices it. The arguments are the
    ///     reason, the error, and the nanoseconds from the first frame to the last one.
    /// - Throws: `notFound`, `busy`, `notPermitted`, `deviceUnsuitable`, `deviceLost` if the helper fails, or
    ///   `cancelled`.
    init(
        _ request: StreamRequest, controls: [(name: String, value: Double)] = [], launcher: HelperLauncher,
        interruption: WakeUp? = nil, whenEnded: @escaping @Sendable (SessionEnd, MediaError, Int64) -> Void
    ) throws(MediaError) {
        let stream = try LibcameraStream(
            request, controls: controls, launcher: launcher, interruption: interruption, whenEnded: whenEnded)
        self.stream = stream
        camera = request.camera
        format = .video(stream.configuration.videoFormat)
        frameRate = stream.configuration.frameRate
        summary = Self.summary(request.camera, stream)
    }

    package func start(_ receiver: @escaping @Sendable (DeviceEvent) -> Void) throws(MediaError) {
        // The thread retains the stream but not this object. Therefore the camera stops when this object is released.
        let (stream, stop) = (stream, thread.stopSignal)
        try thread.start("cannot start the camera \(camera)") { () throws(MediaError) in
            try stream.start()
        } body: {
            stream.run(stop: stop, receiver: receiver)
        } close: {
            stream.close()
        }
    }

    package func stop() {
        if thread.stop() { stream.close() }
    }

    /// Returns a line such as "imx708 (libcamera 0.4.0): 1920×1080 nv12 at 30 fps".
    private static func summary(_ camera: String, _ stream: LibcameraStream) -> String {
        let configuration = stream.configuration
        return "\(camera) (libcamera \(stream.version)): \(configuration.width)×\(configuration.height) "
            + "\(configuration.format)"
            + (configuration.frameRate.map { " at \($0) fps" } ?? " at the camera's own rate")
    }
}
