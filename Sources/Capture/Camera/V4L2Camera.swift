public import MediaTypes
import RealTime

/// A camera of the kernel's video interface (V4L2), as a push source.
///
/// Frames are lent, not copied: a sample's memory is the driver's own buffer, and goes back to the driver when the last
/// user of the sample lets go. A receiver that holds on to many frames gets copies instead, so the camera never starves.
/// Frame times are the kernel's, on CLOCK_MONOTONIC, in microseconds.
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
    /// The node: `/dev/video0`.
    public let device: String
    /// By which to find it again after it was unplugged.
    public let identity: CameraIdentity
    /// What the camera was asked to do, as the driver understood it.
    public let mode: CameraMode
    public let format: FormatDescription
    public let summary: String
    public var frameRate: FrameRate? { mode.frameRate }

    private let stream: V4L2Stream
    private let thread = CaptureThread(name: "camera")

    /// Opens the camera, negotiates and sets format, size, rate and controls, and claims it. Nothing streams yet.
    ///
    /// - Parameters:
    ///   - device: a path, the name of a stable link (`CameraDevice.stableNames`), or the camera's own name.
    ///   - request: what is wanted of it.
    ///   - controls: set in this order, by the names that `v4l2-ctl -l` shows.
    ///   - frameTimeout: so long without a frame, and the camera counts as lost; never less than three frame intervals.
    /// - Throws: `notFound`, `busy`, `notPermitted`; `deviceUnsuitable` when it is no camera, offers nothing usable or
    ///   cannot do what was asked (with the nearest that it can); `invalidSettings` for a control.
    public init(
        device: String, request: CameraRequest = CameraRequest(), controls: [(name: String, value: Int64)] = [],
        frameTimeout: MediaTime = MediaTime(value: 5, timescale: 1)
    ) throws(MediaError) {
        let node = try V4L2Device(path: CameraDiscovery.path(of: device))
        let setup = try V4L2Setup(node, request: request)
        try V4L2Controls(device: node).set(controls)
        let interval = setup.mode.frameRate?.interval.nanoseconds ?? 0
        let stream = try V4L2Stream(
            device: node, setup: setup, frameTimeout: max(frameTimeout.nanoseconds, 3 * interval))
        self.device = node.path
        identity = CameraIdentity(node)
        self.stream = stream
        mode = setup.mode
        format = .video(setup.format)
        summary = Self.summary(node, setup, hasKernelTimes: stream.hasKernelTimes)
    }

    public func start(_ receiver: @escaping @Sendable (DeviceEvent) -> Void) throws(MediaError) {
        // The thread holds the stream, not this object: a camera that is dropped stops.
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

    /// Frames that were copied because the receiver held so many that few buffers were left. For tests.
    var copiedCount: Int64 { stream.copiedCount.withLock { $0 } }

    /// "vivid /dev/video0: 1280×720 yuyv at 30 fps".
    private static func summary(_ device: V4L2Device, _ setup: V4L2Setup, hasKernelTimes: Bool) -> String {
        let mode = setup.mode
        var text = "\(device.card) \(device.path): \(mode.size.width)×\(mode.size.height) \(mode.pixelFormat.rawValue)"
        text += mode.frameRate.map { " at \($0) fps" } ?? " at the camera's own rate"
        if mode.isEmulated { text += ", converted by libv4l2" }
        if setup.isInterlaced { text += ", interlaced" }
        if !hasKernelTimes { text += ", timed when read (its driver has no monotonic time stamps)" }
        return text
    }
}
