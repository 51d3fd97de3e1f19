import FakeDevices
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import AVCapture

@Suite struct AVCapturePhotoOutputTests {
    /// A delegate that writes down its calls.
    private final class Recipient: NSObject, AVCapturePhotoCaptureDelegate, @unchecked Sendable {
        // Unchecked: locked.
        private let lines = Locked<[String]>([])
        private let taken = Locked<AVCapturePhoto?>(nil)
        private let last = Locked<AVError?>(nil)

        var told: [String] { lines.withLock { $0 } }
        var photo: AVCapturePhoto? { taken.withLock { $0 } }
        var error: AVError? { last.withLock { $0 } }
        var isFinished: Bool { told.last == "finished" }

        func photoOutput(
            _ output: AVCapturePhotoOutput, willBeginCaptureFor resolvedSettings: AVCaptureResolvedPhotoSettings
        ) {
            lines.withLock { $0.append("begin") }
        }

        func photoOutput(
            _ output: AVCapturePhotoOutput, didCapturePhotoFor resolvedSettings: AVCaptureResolvedPhotoSettings
        ) {
            lines.withLock { $0.append("captured") }
        }

        func photoOutput(
            _ output: AVCapturePhotoOutput, didFinishProcessingPhoto photo: AVCapturePhoto, error: (any Error)?
        ) {
            taken.withLock { $0 = photo }
            lines.withLock { $0.append("photo") }
        }

        func photoOutput(
            _ output: AVCapturePhotoOutput, didFinishCaptureFor resolvedSettings: AVCaptureResolvedPhotoSettings,
            error: (any Error)?
        ) {
            last.withLock { $0 = error as? AVError }
            lines.withLock { $0.append("finished") }
        }
    }

    private let output = AVCapturePhotoOutput()
    private let recipient = Recipient()

    private func started(_ hardware: FakeHardware = FakeHardware()) throws -> FakeSession {
        let fake = try FakeSession(hardware)
        fake.session.addOutput(output)
        fake.session.startRunning()
        return fake
    }

    @Test func photoOutput_default_isAJPEGOfTheNextFrame() async throws {
        let fake = try started()
        let settings = AVCapturePhotoSettings()
        fake.source.frame(at: 960)
        output.capturePhoto(with: settings, delegate: recipient)
        fake.source.frame(at: 1_000)
        fake.source.frame(at: 1_040)
        try await waitUntil { recipient.isFinished }
        #expect(recipient.told == ["begin", "captured", "photo", "finished"] && recipient.error == nil)
        let photo = try #require(recipient.photo)
        #expect(photo.timestamp == CMTime(value: 1, timescale: 1) && photo.photoCount == 1 && !photo.isRawPhoto)
        #expect(photo.resolvedSettings.uniqueID == settings.uniqueID && photo.pixelBuffer == nil)
        #expect(photo.resolvedSettings.photoDimensions == CMVideoDimensions(width: 64, height: 32))
        #expect(photo.resolvedSettings.expectedPhotoCount == 1)
        let data = try #require(photo.fileDataRepresentation())
        #expect(data.prefix(2) == Data([0xFF, 0xD8]) && data.suffix(2) == Data([0xFF, 0xD9]))
        fake.session.stopRunning()
    }

    @Test func photoOutput_pixelFormat_isAFrame() async throws {
        let fake = try started()
        let settings = AVCapturePhotoSettings(format: [
            kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA
        ])
        #expect(settings.format?.count == 1 && settings.uniqueID != AVCapturePhotoSettings().uniqueID)
        #expect(output.availablePhotoPixelFormatTypes.contains(kCVPixelFormatType_32BGRA))
        output.capturePhoto(with: settings, delegate: recipient)
        fake.source.frame(at: 1_000)
        try await waitUntil { recipient.isFinished }
        let photo = try #require(recipient.photo)
        let frame = try #require(photo.pixelBuffer)
        #expect(CVPixelBufferGetPixelFormatType(frame) == kCVPixelFormatType_32BGRA)
        #expect(photo.fileDataRepresentation() == nil)
        fake.session.stopRunning()
    }

    @Test(arguments: VideoTurn.all) func photoOutput_turnedConnection_turnsThePixels(_ turn: VideoTurn) async throws {
        let fake = try started()
        turn.apply(to: try #require(output.connection(with: .video)))
        let settings = AVCapturePhotoSettings(format: [
            kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA
        ])
        output.capturePhoto(with: settings, delegate: recipient)
        fake.source.send(.sample(CornerFrame.sample(.nv12, at: 1_000)))
        try await waitUntil { recipient.isFinished }
        let photo = try #require(recipient.photo)
        let frame = try #require(photo.pixelBuffer)
        #expect(try CornerFrame.quarters(of: frame) == turn.quarters)
        #expect(CVPixelBufferGetWidth(frame) == turn.width && CVPixelBufferGetHeight(frame) == turn.height)
        fake.session.stopRunning()
    }

    @Test func photoOutput_turnedAfterTheRequest_keepsTheOrientationOfTheRequest() async throws {
        let (fake, directory) = (try started(), try TemporaryDirectory())
        let connection = try #require(output.connection(with: .video))
        connection.videoRotationAngle = 90
        output.capturePhoto(with: AVCapturePhotoSettings(), delegate: recipient)
        connection.videoRotationAngle = 180
        fake.source.frame(at: 1_000)
        try await waitUntil { recipient.isFinished }
        let photo = try #require(recipient.photo)
        #expect(photo.resolvedSettings.photoDimensions == CMVideoDimensions(width: 32, height: 64))
        let file = directory.file("photo.jpg")
        try #require(photo.fileDataRepresentation()).write(to: file)
        let size = try Probe.ask(file.path, "stream=width,height", of: "v:0").text
        #expect(size.trimmingCharacters(in: .whitespacesAndNewlines) == "32,64")
        fake.session.stopRunning()
    }

    @Test func photoOutput_sessionStopped_failsWhatWaits() async throws {
        let fake = try started()
        output.capturePhoto(with: AVCapturePhotoSettings(), delegate: recipient)
        fake.session.stopRunning()
        try await waitUntil { recipient.isFinished }
        #expect(recipient.told == ["photo", "finished"] && recipient.error?.code == .sessionNotRunning)
        let later = Recipient()
        output.capturePhoto(with: AVCapturePhotoSettings(), delegate: later)
        try await waitUntil { later.isFinished }
        #expect(later.error?.code == .sessionNotRunning)
    }

    @Test func photoOutput_cameraRemoved_failsWhatWaits() async throws {
        let fake = try started()
        output.capturePhoto(with: AVCapturePhotoSettings(), delegate: recipient)
        fake.session.removeInput(fake.session.inputs[0])
        try await waitUntil { recipient.isFinished }
        #expect(recipient.told == ["photo", "finished"] && recipient.error?.code == .operationNotAllowed)
        let photo = try #require(recipient.photo)
        #expect(photo.fileDataRepresentation() == nil && photo.pixelBuffer == nil && !photo.timestamp.isValid)
        let later = Recipient()
        output.capturePhoto(with: AVCapturePhotoSettings(), delegate: later)
        try await waitUntil { later.isFinished }
        #expect(later.told == ["photo", "finished"] && later.error?.code == .operationNotAllowed)
        fake.session.stopRunning()
    }

    @Test func photoOutput_flash_failsBecauseThereIsNone() async throws {
        let fake = try started()
        let settings = AVCapturePhotoSettings()
        #expect(output.supportedFlashModes == [.off] && settings.flashMode == .off)
        settings.flashMode = .auto
        output.capturePhoto(with: settings, delegate: recipient)
        fake.source.frame(at: 1_000)
        try await waitUntil { recipient.isFinished }
        #expect(recipient.told == ["photo", "finished"] && recipient.error?.code == .unsupportedOutputSettings)
        fake.session.stopRunning()
    }

    @Test func photoOutput_otherCodec_fails() async throws {
        let fake = try started()
        #expect(output.availablePhotoCodecTypes == [.jpeg])
        let settings = AVCapturePhotoSettings(format: [AVVideoCodecKey: AVVideoCodecType.hevc])
        output.capturePhoto(with: settings, delegate: recipient)
        fake.source.frame(at: 1_000)
        try await waitUntil { recipient.isFinished }
        #expect(recipient.told == ["photo", "finished"] && recipient.error?.code == .unsupportedOutputSettings)
        fake.session.stopRunning()
    }
}
