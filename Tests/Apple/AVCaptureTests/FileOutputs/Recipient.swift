import AVCapture
import Foundation
import RealTime

/// A delegate of recordings that writes down its calls.
final class Recipient: NSObject, AVCaptureFileOutputRecordingDelegate, @unchecked Sendable {
    // Unchecked: locked.
    private let lines = Locked<[String]>([])
    private let last = Locked<AVError?>(nil)

    var told: [String] { lines.withLock { $0 } }
    var error: AVError? { last.withLock { $0 } }
    var isFinished: Bool { told.last == "finished" }

    func fileOutput(
        _ output: AVCaptureFileOutput, didStartRecordingTo fileURL: URL, startPTS: CMTime,
        from connections: [AVCaptureConnection]
    ) {
        lines.withLock { $0.append("started \(startPTS.seconds)") }
    }

    func fileOutput(
        _ output: AVCaptureFileOutput, didPauseRecordingTo fileURL: URL, from connections: [AVCaptureConnection]
    ) {
        lines.withLock { $0.append("paused") }
    }

    func fileOutput(
        _ output: AVCaptureFileOutput, didResumeRecordingTo fileURL: URL, from connections: [AVCaptureConnection]
    ) {
        lines.withLock { $0.append("resumed") }
    }

    func fileOutput(
        _ output: AVCaptureFileOutput, didFinishRecordingTo outputFileURL: URL,
        from connections: [AVCaptureConnection], error: (any Error)?
    ) {
        last.withLock { $0 = error as? AVError }
        lines.withLock { $0.append("finished") }
    }
}
