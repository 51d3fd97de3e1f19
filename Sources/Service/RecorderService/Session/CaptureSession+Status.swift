import CommandInterface
import MediaTypes
import RecorderStorage

/// The status of a session for other threads, computed from the last published state. Thread-safe.
extension CaptureSession {
    /// The current status. Thread-safe. Reading it queries the free space of the file system.
    nonisolated var status: RecordingStatus { report(snapshot).status }

    nonisolated func state(of now: SessionState) -> RecordingStatus.State { report(now).state }

    private nonisolated func report(_ now: SessionState) -> SessionStatus {
        SessionStatus(context: context, catalogues: catalogues, isMirrored: files.mirror != nil, now: now)
    }

    /// The time at which the last sample of any device arrived, in nanoseconds of the monotonic clock.
    nonisolated var lastSampleAt: Int64? { snapshot.pipeline?.lastSampleAt }

    /// Returns true if the process is ending and finalizes its last file. Returns false if only a recording ends, after
    /// which an armed process continues.
    nonisolated func isEnding(_ status: RecordingStatus) -> Bool {
        if configuration.isArmed { return quit.current != nil || status.state == .failed }
        return status.state == .stopping || status.state == .failed
    }
}
