public import Capture
public import MediaTypes
public import RealTime

/// Keeps one camera or microphone alive for a recording of days: what fails is closed, and tried again until it is back.
///
/// A keeper has opened its device when it exists. The first opening and the first start may fail, and say so; whatever
/// happens later is told by events, and ends only with `stop`.
///
/// ```swift
/// let keeper = try DeviceKeeper(name: "camera") { () throws(MediaError) in try V4L2Camera(device: "/dev/video0") }
/// try keeper.start { event in … }
/// keeper.stop()
/// ```
///
/// A device that failed is closed on a thread of its own, since a driver may hang there; after ten seconds it is given up
/// and that told as `gone`. Then it is opened again as `DeviceRecovery` says when. A device counts as back with its first
/// sample, not with its opening.
public final class DeviceKeeper: Sendable {
    /// Opens the device: at first as it was asked for, later the same one again, under whichever name it has then. May
    /// block for as long as a driver does.
    public typealias Open = @Sendable () throws(MediaError) -> any CaptureSource

    /// "camera" or "microphone".
    public let name: String
    private let device: KeptDevice
    /// Holds on to the watcher.
    private let hints: DeviceWatcher.Observation?

    /// Opens the device.
    ///
    /// - Parameters:
    ///   - name: of the threads and in messages; short.
    ///   - hotplug: its news bring the next try forward. Without it only the clock does, every two seconds at the latest.
    ///   - closePatience: how long its driver may take to close the device.
    /// - Throws: what `open` throws: a device that is missing at the beginning is an error.
    public init(
        name: String, clock: any HostClock = MonotonicClock(), hotplug: DeviceWatcher? = nil,
        closePatience: MediaTime = MediaTime(value: 10, timescale: 1), open: @escaping Open
    ) throws(MediaError) {
        self.name = name
        let device = KeptDevice(
            name: name, clock: clock, closePatience: closePatience.nanoseconds, source: try open(), open: open)
        self.device = device
        hints = hotplug?.observe { device.hint() }
    }

    deinit { device.requestStop() }

    /// What the samples are; of a device that is away, what they were.
    public var format: FormatDescription { device.facts.format }
    public var frameRate: FrameRate? { device.facts.frameRate }
    /// What was negotiated, in one line for people.
    public var summary: String { device.facts.summary }
    public var state: DeviceState { device.state }

    /// Begins streaming.
    ///
    /// - Parameter receiver: called for one event at a time: for samples, losses, `back` and `gone` on the device's own
    ///   thread, as by `CaptureSource`, where it must do constant work and never wait; for a later `gone` of the same
    ///   absence on the keeper's thread.
    /// - Throws: what the device throws, and then it is closed; `invalidState` the second time and after `stop`;
    ///   `ioFailure` when no thread is to be had.
    public func start(_ receiver: @escaping @Sendable (DeviceEvent) -> Void) throws(MediaError) {
        try device.start(receiver)
    }

    /// Tries at once, if the device is away.
    public func tryNow() { device.hint() }

    /// Ends streaming and closes the device. Returns once its threads have ended: no event comes afterwards; only a driver
    /// that hangs is left behind after ten seconds. Idempotent; never call it from the receiver.
    public func stop() { device.stop() }
}
