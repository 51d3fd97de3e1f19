public import MediaTypes
import RealTime

/// A camera of the kernel's video interface (V4L2), as a push source.
///
/// Frames are lent, not copied: a sample's memory is the driver's own buffer, which returns to the driver when the
/// sample's last user releases it. A receiver that keeps many frames gets copies instead, so that the camera never runs
/// out of buffers. The kernel measures the frame times, on CLOCK_MONOTONIC, in microseconds.
///
/// ```swift
/// let camera = try V4L2Camera(device: "/dev/video0", request: CameraRequest(size: FrameSize(1280, 720)))
/// print(camera.summary)
/// try camera.start { event in
///     if case .sample(let frame) = event { _ = try? input.append(frame) }
/// }
/// camera.stop()
/// ```
public final class V4L2Camera: CaptureSource {
    /// The device node, such as `/dev/video0`.
    public let device: String
    /// The identity by which the camera is found again after it was unplugged.
    public let identity: CameraIdentity
    /// The mode that the driver accepted.
    public let mode: CameraMode
    public let format: FormatDescription
    public let summary: String
    public var frameRate: FrameRate? { mode.frameRate }

    /// True if the mode is that of a signal at the camera's input.
    let followsSignal: Bool

    private let stream: V4L2Stream
    private let thread = CaptureThread(name: "camera")

    /// Opens the camera, selects its input, negotiates and sets its format, size, rate and controls, and claims it.
    /// Streaming does not start yet.
    ///
    /// - Parameters:
    ///   - device: A path, the name of a stable link (`CameraDevice.stableNames`), or the camera's own name.
    ///   - request: The requested mode.
    ///   - controls: Controls to set, in this order, by the names that `v4l2-ctl -l` shows.
    ///   - frameTimeout: The time without a frame after which the camera counts as lost; at least three frame
    ///     intervals, and three times the exposure time that the controls set.
    /// - Throws: `notFound`, `busy`, `notPermitted`; `deviceUnsuitable` if the device is not a camera, offers no usable
    ///   format or cannot meet the request (with the nearest mode that it supports); `invalidSettings` for a control or
    ///   an input; `deviceLost` if its input has no signal.
    public init(
        device: String, request: CameraRequest = CameraRequest(), controls: [(name: String, value: Int64)] = [],
        frameTimeout: MediaTime = MediaTime(value: 5, timescale: 1)
    ) throws(MediaError) {
        let node = try V4L2Device(path: CameraDiscovery.path(of: device))
        let signal = try V4L2Signal(node, input: V4L2Inputs(device: node).select(request.input))
        let setup = try V4L2Setup(node, request: request, signal: signal?.format)
        try V4L2Controls(device: node).set(controls)
        let interval = setup.mode.frameRate?.interval.nanoseconds ?? 0
        let patience = RequestedExposure.patience(frameTimeout, RequestedExposure.time(controls))
        let stream = try V4L2Stream(
            device: node, setup: setup, signal: signal, frameTimeout: max(patience.nanoseconds, 3 * interval))
        self.device = node.path
        identity = CameraIdentity(node)
        self.stream = stream
        followsSignal = signal != nil
        mode = setup.mode
        format = .video(setup.format)
        summary = Self.summary(node, setup, hasKernelTimes: stream.hasKernelTimes)
    }

    public func start(_ receiver: @escaping @Sendable (DeviceEvent) -> Void) throws(MediaError) {
        // The thread references the stream and not this object. Therefore the camera stops when its user releases it.
        let (stream, stop) = (stream, thread.stopSignal)
        try thread.start("cannot start \(device)") { () throws(MediaError) in
            try stream.start()
        } body: {
            stream.run(stop: stop, receiver: receiver)
        } close: {
            stream.close()
        }
    }

    public func stop() {
        if thread.stop() { stream.close() }
    }

    /// The number of frames that were copied because the receiver held too many buffers. For tests.
    var copiedCount: Int64 { stream.copiedCount.withLock { $0 } }

    /// Returns a line such as "vivid /dev/video0: 1280×720 yuyv at 30 fps".
    private static func summary(_ device: V4L2Device, _ setup: V4L2Setup, hasKernelTimes: Bool) -> String {
        let mode = setup.mode
        var text = "\(device.card) \(device.path): \(mode.size.width)×\(mode.size.height) \(mode.pixelFormat.rawValue)"
        text += mode.frameRate.map { " at \($0) fps" } ?? " at the camera's own rate"
        if mode.isEmulated { text += ", converted by libv4l2" }
        if setup.fields != .progressive { text += ", interlaced" }
        if !hasKernelTimes { text += ", timed when read (its driver has no monotonic timestamps)" }
        return text
    }
}
