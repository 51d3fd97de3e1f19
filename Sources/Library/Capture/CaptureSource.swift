public import MediaTypes

/// A camera or microphone that *pushes*: it delivers each sample as soon as the device returns it.
///
/// A source is opened and negotiated by its initializer; `start` begins streaming.
public protocol CaptureSource: AnyObject, Sendable {
    /// The format of every sample.
    var format: FormatDescription { get }

    /// The frame rate that was set: the expected rate, not a measured one. nil for audio, and if the driver does not
    /// report it.
    var frameRate: FrameRate? { get }

    /// The negotiated setup in one line for the user: "vivid-000 /dev/video0: 1280×720 YUYV at 30 fps".
    var summary: String { get }

    /// Begins streaming.
    ///
    /// - Parameter receiver: A closure called for every event on the source's own thread, one call at a time: for video
    ///   at the frame rate, for audio once per period. It must do constant work and must not block, because the device
    ///   is not read while the closure runs.
    /// - Throws: `MediaError` if the device refuses; `invalidState` if started twice.
    func start(_ receiver: @escaping @Sendable (DeviceEvent) -> Void) throws(MediaError)

    /// Stops streaming and closes the device. Returns once the source's thread has ended; no event follows. Delivered
    /// samples stay valid. Idempotent; never call it from the receiver.
    func stop()
}

extension CaptureSource {
    public var frameRate: FrameRate? { nil }
}

/// An event that a camera or a microphone reports to its receiver.
public enum DeviceEvent: Sendable {
    /// A frame, a packet or a block of audio, with the device's own time on the monotonic clock.
    case sample(SampleBuffer)
    /// Video frames or audio frames that the device captured but that are lost. With the cause `device`, a kept device
    /// (`DeviceKeeper`) also counts frames that it would have delivered while it was disconnected.
    case lost(count: Int64, cause: DropCause, near: MediaTime)
    /// The device disconnected, its driver failed, or the signal at its input changed or was lost.
    ///
    /// For a source itself, this is the last event. A kept device (`DeviceKeeper`) is reopened as soon as possible. It
    /// sends this event once per absence. It sends the event again when it learns why the device does not return:
    /// another program uses the device, or the driver refuses or hangs.
    case gone(MediaError)
    /// A kept device has reconnected, perhaps in another format. Sent on the thread that delivers its samples, before
    /// the first sample and before the `lost` event for the absence.
    ///
    /// - Parameter awaySince: The end of the last sample before the absence.
    case back(format: FormatDescription, frameRate: FrameRate?, summary: String, awaySince: MediaTime)
}

/// The state of a kept device.
public enum DeviceState: Sendable, Hashable {
    /// The device is open but not started.
    case opened
    case running
    /// The device is disconnected.
    ///
    /// - Parameters:
    ///   - since: The end of the last sample.
    ///   - error: The reason for the absence, or for the failure of the last attempt to open it.
    case away(since: MediaTime, MediaError)
    case stopped
}
