import FakeDevices
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import AVCapture

@Suite struct AVCaptureSessionTests {
    private static let names: [Notification.Name] = [
        .AVCaptureSessionDidStartRunning, .AVCaptureSessionDidStopRunning, .AVCaptureSessionRuntimeError,
        .AVCaptureSessionWasInterrupted, .AVCaptureSessionInterruptionEnded,
    ]

    @Test func session_inputsAndOutputs_areConnected() throws {
        let fake = try FakeSession(withAudio: true)
        let (session, video, audio) = (fake.session, AVCaptureVideoDataOutput(), AVCaptureAudioDataOutput())
        #expect(session.canAddOutput(video))
        session.addOutput(video)
        session.addOutput(audio)
        #expect(!session.canAddOutput(video) && session.outputs.count == 2 && session.inputs.count == 2)
        let again = try AVCaptureDeviceInput(device: fake.camera)
        #expect(!session.canAddInput(again))
        let connection = try #require(video.connection(with: .video))
        #expect(session.connections.count == 2 && video.connections.count == 1)
        #expect(connection.output === video && connection.inputPorts.first?.input === session.inputs[0])
        #expect(connection.isActive && video.connection(with: .audio) == nil)
        #expect(audio.connection(with: .audio)?.inputPorts.first?.mediaType == .audio)
        session.removeOutput(video)
        session.removeInput(session.inputs[1])
        #expect(session.connections.isEmpty && video.connections.isEmpty && session.canAddOutput(video))
    }

    @Test func session_portsOfAnInput_describeTheDevice() throws {
        let fake = try FakeSession()
        let input = try #require(fake.session.inputs.first as? AVCaptureDeviceInput)
        let port = try #require(input.ports.first)
        #expect(port.mediaType == .video && port.clock === CMClock.hostTimeClock && port.input === input)
        #expect(port.formatDescription?.mediaType == .video && port.sourceDeviceType == .external)
        #expect(input.ports(for: .video, sourceDeviceType: nil, sourceDevicePosition: .unspecified).count == 1)
        #expect(input.ports(for: .audio, sourceDeviceType: nil, sourceDevicePosition: .unspecified).isEmpty)
    }

    @Test func session_connectionsOfItsOwn_areAddedAndRemoved() throws {
        let fake = try FakeSession()
        let (session, output) = (fake.session, AVCaptureVideoDataOutput())
        session.addOutputWithNoConnections(output)
        #expect(output.connections.isEmpty)
        let connection = AVCaptureConnection(inputPorts: session.inputs[0].ports, output: output)
        #expect(session.canAddConnection(connection))
        session.addConnection(connection)
        #expect(output.connections.first === connection && !session.canAddConnection(connection))
        session.removeConnection(connection)
        #expect(output.connections.isEmpty && session.connections.isEmpty)
    }

    @Test func session_inputAndOutputAddedAtOnce_areConnectedOnce() throws {
        let registry = DeviceRegistry(FakeHardware())
        let camera = try #require(registry.devices(for: .video).first)
        for _ in 0..<200 {
            let (session, output) = (AVCaptureSession(), AVCaptureVideoDataOutput())
            let input = try AVCaptureDeviceInput(device: camera)
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                if index == 0 { session.addInput(input) } else { session.addOutput(output) }
            }
            try #require(session.connections.count == 1 && output.connections.count == 1)
        }
    }

    @Test func output_connectionWithoutRoom_isRefused() throws {
        let fake = try FakeSession()
        let output = AVCaptureVideoDataOutput()
        let ports = fake.session.inputs[0].ports
        #expect(output.join(AVCaptureConnection(inputPorts: ports, output: output)))
        // Two threads that both found room.
        #expect(!output.join(AVCaptureConnection(inputPorts: ports, output: output)))
        #expect(output.connections.count == 1)
    }

    @Test func session_released_leavesItsOutputsToAnother() throws {
        let output = AVCaptureMovieFileOutput()
        let connection = try releaseSession(with: output)
        #expect(output.connections.isEmpty && connection.sourceFormat == nil)
        let fake = try FakeSession()
        #expect(fake.session.canAddOutput(output))
        fake.session.addOutput(output)
        #expect(output.connections.count == 1)
    }

    /// Runs a session, and releases it without stopping it.
    private func releaseSession(with output: AVCaptureOutput) throws -> AVCaptureConnection {
        let fake = try FakeSession()
        fake.session.addOutput(output)
        fake.session.startRunning()
        let connection = try #require(output.connections.first)
        #expect(connection.sourceFormat != nil)
        return connection
    }

    @Test func session_startAndStop_openAndCloseDevices() throws {
        let fake = try FakeSession()
        let notices = Notices(of: fake.session, Self.names)
        fake.session.addOutput(AVCaptureVideoDataOutput())
        fake.session.sessionPreset = .vga640x480
        #expect(fake.session.sessionPreset == .vga640x480 && fake.session.canSetSessionPreset(.hd1280x720))
        #expect(!fake.session.canSetSessionPreset(.hd1920x1080))
        #expect(!fake.session.isRunning && fake.hardware.camera.sources.isEmpty)
        fake.session.startRunning()
        fake.session.startRunning()
        #expect(fake.session.isRunning && !fake.session.isInterrupted && fake.source.isStarted)
        #expect(fake.hardware.openedModes.map(\.size) == [FrameSize(640, 480)])
        fake.session.stopRunning()
        fake.session.stopRunning()
        #expect(!fake.session.isRunning && fake.source.isStopped)
        #expect(notices.names == [.AVCaptureSessionDidStartRunning, .AVCaptureSessionDidStopRunning])
        #expect(fake.session.synchronizationClock === fake.session.masterClock)
    }

    @Test func session_presetBeforeTheStart_setsTheActiveFormatAtTheCommit() throws {
        let (fake, output) = (try FakeSession(), AVCaptureVideoDataOutput())
        fake.session.beginConfiguration()
        fake.session.sessionPreset = .vga640x480
        fake.session.addOutput(output)
        #expect(fake.camera.activeFormat === fake.camera.formats[1])
        fake.session.commitConfiguration()
        #expect(fake.camera.activeFormat === fake.camera.formats[2])
        let settings = try #require(output.recommendedVideoSettingsForAssetWriter(writingTo: .mov))
        #expect(settings[AVVideoWidthKey] as? Int == 640 && settings[AVVideoHeightKey] as? Int == 480)
        // A rate that is set after the preset is kept by the start.
        try fake.camera.lockForConfiguration()
        fake.camera.activeVideoMinFrameDuration = CMTime(value: 1, timescale: 15)
        fake.camera.unlockForConfiguration()
        fake.session.startRunning()
        #expect(fake.hardware.openedModes.map(\.size) == [FrameSize(640, 480)])
        #expect(fake.hardware.openedModes.map(\.frameRate) == [FrameRate(15)])
        fake.session.stopRunning()
    }

    @Test func session_settingRefusedWhileRunning_keepsRunning() throws {
        let (fake, output) = (try FakeSession(), AVCaptureVideoDataOutput())
        fake.session.addOutput(output)
        fake.session.startRunning()
        let notices = Notices(of: fake.session, Self.names)
        // Not locked, so it is refused.
        fake.camera.activeVideoMinFrameDuration = CMTime(value: 1, timescale: 15)
        fake.session.addOutput(AVCapturePhotoOutput())
        #expect(fake.session.isRunning && notices.names == [AVCaptureSession.runtimeErrorNotification])
        fake.session.addOutput(AVCaptureMovieFileOutput())
        #expect(fake.session.isRunning && notices.names.count == 1)
        fake.session.stopRunning()
    }

    @Test func session_cameraInUse_postsARuntimeError() throws {
        let fake = try FakeSession()
        let notices = Notices(of: fake.session, Self.names)
        fake.session.addOutput(AVCaptureVideoDataOutput())
        fake.hardware.camera.refuse(FakeDevice.taken)
        fake.session.startRunning()
        #expect(!fake.session.isRunning && notices.names == [.AVCaptureSessionRuntimeError])
        #expect(notices.errors.first??.code == .deviceInUseByAnotherApplication)
        fake.hardware.camera.refuse(nil)
        fake.session.startRunning()
        #expect(fake.session.isRunning)
        fake.session.stopRunning()
    }

    @Test func session_invalidCallOfADevice_isARuntimeError() throws {
        let fake = try FakeSession()
        let notices = Notices(of: fake.session, Self.names)
        fake.session.addOutput(AVCaptureVideoDataOutput())
        fake.camera.activeFormat = fake.camera.formats[2]
        fake.session.startRunning()
        #expect(!fake.session.isRunning && notices.errors.first??.code == .unsupportedDeviceActiveFormat)
    }

    @Test func session_cameraUnplugged_isInterruptedUntilItIsBack() async throws {
        let fake = try FakeSession()
        let notices = Notices(of: fake.session, Self.names)
        let plugs = Notices(of: fake.camera, [.AVCaptureDeviceWasDisconnected, .AVCaptureDeviceWasConnected])
        let (output, delegate) = (AVCaptureVideoDataOutput(), Delegate())
        output.setSampleBufferDelegate(delegate, queue: DispatchQueue(label: "test"))
        fake.session.addOutput(output)
        fake.session.startRunning()
        fake.source.frame(at: 1000)
        fake.source.send(.gone(FakeDevice.unplugged))
        try await waitUntil { notices.names.contains(.AVCaptureSessionWasInterrupted) }
        #expect(fake.session.isInterrupted && fake.session.isRunning && !fake.camera.isConnected)
        fake.session.retryDevices()
        try await waitUntil { fake.hardware.camera.sources.count == 2 && fake.source.isStarted }
        #expect(fake.session.isInterrupted, "a device is back with its first sample")
        fake.source.frame(at: 3000)
        try await waitUntil { notices.names.contains(.AVCaptureSessionInterruptionEnded) }
        try await waitUntil { delegate.told.contains("sample 3000") }
        #expect(!fake.session.isInterrupted && fake.camera.isConnected)
        #expect(notices.errors.compactMap { $0 }.map(\.code) == [.deviceWasDisconnected])
        #expect(plugs.names == [.AVCaptureDeviceWasDisconnected, .AVCaptureDeviceWasConnected])
        fake.session.stopRunning()
    }

    @Test func session_changesWhileRunning_areMadeAtTheCommit() throws {
        let fake = try FakeSession()
        fake.session.addOutput(AVCaptureVideoDataOutput())
        fake.session.startRunning()
        fake.session.beginConfiguration()
        fake.session.addInput(try AVCaptureDeviceInput(device: fake.microphone))
        fake.session.addOutput(AVCaptureAudioDataOutput())
        #expect(fake.hardware.microphone.sources.isEmpty)
        fake.session.commitConfiguration()
        #expect(fake.microphoneSource.isStarted && fake.hardware.camera.sources.count == 1)
        fake.session.stopRunning()
        #expect(fake.microphoneSource.isStopped)
    }

    @Test func session_anotherActiveFormat_opensTheCameraAgain() throws {
        let fake = try FakeSession()
        fake.session.addOutput(AVCaptureVideoDataOutput())
        fake.session.startRunning()
        try fake.camera.lockForConfiguration()
        fake.camera.activeFormat = fake.camera.formats[2]
        fake.camera.unlockForConfiguration()
        #expect(fake.hardware.openedModes.map(\.size) == [FrameSize(1280, 720), FrameSize(640, 480)])
        #expect(fake.hardware.camera.sources[0].isStopped && fake.source.isStarted)
        #expect(fake.session.sessionPreset == .inputPriority)
        fake.session.sessionPreset = .hd1280x720
        #expect(fake.hardware.openedModes.last?.size == FrameSize(1280, 720))
        fake.session.stopRunning()
    }

    @Test func session_releasedWhileRunning_closesItsDevices() async throws {
        let hardware = FakeHardware()
        try release(hardware)
        try await waitUntil { hardware.camera.source.isStopped }
    }

    private func release(_ hardware: FakeHardware) throws {
        let fake = try FakeSession(hardware)
        fake.session.addOutput(AVCaptureVideoDataOutput())
        fake.session.startRunning()
        #expect(fake.session.isRunning)
    }

    @Test func session_outputAddedWhileItStarts_isConnected() async throws {
        let fake = try FakeSession()
        let (session, late, delegate) = (fake.session, AVCaptureVideoDataOutput(), Delegate())
        late.setSampleBufferDelegate(delegate, queue: DispatchQueue(label: "test"))
        session.addOutput(AVCaptureVideoDataOutput())
        // As by another thread, while the driver opens the camera.
        fake.hardware.camera.become {
            session.addOutput(late)
            return FakeSource.camera()
        }
        session.startRunning()
        fake.source.frame(at: 40)
        try await waitUntil { delegate.told == ["sample 40"] }
        #expect(fake.hardware.camera.sources.count == 1)
        session.stopRunning()
    }

    @Test func session_noticeOfAClosedCamera_isIgnored() throws {
        let fake = try FakeSession()
        let notices = Notices(of: fake.session, Self.names)
        fake.session.addOutput(AVCaptureVideoDataOutput())
        fake.session.startRunning()
        fake.session.notices.suspend()
        fake.source.send(.gone(FakeDevice.unplugged))
        fake.session.stopRunning()
        fake.session.startRunning()
        fake.session.notices.resume()
        fake.session.notices.sync {}
        #expect(!fake.session.isInterrupted && fake.camera.isConnected)
        #expect(!notices.names.contains(.AVCaptureSessionWasInterrupted))
        fake.session.stopRunning()
    }

    @Test func session_startAndStopOnSeveralThreads_endsStopped() throws {
        let fake = try FakeSession()
        fake.session.addOutput(AVCaptureVideoDataOutput())
        let session = fake.session
        DispatchQueue.concurrentPerform(iterations: 16) { index in
            if index % 2 == 0 { session.startRunning() } else { session.stopRunning() }
        }
        session.stopRunning()
        #expect(!session.isRunning && fake.hardware.camera.sources.allSatisfy(\.isStopped))
    }
}
