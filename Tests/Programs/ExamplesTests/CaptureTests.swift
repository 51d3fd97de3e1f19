import AVCapture
import Foundation
import TestSupport
import Testing

@testable import CaptureMovie
@testable import CaptureToWriter

/// The examples of capture, with the test camera and the test microphone.
@Suite struct CaptureTests {
    private func facts(_ url: URL, _ entry: String) throws -> [String] {
        let result = try Command.run([
            "ffprobe", "-v", "error", "-show_entries", entry, "-of", "default=nw=1:nk=1", url.path,
        ])
        return String(decoding: result.output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func captureToWriter_testDevices_recordsAMovie() async throws {
        AVCaptureDevice.includesTestDevices = true
        let directory = try TemporaryDirectory()
        let movie = directory.file("movie.mov")
        let frames = FrameCount()
        let failure: (any Error)? = try await withCheckedThrowingContinuation { continuation in
            Thread {
                let recorder = CameraRecorder()
                do {
                    try recorder.start(to: movie)
                    // A second of the test devices, by the camera's own frames.
                    frames.wait(for: 30)
                    recorder.stop { continuation.resume(returning: $1) }
                } catch { continuation.resume(throwing: error) }
            }.start()
        }
        #expect(failure == nil)
        #expect(try facts(movie, "stream=codec_name") == ["h264", "aac"])
        let duration = try #require(Double(try facts(movie, "format=duration").first ?? ""))
        #expect(duration > 0.5)
    }

    @Test func captureMovie_testDevices_recordsAMovie() async throws {
        AVCaptureDevice.includesTestDevices = true
        let directory = try TemporaryDirectory()
        let movie = directory.file("movie.mov")
        let failure: (any Error)? = try await withCheckedThrowingContinuation { continuation in
            Thread {
                do {
                    try CaptureMovie().record(to: movie, seconds: 1)
                    continuation.resume(returning: nil)
                } catch { continuation.resume(throwing: error) }
            }.start()
        }
        #expect(failure == nil)
        #expect(try facts(movie, "stream=codec_name") == ["h264", "aac"])
        let duration = try #require(Double(try facts(movie, "format=duration").first ?? ""))
        #expect(abs(duration - 1) < 0.2)
    }

    /// Counts the frames of a session of its own on the test camera.
    private final class FrameCount: NSObject, AVCaptureVideoDataOutputSampleBufferDelegate, @unchecked Sendable {
        // Unchecked: the semaphore is thread-safe.
        private let arrived = DispatchSemaphore(value: 0)

        func captureOutput(
            _ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection
        ) {
            arrived.signal()
        }

        func wait(for count: Int) {
            let (session, output) = (AVCaptureSession(), AVCaptureVideoDataOutput())
            guard let camera = AVCaptureDevice.default(for: .video),
                let input = try? AVCaptureDeviceInput(device: camera)
            else { return }
            session.addInput(input)
            output.setSampleBufferDelegate(self, queue: DispatchQueue(label: "frame-count"))
            session.addOutput(output)
            session.startRunning()
            for _ in 0..<count { arrived.wait() }
            session.stopRunning()
        }
    }
}
