import AVCapture
import Foundation
import MediaTypes

/// Records with the settings that `recorder run` uses by default: H.264 of preset veryfast and factor 23, a keyframe
/// every two seconds, AAC of 128 kbit/s.
final class SessionRecorder: NSObject, @unchecked Sendable {
    // Unchecked: everything but the session is used on the queue only.
    private let options: Options
    private let session = AVCaptureSession()
    private let video = AVCaptureVideoDataOutput()
    private let audio = AVCaptureAudioDataOutput()
    private let queue = DispatchQueue(label: "session-recorder")
    private var writer: AVAssetWriter?
    private var inputs: [AVMediaType: AVAssetWriterInput] = [:]
    private var hasSession = false
    private var written = 0
    /// Frames that the writer did not take.
    private var refused = 0

    init(_ options: Options) { self.options = options }

    func start() throws {
        let camera = try AVCaptureDevice.camera(options.camera, options.size, options.frameRate)
        session.addInput(try AVCaptureDeviceInput(device: camera))
        video.alwaysDiscardsLateVideoFrames = false
        video.setSampleBufferDelegate(self, queue: queue)
        session.addOutput(video)
        if let name = options.microphone {
            session.addInput(try AVCaptureDeviceInput(device: .microphone(name)))
            audio.setSampleBufferDelegate(self, queue: queue)
            session.addOutput(audio)
        }
        if let output = options.output { try startWriter(to: output) }
        session.startRunning()
        guard session.isRunning else { throw AVError(.sessionNotRunning) }
    }

    private func startWriter(to url: URL) throws {
        try? FileManager.default.removeItem(at: url)
        let writer = try AVAssetWriter(outputURL: url, fileType: .mov)
        inputs[.video] = AVAssetWriterInput(
            mediaType: .video, outputSettings: video.recommendedVideoSettingsForAssetWriter(writingTo: .mov))
        if options.microphone != nil {
            inputs[.audio] = AVAssetWriterInput(
                mediaType: .audio, outputSettings: audio.recommendedAudioSettingsForAssetWriter(writingTo: .mov))
        }
        for input in inputs.values {
            input.expectsMediaDataInRealTime = true
            writer.add(input)
        }
        guard writer.startWriting() else { throw writer.error ?? AVError(.unknown) }
        self.writer = writer
    }

    /// Ends the recording and writes the ledger.
    ///
    /// - Parameter completion: Called once; with false if the movie is not complete.
    func stop(completion: @escaping @Sendable (Bool) -> Void) {
        session.stopRunning()
        queue.async { [self] in
            for input in inputs.values { input.markAsFinished() }
            guard let writer else {
                writeAccount()
                return completion(true)
            }
            writer.finishWriting { [self] in
                queue.async { [self] in
                    writeAccount()
                    if let error = writer.error { FileHandle.standardError.write(Data("\(error)\n".utf8)) }
                    completion(writer.status == .completed)
                }
            }
        }
    }

    private func writeAccount() {
        guard let file = options.account else { return }
        let ledger = video.ledger
        let text = """
            {"captured": \(ledger.captured), "delivered": \(ledger.delivered), "written": \(written), \
            "dropped": \(ledger.dropped + Int64(refused))}

            """
        try? text.write(to: file, atomically: true, encoding: .utf8)
    }
}

extension SessionRecorder: AVCaptureVideoDataOutputSampleBufferDelegate, AVCaptureAudioDataOutputSampleBufferDelegate {
    func captureOutput(
        _ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection
    ) {
        let isVideo = output === video
        guard let writer else { return }
        if !hasSession {
            guard isVideo else { return }
            writer.startSession(atSourceTime: CMSampleBufferGetPresentationTimeStamp(sampleBuffer))
            hasSession = true
        }
        let isTaken = inputs[isVideo ? .video : .audio]?.append(sampleBuffer) ?? false
        guard isVideo else { return }
        if isTaken { written += 1 } else { refused += 1 }
    }
}
