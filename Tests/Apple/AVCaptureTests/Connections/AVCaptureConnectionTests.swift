import FakeDevices
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AVCapture

@Suite struct AVCaptureConnectionTests {
    private let output = AVCaptureVideoDataOutput()
    private let delegate = Delegate()

    private func started() throws -> (FakeSession, AVCaptureConnection) {
        let fake = try FakeSession()
        output.setSampleBufferDelegate(delegate, queue: DispatchQueue(label: "test"))
        fake.session.addOutput(output)
        fake.session.startRunning()
        return (fake, try #require(output.connection(with: .video)))
    }

    /// Captures a frame.
    ///
    /// - Returns: the delivered one.
    private func capture(_ sample: SampleBuffer, with fake: FakeSession) async throws -> CVPixelBuffer {
        let count = delegate.samples.count
        fake.source.send(.sample(sample))
        try await waitUntil { delegate.samples.count > count }
        return try #require(CMSampleBufferGetImageBuffer(delegate.samples[count]))
    }

    /// A camera with one format.
    private func hardware(_ codec: VideoCodec, _ pixelFormat: CameraPixelFormat) -> FakeHardware {
        let format = FormatDescription.video(VideoFormat(codec: codec, width: 64, height: 32))
        let hardware = FakeHardware(format)
        hardware.change { list in
            for index in list.indices where list[index].kind == .camera {
                list[index].formats = [DeviceFormat(format, pixelFormat: pixelFormat)]
            }
        }
        return hardware
    }

    // MARK: Frames

    @Test(arguments: [PixelFormat.nv12, .i420, .yuyv, .uyvy, .bgra, .gray8])
    func connection_eachTurn_movesThePixels(_ format: PixelFormat) async throws {
        let (fake, connection) = try started()
        for (index, turn) in VideoTurn.all.enumerated() {
            turn.apply(to: connection)
            #expect(connection.videoRotationAngle == CGFloat(turn.angle))
            #expect(connection.isVideoMirrored == turn.isMirrored)
            let frame = try await capture(CornerFrame.sample(format, at: index * 40), with: fake)
            #expect(CVPixelBufferGetPixelFormatType(frame) == format.code(isFullRange: false))
            #expect(CVPixelBufferGetWidth(frame) == turn.width && CVPixelBufferGetHeight(frame) == turn.height)
            #expect(try CornerFrame.quarters(of: frame) == turn.quarters, "\(turn.testDescription)")
        }
        #expect(output.ledger.delivered == Int64(VideoTurn.all.count))
        fake.session.stopRunning()
    }

    @Test func connection_turnedBack_lendsFramesAgain() async throws {
        let (fake, connection) = try started()
        let pixels = CornerFrame.pixels(.nv12)
        let own = pixels.plane(0).baseAddress
        connection.videoRotationAngle = 180
        let turned = try await capture(SampleBuffer(pixels: pixels, presentationTime: milliseconds(0)), with: fake)
        #expect(CVPixelBufferGetBaseAddressOfPlane(turned, 0).map { UnsafeRawPointer($0) } != own)
        connection.videoRotationAngle = 0
        let lent = try await capture(SampleBuffer(pixels: pixels, presentationTime: milliseconds(40)), with: fake)
        #expect(CVPixelBufferGetBaseAddressOfPlane(lent, 0).map { UnsafeRawPointer($0) } == own)
        fake.session.stopRunning()
    }

    @Test func connection_settingsWithASize_giveTheSizeAfterTheTurn() async throws {
        output.videoSettings = [
            kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA,
            kCVPixelBufferWidthKey as String: 16, kCVPixelBufferHeightKey as String: 24,
        ]
        let (fake, connection) = try started()
        for (index, turn) in VideoTurn.all.enumerated() {
            turn.apply(to: connection)
            let frame = try await capture(CornerFrame.sample(.yuyv, at: index * 40), with: fake)
            #expect(CVPixelBufferGetPixelFormatType(frame) == kCVPixelFormatType_32BGRA)
            #expect(CVPixelBufferGetWidth(frame) == 16 && CVPixelBufferGetHeight(frame) == 24)
            #expect(try CornerFrame.quarters(of: frame) == turn.quarters, "\(turn.testDescription)")
        }
        fake.session.stopRunning()
    }

    // MARK: Properties

    @Test func connection_orientations_areAngles() throws {
        let (fake, connection) = try started()
        #expect(connection.isVideoOrientationSupported && connection.videoOrientation == .landscapeRight)
        let angles: [(AVCaptureVideoOrientation, CGFloat)] = [
            (.portrait, 90), (.landscapeLeft, 180), (.portraitUpsideDown, 270), (.landscapeRight, 0),
        ]
        for (orientation, angle) in angles {
            #expect(connection.isVideoRotationAngleSupported(angle))
            connection.videoOrientation = orientation
            #expect(connection.videoRotationAngle == angle)
            connection.videoRotationAngle = angle
            #expect(connection.videoOrientation == orientation)
        }
        fake.session.stopRunning()
    }

    @Test func connection_mirroring_isAutomaticUntilItIsSet() throws {
        let (fake, connection) = try started()
        #expect(connection.isVideoMirroringSupported && connection.automaticallyAdjustsVideoMirroring)
        #expect(!connection.isVideoMirrored && !connection.isVideoStabilizationSupported)
        connection.isVideoMirrored = true
        #expect(connection.isVideoMirrored && !connection.automaticallyAdjustsVideoMirroring)
        connection.automaticallyAdjustsVideoMirroring = true
        #expect(!connection.isVideoMirrored && connection.automaticallyAdjustsVideoMirroring)
        connection.automaticallyAdjustsVideoMirroring = false
        #expect(!connection.isVideoMirrored && !connection.automaticallyAdjustsVideoMirroring)
        fake.session.stopRunning()
    }

    // MARK: Refusals

    @Test func connection_cameraOfH264_refusesToTurnPackets() throws {
        let fake = try FakeSession(hardware(.h264, .h264))
        let movie = AVCaptureMovieFileOutput()
        fake.session.addOutput(output)
        fake.session.addOutput(movie)
        let connection = try #require(output.connection(with: .video))
        #expect(!connection.isVideoOrientationSupported && !connection.isVideoMirroringSupported)
        #expect(connection.isVideoRotationAngleSupported(0) && !connection.isVideoRotationAngleSupported(90))
        // No frame of a movie is changed.
        #expect(movie.connection(with: .video)?.isVideoOrientationSupported == true)
        let notices = Notices(of: fake.session, [.AVCaptureSessionRuntimeError])
        connection.videoOrientation = .portrait
        #expect(connection.videoOrientation == .landscapeRight)
        fake.session.startRunning()
        #expect(!fake.session.isRunning && notices.names.count == 1)
        connection.videoOrientation = .landscapeRight
        fake.session.startRunning()
        #expect(fake.session.isRunning && notices.names.count == 1)
        fake.session.stopRunning()
    }

    @Test func connection_cameraOfJPEG_turnsOnlyDecodedFrames() throws {
        let fake = try FakeSession(hardware(.mjpeg, .mjpeg))
        fake.session.addOutput(output)
        let connection = try #require(output.connection(with: .video))
        #expect(connection.isVideoOrientationSupported)
        output.videoSettings = [:]
        #expect(!connection.isVideoOrientationSupported)
    }

    @Test func connection_refusedWhileRunning_isReportedAndTheSessionRuns() throws {
        let (fake, connection) = try started()
        let notices = Notices(of: fake.session, [.AVCaptureSessionRuntimeError])
        for angle in [45, -90, 360, CGFloat.nan] {
            #expect(!connection.isVideoRotationAngleSupported(angle))
            connection.videoRotationAngle = angle
            #expect(connection.videoRotationAngle == 0)
        }
        fake.session.addOutput(AVCapturePhotoOutput())
        #expect(fake.session.isRunning && notices.names.count == 1)
        fake.session.addOutput(AVCaptureMovieFileOutput())
        #expect(notices.names.count == 1)
        fake.session.stopRunning()
    }

    @Test func connection_audio_isNotTurned() throws {
        let (fake, audio) = (try FakeSession(withAudio: true), AVCaptureAudioDataOutput())
        fake.session.addOutput(audio)
        let connection = try #require(audio.connection(with: .audio))
        #expect(!connection.isVideoOrientationSupported && !connection.isVideoMirroringSupported)
        connection.isVideoMirrored = true
        #expect(!connection.isVideoMirrored && connection.fault?.reason == "the connection carries no video")
    }
}
