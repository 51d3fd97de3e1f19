import AVFoundation
import Foundation
import MediaTypes

extension AVError {
    /// Creates the error of a recording.
    ///
    /// - Parameter isFinished: True if the movie was finalized up to the error, so that it can be played.
    init(_ error: MediaError, recordingIsFinished isFinished: Bool) {
        let code: Code? = error == MovieRecording.empty ? .noDataCaptured : nil
        self.init(
            error, code: code, userInfo: [AVErrorRecordingSuccessfullyFinishedKey: NSNumber(value: isFinished)])
    }

    /// Creates the error of a recording that ended early but can be played.
    init(endedEarly code: Code, reason: String) {
        self.init(
            code,
            userInfo: [
                NSLocalizedDescriptionKey: "the recording ended: \(reason)",
                NSLocalizedFailureReasonErrorKey: reason,
                AVErrorRecordingSuccessfullyFinishedKey: NSNumber(value: true),
            ])
    }
}
