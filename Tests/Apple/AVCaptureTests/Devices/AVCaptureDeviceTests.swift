import FakeDevices
import Foundation
import MediaTypes
import RealTime
import Testing

@testable import AVCapture

@Suite struct AVCaptureDeviceTests {
    private let hardware = FakeHardware()

    private func camera() throws -> (AVCaptureDevice, DeviceRegistry) {
        let registry = DeviceRegistry(hardware)
        return (try #require(registry.devices(for: .video).first), registry)
    }

    @Test func device_found_describesItself() throws {
        let (camera, registry) = try camera()
        #expect(camera.uniqueID == "port-1" && camera.localizedName == "Fake Camera" && camera.modelID == "fake")
        #expect(camera.hasMediaType(.video) && !camera.hasMediaType(.audio))
        #expect(camera.isConnected && !camera.isSuspended && !camera.isInUseByAnotherApplication)
        #expect(camera.position == .unspecified && camera.deviceType == .external)
        #expect(camera.supportsSessionPreset(.vga640x480) && !camera.supportsSessionPreset(.hd1920x1080))
        #expect(camera.manufacturer.isEmpty && camera.problem == nil)
        #expect(registry.devices().count == 2 && registry.devices(for: .video).first === camera)
        #expect(registry.devices(for: .audio).first?.deviceType == .microphone)
    }

    @Test func device_formats_haveSizesAndRates() throws {
        let (camera, _) = try camera()
        #expect(camera.formats.count == 4)
        let format = camera.formats[1]
        let size = CMVideoFormatDescriptionGetDimensions(format.formatDescription)
        #expect(size.width == 1280 && size.height == 720 && format.mediaType == .video)
        #expect(format.formatDescription.mediaSubType.rawValue == kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)
        let rates = format.videoSupportedFrameRateRanges
        #expect(rates.map(\.minFrameRate) == [15, 30] && rates.map(\.maxFrameRate) == [15, 30])
        #expect(rates[1].minFrameDuration == CMTime(value: 1, timescale: 30))
        #expect(rates[0].maxFrameDuration == CMTime(value: 1, timescale: 15))
        #expect("\(format)" == "1280×720 nv12, 15 fps, 30 fps")
        // The best format of preset high.
        #expect(camera.activeFormat === format)
    }

    @Test func device_locked_changesItsMode() throws {
        let (camera, _) = try camera()
        try camera.lockForConfiguration()
        camera.activeFormat = camera.formats[2]
        camera.activeVideoMinFrameDuration = CMTime(value: 1, timescale: 15)
        camera.activeVideoMaxFrameDuration = CMTime(value: 1, timescale: 15)
        camera.unlockForConfiguration()
        #expect(camera.activeFormat === camera.formats[2])
        #expect(camera.activeVideoMinFrameDuration == CMTime(value: 1, timescale: 15))
        #expect(camera.activeVideoMaxFrameDuration == CMTime(value: 1, timescale: 15))
        var mode = DeviceMode()
        mode.size = FrameSize(640, 480)
        mode.pixelFormat = .nv12
        mode.frameRate = FrameRate(15)
        #expect(camera.mode == mode)
    }

    @Test func device_changesThatAreInvalid_areKeptAsFault() throws {
        let (camera, _) = try camera()
        let before = camera.mode
        camera.activeFormat = camera.formats[2]
        #expect(camera.mode == before)
        #expect(camera.state.withLock { $0.fault }?.reason.contains("not locked") == true)
        try camera.lockForConfiguration()
        camera.activeVideoMinFrameDuration = CMTime(value: 1, timescale: 240)
        #expect(camera.state.withLock { $0.fault }?.reason.contains("240 fps") == true)
        camera.activeVideoMinFrameDuration = .invalid
        #expect(camera.state.withLock { $0.fault } == nil && camera.mode == before)
        camera.unlockForConfiguration()
    }

    @Test func device_unlocked_callsObserversOnlyForAnotherMode() throws {
        let (camera, _) = try camera()
        let calls = Locked(0)
        camera.observe(self.hardware) { calls.withLock { $0 += 1 } }
        try camera.lockForConfiguration()
        camera.unlockForConfiguration()
        #expect(calls.withLock { $0 } == 0)
        try camera.lockForConfiguration()
        try camera.lockForConfiguration()
        camera.activeFormat = camera.formats[2]
        camera.unlockForConfiguration()
        #expect(calls.withLock { $0 } == 0)
        camera.unlockForConfiguration()
        #expect(calls.withLock { $0 } == 1)
        camera.stopObserving(ObjectIdentifier(self.hardware))
    }

    @Test func registry_deviceGoneAndBack_postsNotifications() throws {
        let (camera, registry) = try camera()
        let notices = Notices(
            of: camera,
            [AVCaptureDevice.wasConnectedNotification, AVCaptureDevice.wasDisconnectedNotification])
        let all = hardware.devices(.camera) + hardware.devices(.microphone)
        hardware.change { $0 = [] }
        #expect(registry.devices(for: .video).isEmpty && !camera.isConnected)
        hardware.change { $0 = all }
        #expect(registry.devices(for: .video).first === camera && camera.isConnected)
        #expect(notices.names == [.AVCaptureDeviceWasDisconnected, .AVCaptureDeviceWasConnected])
    }

    @Test func discovery_types_selectKinds() throws {
        let registry = DeviceRegistry(hardware)
        func names(_ types: [AVCaptureDevice.DeviceType], _ media: AVMediaType?) -> [String] {
            AVCaptureDevice.DiscoverySession(
                deviceTypes: types, mediaType: media, position: .unspecified, registry: registry
            ).devices.map(\.localizedName)
        }
        #expect(names([.builtInWideAngleCamera], .video) == ["Fake Camera"])
        #expect(names([.external], nil) == ["Fake Camera", "Fake Microphone"])
        #expect(names([.microphone], nil) == ["Fake Microphone"])
        #expect(names([.microphone], .video).isEmpty && names([.external], .muxed).isEmpty)
        let front = AVCaptureDevice.DiscoverySession(
            deviceTypes: [.external], mediaType: .video, position: .front, registry: registry)
        #expect(front.devices.isEmpty)
    }

    @Test func authorization_noPermission_isDeniedAndInputThrows() throws {
        let refusal = MediaError(
            .notPermitted, "cannot open /dev/video0", reason: "permission denied", wayOut: "join the group video")
        hardware.change { all in
            for index in all.indices where all[index].kind == .camera { all[index].problem = refusal }
        }
        let (camera, registry) = try camera()
        #expect(AVCaptureDevice.authorizationStatus(for: .video, in: registry) == .denied)
        #expect(AVCaptureDevice.authorizationStatus(for: .audio, in: registry) == .authorized)
        let error = #expect(throws: AVError.self) { try AVCaptureDeviceInput(device: camera) }
        #expect(error?.code == .applicationIsNotAuthorizedToUseDevice)
        #expect(error?.recoverySuggestion == "join the group video")
    }

    @Test func testDevices_requested_areTheDefault() async throws {
        // Never reset: tests of other suites need them at the same time.
        AVCaptureDevice.includesTestDevices = true
        #expect(AVCaptureDevice.includesTestDevices)
        let camera = try #require(AVCaptureDevice.default(for: .video))
        let microphone = try #require(AVCaptureDevice.default(.microphone, for: .audio, position: .unspecified))
        #expect(camera.uniqueID == "test-camera" && microphone.uniqueID == "test-microphone")
        #expect(AVCaptureDevice(uniqueID: "test-camera") === camera)
        #expect(AVCaptureDevice(uniqueID: "no such device") == nil)
        #expect(AVCaptureDevice.devices().contains { $0 === camera })
        #expect(AVCaptureDevice.devices(for: .audio).first === microphone)
        #expect(AVCaptureDevice.authorizationStatus(for: .video) == .authorized)
        #expect(await AVCaptureDevice.requestAccess(for: .video))
    }
}
