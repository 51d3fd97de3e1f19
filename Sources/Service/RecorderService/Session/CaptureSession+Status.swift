import CommandInterface
import MediaTypes
import RecorderStorage

/// The status of a session for other threads, from the last published state. Thread-safe.
extension CaptureSession {
    /// The current status. Thread-safe; asks the file system for its free space.
    nonisolated var status: RecordingStatus { report(snapshot).status }

    nonisolated func state(of now: SessionState) -> RecordingStatus.State { report(now).state }

    private nonisolated func report(_ now: SessionState) -> SessionStatus {
        SessionStatus(context: context, catalogues: catalogues, isMirrored: files.mirror != nil, now: now)
    }

    /// The clock's time of the last sample of any device.
    nonisolated var lastSampleAt: Int64? { snapshot.pipeline?.lastSampleAt }

    /// Returns true if the process is finalizing its last file. An armed process continues after a recording.
    nonisolated func isEnding(_ status: RecordingStatus) -> Bool {
        if configuration.isArmed { return quit.current != nil || status.state == .failed }
        return status.state == .stopping || status.state == .failed
    }
}
