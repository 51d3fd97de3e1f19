import Capture
import FakeDevices
import LibcameraCapture
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

@Suite struct DeviceOpenerTests {
    @Test func opener_testSources_deliverSamples() async throws {
        var configuration = RecordingConfiguration()
        configuration.camera = .test
        configuration.microphone = .test
        let keepers = try DeviceOpener().openKeepers(configuration)
        let (camera, microphone) = (try #require(keepers.camera), try #require(keepers.microphone))
        #expect(camera.format.video?.width == 1280 && microphone.format.audio?.sampleRate == 48_000)
        let log = DeviceLog()
        try camera.start { log.receive($0) }
        let audioLog = DeviceLog()
        try microphone.start { audioLog.receive($0) }
        try await waitUntil { log.told.count >= 2 && audioLog.told.count >= 2 }
        camera.stop()
        microphone.stop()
        #expect(camera.state == .stopped && microphone.state == .stopped)
    }

    @Test func opener_cameraBehindLibcamera_startsItsHelper() {
        let starts = Locked(0)
        let helper = HelperLauncher { (_: Int32) throws(MediaError) -> HelperProgram in
            starts.withLock { $0 += 1 }
            throw MediaError(.notFound, "cannot start the helper", reason: "this is a test")
        }
        let opener = DeviceOpener(helper: helper)
        var configuration = RecordingConfiguration()
        configuration.camera = .libcamera("imx708")
        configuration.microphone = .none
        let recording = configuration
        let error = #expect(throws: MediaError.self) { _ = try opener.openKeepers(recording) }
        #expect(error?.reason == "this is a test")
        let count = starts.withLock { $0 }
        #expect(count == 1)
    }
}
