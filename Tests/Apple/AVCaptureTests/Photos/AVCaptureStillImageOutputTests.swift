import FakeDevices
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import AVCapture

@Suite struct AVCaptureStillImageOutputTests {
    /// The calls of a completion handler.
    private final class Recipient: Sendable {
        private let calls = Locked<[(image: CMSampleBuffer?, error: AVError?)]>([])

        var isCalled: Bool { calls.withLock { !$0.isEmpty } }
        var callCount: Int { calls.withLock { $0.count } }
        var image: CMSampleBuffer? { calls.withLock { $0.last?.image } }
        var error: AVError? { calls.withLock { $0.last?.error } }

        func take(_ image: CMSampleBuffer?, _ error: (any Error)?) {
            let error = error as? AVError
            calls.withLock { $0.append((image, error)) }
        }
    }

    private let output = AVCaptureStillImageOutput()
    private let recipient = Recipient()

    private func started(_ hardware: FakeHardware = FakeHardware()) throws -> FakeSession {
        let fake = try FakeSession(hardware)
        fake.session.addOutput(output)
        fake.session.startRunning()
        return fake
    }

    private func capture(for recipient: Recipient) throws {
        let connection = try #require(output.connection(with: .video))
        output.captureStillImageAsynchronously(from: connection) { recipient.take($0, $1) }
    }

    @Test func stillImageOutput_default_isAJPEGOfTheNextFrame() async throws {
        let fake = try started()
        #expect(output.outputSettings[AVVideoCodecKey] as? String == AVVideoCodecJPEG)
        #expect(output.availableImageDataCodecTypes == [.jpeg] && !output.isCapturingStillImage)
        fake.source.frame(at: 960)
        try capture(for: recipient)
        #expect(output.isCapturingStillImage)
        fake.source.frame(at: 1_000)
        fake.source.frame(at: 1_040)
        try await waitUntil { recipient.isCalled }
        #expect(!output.isCapturingStillImage && recipient.error == nil)
        let image = try #require(recipient.image)
        #expect(image.presentationTimeStamp == CMTime(value: 1, timescale: 1) && image.numSamples == 1)
        #expect(image.formatDescription?.mediaSubType == .jpeg && image.imageBuffer == nil)
        #expect(image.formatDescription?.dimensions == CMVideoDimensions(width: 64, height: 32))
        let data = try #require(AVCaptureStillImageOutput.jpegStillImageNSDataRepresentation(image))
        #expect(data.prefix(2) == Data([0xFF, 0xD8]) && data.suffix(2) == Data([0xFF, 0xD9]))
        #expect(data.count == image.dataBuffer?.dataLength)
        fake.session.stopRunning()
        #expect(recipient.callCount == 1)
    }

    @Test func stillImageOutput_pixelFormat_isAFrame() async throws {
        let fake = try started()
        output.outputSettings = [kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA]
        #expect(output.availableImageDataCVPixelFormatTypes.contains(NSNumber(value: kCVPixelFormatType_32BGRA)))
        try capture(for: recipient)
        fake.source.frame(at: 1_000)
        try await waitUntil { recipient.isCalled }
        let image = try #require(recipient.image)
        let frame = try #require(image.imageBuffer)
        #expect(CVPixelBufferGetPixelFormatType(frame) == kCVPixelFormatType_32BGRA)
        #expect(AVCaptureStillImageOutput.jpegStillImageNSDataRepresentation(image) == nil)
        fake.session.stopRunning()
    }

    @Test func stillImageOutput_severalRequests_areAnsweredWithTheSameFrame() async throws {
        let fake = try started()
        for _ in 0..<3 { try capture(for: recipient) }
        fake.source.frame(at: 1_000)
        try await waitUntil { recipient.callCount == 3 }
        #expect(!output.isCapturingStillImage && recipient.error == nil)
        fake.session.stopRunning()
    }

    @Test func stillImageOutput_requestInTheHandler_isAnsweredToo() async throws {
        let fake = try started()
        let (output, recipient) = (output, recipient)
        let connection = try #require(output.connection(with: .video))
        let again = Gate()
        output.captureStillImageAsynchronously(from: connection) { _, _ in
            guard !output.isCapturingStillImage else { return }
            output.captureStillImageAsynchronously(from: connection) { recipient.take($0, $1) }
            again.open()
        }
        fake.source.frame(at: 1_000)
        try await waitUntil { again.isOpen() }
        fake.source.frame(at: 1_040)
        try await waitUntil { recipient.isCalled }
        #expect(recipient.image?.presentationTimeStamp == CMTime(value: 26, timescale: 25))
        fake.session.stopRunning()
    }

    @Test func stillImageOutput_impossibleSettings_fail() async throws {
        let fake = try started()
        let impossible: [[String: Any]] = [
            [AVVideoCodecKey: AVVideoCodecType.hevc], [AVVideoCodecKey: AVVideoCodecType.jpeg, AVVideoQualityKey: 2],
            [kCVPixelBufferPixelFormatTypeKey as String: 7],
        ]
        for (index, settings) in impossible.enumerated() {
            let recipient = Recipient()
            output.outputSettings = settings
            try capture(for: recipient)
            fake.source.frame(at: 1_000 + 40 * index)
            try await waitUntil { recipient.isCalled }
            #expect(recipient.image == nil && recipient.error?.code == .unsupportedOutputSettings)
        }
        fake.session.stopRunning()
    }

    @Test func stillImageOutput_connectionOfAnotherOutput_fails() async throws {
        let fake = try started()
        let other = AVCaptureVideoDataOutput()
        fake.session.addOutput(other)
        let connection = try #require(other.connection(with: .video))
        let recipient = recipient
        output.captureStillImageAsynchronously(from: connection) { recipient.take($0, $1) }
        fake.source.frame(at: 1_000)
        try await waitUntil { recipient.isCalled }
        #expect(recipient.image == nil && recipient.error?.code == .operationNotAllowed)
        fake.session.stopRunning()
    }

    @Test func stillImageOutput_sessionStopped_failsWhatWaits() async throws {
        let fake = try started()
        try capture(for: recipient)
        fake.session.stopRunning()
        try await waitUntil { recipient.isCalled }
        #expect(recipient.error?.code == .sessionNotRunning && !output.isCapturingStillImage)
        let later = Recipient()
        try capture(for: later)
        try await waitUntil { later.isCalled }
        #expect(later.error?.code == .sessionNotRunning)
    }

    @Test func stillImageOutput_cameraRemoved_failsWhatWaits() async throws {
        let fake = try started()
        try capture(for: recipient)
        fake.session.removeInput(fake.session.inputs[0])
        try await waitUntil { recipient.isCalled }
        #expect(recipient.image == nil && recipient.error?.code == .operationNotAllowed)
        fake.session.stopRunning()
    }

    @Test func photoForm_quality_isReadFromBothPlaces() throws {
        #expect(try PhotoForm(nil).jpegQuality == 90)
        #expect(try PhotoForm([AVVideoCodecKey: AVVideoCodecJPEG, AVVideoQualityKey: 0.5]).jpegQuality == 50)
        let nested: [String: Any] = [
            AVVideoCodecKey: AVVideoCodecType.jpeg, AVVideoCompressionPropertiesKey: [AVVideoQualityKey: 0],
        ]
        #expect(try PhotoForm(nested).jpegQuality == 1)
        let raw = [kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA]
        #expect(try PhotoForm(raw).jpegQuality == nil)
    }
}
