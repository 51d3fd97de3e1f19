/// The session's state of its current recording, with one owner for each kind of progress. The recording's own state is
/// `RecordingRun`. A pure value.
struct RecordingProgress {
    var end = EndProgress()
    var failed = FailedFiles()
    var mirrored = MirroredFiles()
    var overload = OverloadWatch()

    /// Begins with the next recording. A file that waits to be finalized keeps waiting.
    mutating func begin() {
        end = EndProgress()
        _ = failed.takeFailed()
        mirrored = MirroredFiles()
        overload = OverloadWatch()
    }
}
