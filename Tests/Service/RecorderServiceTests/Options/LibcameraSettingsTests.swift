import CommandInterface
import LibcameraCapture
import MediaTypes
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The settings of a camera behind libcamera, and what is refused.
@Suite struct LibcameraSettingsTests {
    private func load(_ flags: [(String, String)]) throws -> RecordingConfiguration {
        let assignments = try flags.map { key, text in
            SettingAssignment(try #require(RecordingSetting.named(key)), text, from: .flag("--\(key)"))
        }
        return try ConfigurationSource(.standard, flags: assignments, environment: [:], systemDirectory: "/nowhere")
            .load()
    }

    @Test(arguments: ["imx708", "/base/soc/i2c0mux/i2c@1/imx708@1a", "platform/vimc.0 Sensor B", "a:b"])
    func camera_identifierOrModel_isKept(name: String) throws {
        let configuration = try load([("camera", "libcamera:\(name)")])
        #expect(configuration.camera == .libcamera(name) && configuration.libcameraName == name)
        #expect(RecordingSetting.camera.show(configuration) == ["libcamera:\(name)"])
        #expect(configuration.microphone == .first)
    }

    @Test func camera_invalidName_isRefused() {
        for name in ["", "a\n", "\u{1B}[31m", String(repeating: "a", count: 161)] {
            let failure = #expect(throws: RecordingFailure.self) { try load([("camera", "libcamera:\(name)")]) }
            #expect(failure?.stage == .usage)
        }
    }

    @Test func microphone_behindLibcamera_isRefused() {
        let failure = #expect(throws: RecordingFailure.self) {
            try load([("camera", "libcamera:imx708"), ("microphone", "libcamera:imx708")])
        }
        #expect(failure?.description.contains("--camera") == true)
    }

    @Test(arguments: [("camera-input", "HDMI"), ("pixel-format", "h264"), ("pixel-format", "hevc")])
    func setting_ofOtherCameras_isRefused(key: String, text: String) {
        let failure = #expect(throws: RecordingFailure.self) {
            try load([("camera", "libcamera:imx708"), (key, text)])
        }
        #expect(failure?.stage == .usage && failure?.description.contains("--\(key)") == true)
    }

    @Test func control_withAFraction_isOnlyForLibcamera() throws {
        let configuration = try load([("camera", "libcamera:imx708"), ("control", "AnalogueGain=2.5")])
        #expect(configuration.controls.map(\.number) == [2.5])
        let failure = #expect(throws: RecordingFailure.self) {
            try load([("camera", "/dev/video0"), ("control", "gain=2.5")])
        }
        #expect(failure?.description.contains("gain=2.5") == true)
    }

    @Test func control_number_hasItsText() throws {
        let texts = ["1", "-3600", "0.5", "-0.25", "2.50", "9223372036854775807"]
        let controls = try texts.map { try CameraControl(parsing: "a=\($0)") }
        #expect(controls.map(\.text) == texts)
        #expect(controls.map(\.number) == [1, -3600, 0.5, -0.25, 2.5, 9.223372036854775807e18])
        #expect(controls.map(\.value) == [1, -3600, nil, nil, nil, Int64.max])
        for text in ["a=.5", "a=5.", "a=1.2.3", "a=--1", "a=-", "a=1e3", "a=nan", "a=inf", "a=0x1"] {
            #expect(throws: OptionError.self, "\(text)") { try CameraControl(parsing: text) }
        }
    }

    @Test func request_ofTheSettings_hasSizeRateAndFormat() throws {
        let plain = try load([("camera", "libcamera:imx708")])
        #expect(DeviceOpener.streamRequest("imx708", plain) == StreamRequest(camera: "imx708"))
        let full = try load([
            ("camera", "libcamera:imx708"), ("size", "1280x720"), ("frame-rate", "50"), ("pixel-format", "i420"),
        ])
        #expect(
            DeviceOpener.streamRequest("imx708", full)
                == StreamRequest(
                    camera: "imx708", width: 1280, height: 720, format: .yuv420, shortestInterval: 20_000_000,
                    longestInterval: 20_000_000))
        let compressed = try load([("camera", "libcamera:imx708"), ("codec", "passthrough")])
        #expect(DeviceOpener.streamRequest("imx708", compressed).format == .mjpeg)
    }
}
