import AVCapture
import RealTime
import Testing

/// The lab's devices under Apple's names.
enum AppleCaptureLab {
    /// Returns one of the cameras, with 640×360 at 30 frames per second.
    static func camera(_ place: Int = 0) throws -> AVCaptureDevice {
        let cameras = AVCaptureDevice.devices(for: .video)
        try #require(cameras.count > place)
        let camera = cameras[place]
        try camera.lockForConfiguration()
        camera.activeFormat = try #require(
            camera.formats.first {
                CMVideoFormatDescriptionGetDimensions($0.formatDescription)
                    == CMVideoDimensions(width: 640, height: 360)
            })
        camera.activeVideoMinFrameDuration = CMTime(value: 1, timescale: 30)
        camera.unlockForConfiguration()
        return camera
    }

    /// Returns the microphone that records what `hw:Loopback,0,0` plays.
    static func microphone() throws -> AVCaptureDevice {
        try #require(
            AVCaptureDevice.devices(for: .audio).first { $0.uniqueID == MicrophoneVirtualTime.device })
    }

    /// The receiver of a recording, which remembers when it began and how it ended.
    final class Recipient: NSObject, AVCaptureFileOutputRecordingDelegate, @unchecked Sendable {
        // Unchecked: locked.
        private let start = Locked<CMTime?>(nil)
        private let end = Locked<(isFinished: Bool, error: AVError?)>((false, nil))

        /// The time of the first frame, on the host clock.
        var started: CMTime? { start.withLock { $0 } }
        var isFinished: Bool { end.withLock { $0.isFinished } }
        var error: AVError? { end.withLock { $0.error } }

        func fileOutput(
            _ output: AVCaptureFileOutput, didStartRecordingTo fileURL: URL, startPTS: CMTime,
            from connections: [AVCaptureConnection]
        ) {
            start.withLock { $0 = startPTS }
        }

        func fileOutput(
            _ output: AVCaptureFileOutput, didFinishRecordingTo outputFileURL: URL,
            from connections: [AVCaptureConnection], error: (any Error)?
        ) {
            end.withLock { $0 = (true, error as? AVError) }
        }
    }
}
