import AssetIO
package import CommandInterface
import MediaTypes
import RealTime
package import RecorderStorage
import Signing

/// The state of a session. `CaptureSession` changes it; others read copies.
struct SessionState: Sendable {
    /// The formats that the devices deliver, and the number of frames that may wait for their encoder.
    struct Tracks: Sendable {
        var video: VideoFormat?
        var audio: AudioFormat?
        var frameInterval: MediaTime?
        var videoBudget: RealTimeBudget?
    }

    /// The key for signing files, and the signer of the current recording.
    struct Signature: Sendable {
        var key: SigningKey?
        var signer: RecordingSigner?
    }

    /// The current settings, some of which can change while the session runs.
    var settings: RecordingConfiguration
    var run: RecordingRun?
    /// The previous recording. The status shows it while an armed process waits for the next one.
    var lastRun: RecordingRun?
    var pipeline: LivePipeline?
    var tracks = Tracks()
    var signature = Signature()
    var disk = DiskSpace()
    var error: String?
    /// A permanent loss of data in a recording that continues or was finalized.
    var warning: String?
    var hasFailed = false
    /// True if the user has requested the end.
    var isQuitting = false
    var closedIn: Double?
    var filesFinished: Int64 = 0
    /// The callers of `split` that wait until a file is finalized, by the file's number.
    var splits: [Int: Once<RecordingStatus.Segment?>] = [:]
    /// The maximum size of a file in bytes that the disk and the process's limits allow; nil without a limit.
    var largestFile: Int64?

    init(settings: RecordingConfiguration) { self.settings = settings }
}

/// The outcome of a recording or of the process.
package struct SessionOutcome: Sendable {
    /// The last status. If its `file` is set, that file exists.
    package let status: RecordingStatus
    /// The reason for an early end; nil if the end was requested or planned.
    package let failure: RecordingFailure?
}
