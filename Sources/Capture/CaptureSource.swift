public import MediaTypes

/// A camera or a microphone that *pushes*: it hands over each sample the moment the device gives it.
///
/// A source has been opened and negotiated when it exists; `start` begins streaming.
public protocol CaptureSource: AnyObject, Sendable {
    /// What every sample will be.
    var format: FormatDescription { get }

    /// The pictures per second that it was set to: what to expect, not what will come. nil for sound, and where the
    /// driver does not say.
    var frameRate: FrameRate? { get }

    /// What was negotiated, in one line for people: "vivid-000 /dev/video0: 1280×720 YUYV at 30 fps".
    var summary: String { get }

    /// Begins streaming.
    ///
    /// - Parameter receiver: called for every event on the source's own thread, one call at a time, for video at the
    ///   frame rate, for audio once a period. It must do constant work and never wait: while it runs nothing is read
    ///   from the device.
    /// - Throws: `MediaError` when the device refuses. Starting twice is `invalidState`.
    func start(_ receiver: @escaping @Sendable (DeviceEvent) -> Void) throws(MediaError)

    /// Ends streaming and closes the device. Returns once the source's thread has ended: no event comes afterwards.
    /// Samples already handed over stay valid. Idempotent; never call it from the receiver.
    func stop()
}

extension CaptureSource {
    public var frameRate: FrameRate? { nil }
}

/// What a camera or a microphone tells its receiver.
public enum DeviceEvent: Sendable {
    /// A picture, a packet or a stretch of sound, with the device's own time on the monotonic clock.
    case sample(SampleBuffer)
    /// Video frames or audio frames that the device captured and that nobody will ever see; of a kept device, for the cause
    /// `device`, also those that would have come while it was away.
    case lost(count: Int64, cause: DropCause, near: MediaTime)
    /// The device went away, or its driver failed.
    ///
    /// Of a source by itself nothing comes after it. A kept device (`DeviceKeeper`) is tried again from now on. It tells this
    /// once for an absence; and again when it turns out why the device does not come back: somebody else has it, its driver
    /// refuses or hangs.
    case gone(MediaError)
    /// A kept device is there again, perhaps in another format. Told on the thread that delivers its samples, before the first
    /// of them and before the loss that the absence was.
    ///
    /// - Parameter awaySince: the end of the last sample before.
    case back(format: FormatDescription, frameRate: FrameRate?, summary: String, awaySince: MediaTime)
}

/// How a kept device is.
public enum DeviceState: Sendable, Hashable {
    /// Open, not started.
    case opened
    case running
    /// - Parameters:
    ///   - since: the end of the last sample.
    ///   - error: why it is away, or why it could not be opened when that was last tried.
    case away(since: MediaTime, MediaError)
    case stopped
}
