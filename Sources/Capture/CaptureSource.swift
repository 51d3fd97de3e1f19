public import MediaTypes

/// What a source tells its receiver.
public enum CaptureEvent: Sendable {
    /// A picture, a packet or a stretch of sound, with the device's own time on the monotonic clock.
    case sample(SampleBuffer)
    /// Samples (video frames, audio frames) that the device captured and that nobody will ever see.
    case lost(count: Int64, cause: DropCause, near: MediaTime)
    /// The stream is over: the device went away, or its driver failed. Nothing comes after it.
    case failed(MediaError)
}

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
    func start(_ receiver: @escaping @Sendable (CaptureEvent) -> Void) throws(MediaError)

    /// Ends streaming and closes the device. Returns once the source's thread has ended: no event comes afterwards.
    /// Samples already handed over stay valid. Idempotent; never call it from the receiver.
    func stop()
}

extension CaptureSource {
    public var frameRate: FrameRate? { nil }
}
