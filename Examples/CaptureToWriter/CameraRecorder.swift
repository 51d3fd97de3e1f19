import AVCapture

/// Records the default camera and microphone to a movie with a session, two data outputs and a writer.
///
/// The code is written as for an app. Only the name of the imported module differs on Linux.
public final class CameraRecorder: NSObject, @unchecked Sendable {
    // Unchecked: the session is thread-safe, and all other state is used only on the queue.
    public enum Failure: Error {
        case noCamera
        case cannotStart
    }

    private let session = AVCaptureSession()
    private let videoOutput = AVCaptureVideoDataOutput()
    private let audioOutput = AVCaptureAudioDataOutput()
    private let queue = DispatchQueue(label: "camera-recorder")
    private var writer: AVAssetWriter?
    private var videoInput: AVAssetWriterInput?
    private var audioInput: AVAssetWriterInput?
    private var hasSession = false
    private var dropped = 0

    override public init() {
        super.init()
    }

    public func start(to url: URL) throws {
        guard let camera = AVCaptureDevice.default(for: .video) else { throw Failure.noCamera }
        session.beginConfiguration()
        session.sessionPreset = .vga640x480
        session.addInput(try AVCaptureDeviceInput(device: camera))
        if let microphone = AVCaptureDevice.default(for: .audio) {
            session.addInput(try AVCaptureDeviceInput(device: microphone))
        }
        videoOutput.setSampleBufferDelegate(self, queue: queue)
        audioOutput.setSampleBufferDelegate(self, queue: queue)
        videoOutput.alwaysDiscardsLateVideoFrames = false
        for output in [videoOutput, audioOutput] where session.canAddOutput(output) {
            session.addOutput(output)
        }
        session.commitConfiguration()

        let writer = try AVAssetWriter(outputURL: url, fileType: .mov)
        videoInput = input(.video, videoOutput.recommendedVideoSettingsForAssetWriter(writingTo: .mov))
        if audioOutput.connection(with: .audio) != nil {
            audioInput = input(.audio, audioOutput.recommendedAudioSettingsForAssetWriter(writingTo: .mov))
        }
        for input in [videoInput, audioInput].compactMap({ $0 }) where writer.canAdd(input) {
            writer.add(input)
        }
        guard writer.startWriting() else { throw writer.error ?? Failure.cannotStart }
        self.writer = writer
        session.startRunning()
        guard session.isRunning else { throw Failure.cannotStart }
    }

    private func input(_ type: AVMediaType, _ settings: [String: Any]?) -> AVAssetWriterInput {
        let input = AVAssetWriterInput(mediaType: type, outputSettings: settings)
        input.expectsMediaDataInRealTime = true
        return input
    }

    /// Ends the recording.
    ///
    /// - Parameter completion: a handler that is called when the movie is finalized. It gets the number of dropped
    ///   frames, and the error or nil.
    public func stop(completion: @escaping @Sendable (Int, (any Error)?) -> Void) {
        session.stopRunning()
        queue.async {
            self.videoInput?.markAsFinished()
            self.audioInput?.markAsFinished()
            guard let writer = self.writer else { return completion(self.dropped, Failure.cannotStart) }
            let dropped = self.dropped
            writer.finishWriting { completion(dropped, writer.error) }
        }
    }
}

extension CameraRecorder: AVCaptureVideoDataOutputSampleBufferDelegate, AVCaptureAudioDataOutputSampleBufferDelegate {
    public func captureOutput(
        _ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection
    ) {
        guard let writer, writer.status == .writing else { return }
        if !hasSession {
            guard output === videoOutput else { return }
            writer.startSession(atSourceTime: CMSampleBufferGetPresentationTimeStamp(sampleBuffer))
            hasSession = true
        }
        guard let input = output === videoOutput ? videoInput : audioInput, input.isReadyForMoreMediaData,
            input.append(sampleBuffer)
        else {
            if output === videoOutput { dropped += 1 }
            return
        }
    }

    public func captureOutput(
        _ output: AVCaptureOutput, didDrop sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection
    ) {
        dropped += 1
    }
}
