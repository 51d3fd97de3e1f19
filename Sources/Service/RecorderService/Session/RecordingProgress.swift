/// The progress of a session's current recording, with one value for each kind of progress. The recording's own state
/// is in `RecordingRun`. A pure value.
struct RecordingProgress {
    var end = EndProgress()
    var failed = FailedFiles()
    var mirrored = MirroredFiles()
    var overload = OverloadWatch()
    /// True once the log contains that the microphone delivers invalid audio.
    var hasInvalidAudio = false

    /// Resets the progress for the next recording. Files that wait to be finalized are kept.
    mutating func begin() {
        end = EndProgress()
        _ = failed.takeFailed()
        mirrored = MirroredFiles()
        overload = OverloadWatch()
        hasInvalidAudio = false
    }
}
