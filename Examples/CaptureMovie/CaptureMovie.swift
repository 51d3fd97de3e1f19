import AVCapture

/// Records five seconds of the default camera and microphone: `CaptureMovie movie.mov`.
@main
final class CaptureMovie: NSObject, AVCaptureFileOutputRecordingDelegate {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else { return print("usage: CaptureMovie FILE.mov") }
        try CaptureMovie().record(to: URL(fileURLWithPath: CommandLine.arguments[1]), seconds: 5)
    }

    let finished = DispatchSemaphore(value: 0)

    func record(to url: URL, seconds: Double) throws {
        let (session, output) = (AVCaptureSession(), AVCaptureMovieFileOutput())
        for device in [AVMediaType.video, .audio].compactMap({ AVCaptureDevice.default(for: $0) }) {
            session.addInput(try AVCaptureDeviceInput(device: device))
        }
        session.addOutput(output)
        session.startRunning()
        output.maxRecordedDuration = CMTime(seconds: seconds, preferredTimescale: 600)
        output.startRecording(to: url, recordingDelegate: self)
        finished.wait()
        session.stopRunning()
    }

    func fileOutput(
        _ output: AVCaptureFileOutput, didFinishRecordingTo outputFileURL: URL, from connections: [AVCaptureConnection],
        error: (any Error)?
    ) {
        print(outputFileURL.path, error.map { "\($0)" } ?? "finished")
        finished.signal()
    }
}
