import CommandInterface
import MediaTypes
import Testing

@testable import Capture
@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The setting of a camera's input, and how inputs are listed.
@Suite struct CameraInputSettingsTests {
    private func load(_ flags: [(String, String)]) throws -> RecordingConfiguration {
        let assignments = try flags.map { key, text in
            SettingAssignment(try #require(RecordingSetting.named(key)), text, from: .flag("--\(key)"))
        }
        return try ConfigurationSource(.standard, flags: assignments, environment: [:], systemDirectory: "/nowhere")
            .load()
    }

    @Test func input_nameOrNumber_isKept() throws {
        #expect(try load([("camera", "/dev/video0"), ("camera-input", "HDMI 0")]).cameraInput == "HDMI 0")
        #expect(try load([("camera-input", "1")]).cameraInput == "1")
        #expect(try load([("camera", "/dev/video0")]).cameraInput == nil)
    }

    @Test(arguments: ["none", "rtsp://10.0.0.2/live"])
    func input_cameraWithoutInputs_isRefused(camera: String) {
        let failure = #expect(throws: RecordingFailure.self) {
            try load([("camera", camera), ("camera-input", "HDMI")])
        }
        #expect(failure?.stage == .usage)
        #expect(failure?.description.contains("--camera-input") == true)
    }

    private static func camera(_ inputs: [CameraInput]) -> CameraDevice {
        CameraDevice(
            path: "/dev/video0", name: "vivid", driver: "vivid", bus: "platform:vivid-000", stableNames: [],
            capabilities: CameraCapabilities(formats: []), inputs: inputs)
    }

    @Test func devices_severalInputs_areListedWithTheirSignals() {
        let list = DeviceList(
            cameras: [
                Self.camera([
                    CameraInput(0, "Webcam 0"), CameraInput(1, "S-Video 0", hasStandards: true),
                    CameraInput(2, "HDMI 0", hasTimings: true, isCurrent: true, status: 2),
                ])
            ], microphones: [])
        let lines = list.text.split(separator: "\n").filter { $0.hasPrefix("    input") }
        #expect(
            lines == [
                "    input 0  Webcam 0  camera", "    input 1  S-Video 0  analog video",
                "    input 2  HDMI 0  digital video, current, no signal",
            ])
        #expect(list.cameras[0].inputs.map(\.signal) == [nil, nil, "noSignal"])
    }

    @Test func devices_oneInput_isNotListed() {
        let list = DeviceList(
            cameras: [Self.camera([CameraInput(0, "HDMI", hasTimings: true, isCurrent: true)])], microphones: [])
        #expect(!list.text.contains("input"))
        #expect(list.cameras[0].inputs.map(\.signal) == ["present"])
    }
}
