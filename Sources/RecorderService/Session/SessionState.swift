import AssetIO
package import CommandInterface
import MediaTypes
import RealTime
import Signing

/// How a session is: the one state that `CaptureSession` changes, and everybody else reads a copy of.
struct SessionState: Sendable {
    /// What can change while it runs is read from here.
    var settings: RecordingConfiguration
    var run: RecordingRun?
    /// What files are signed with, and who signs those of the recording.
    var signingKey: SigningKey?
    var signer: RecordingSigner?
    /// The run before, whose status is the newest there is while the process is armed.
    var lastRun: RecordingRun?
    var pipeline: LivePipeline?
    var video: VideoFormat?
    var audio: AudioFormat?
    var frameInterval: MediaTime?
    var videoBudget: RealTimeBudget?
    var disk = DiskSpace()
    var error: String?
    /// What was lost although the recording goes on, or is whole.
    var warning: String?
    var hasFailed = false
    /// Its owner wants it to end.
    var isQuitting = false
    var closedIn: Double?
    var filesFinished: Int64 = 0
    /// Who waits for which file to be whole.
    var splits: [Int: Once<RecordingStatus.Segment?>] = [:]
    /// Bytes after which files should end, where they may not grow for ever.
    var largestFile: Int64?

    init(settings: RecordingConfiguration) { self.settings = settings }
}

/// How a recording, or the process, ended.
package struct SessionOutcome: Sendable {
    /// The last status; `file` is there when it says so.
    package let status: RecordingStatus
    /// nil when it ended as its owner wished.
    package let failure: RecordingFailure?
}
