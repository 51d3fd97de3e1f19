public import Capture
public import MediaTypes

/// What a kept device tells its receiver.
public enum DeviceEvent: Sendable {
    /// A picture, a packet or a stretch of sound, with the device's own time on the monotonic clock.
    case sample(SampleBuffer)
    /// Video frames or audio frames that nobody will ever see, as `CaptureEvent.lost`; for the cause `device` also those that
    /// would have come while it was away (`AbsenceAccount` says how many that are).
    case lost(count: Int64, cause: DropCause, near: MediaTime)
    /// The device is away, and is tried again from now on. Told once for an absence; and again when it turns out why the
    /// device does not come back: somebody else has it, its driver refuses or hangs.
    case gone(MediaError)
    /// The device is there again, perhaps in another format. Told on the thread that delivers its samples, before the first
    /// of them and before the loss that the absence was.
    ///
    /// - Parameter awaySince: the end of the last sample before.
    case back(format: FormatDescription, frameRate: FrameRate?, summary: String, awaySince: MediaTime)
}

extension DeviceEvent {
    /// What both kinds of events have in common, and when it happened; nil for a failure.
    static func passing(_ event: CaptureEvent) -> (DeviceEvent, MediaTime)? {
        switch event {
        case .sample(let sample): (.sample(sample), sample.presentationTime)
        case .lost(let count, let cause, let near): (.lost(count: count, cause: cause, near: near), near)
        case .failed: nil
        }
    }
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
