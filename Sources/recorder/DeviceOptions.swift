import ArgumentParser
import RecorderService

struct DeviceOptions: ParsableArguments {
    @Option(.camera) var camera: String?
    @Option(.microphone) var microphone: String?
    @Option(.size) var size: String?
    @Option(.frameRate) var frameRate: String?
    @Option(.pixelFormat) var pixelFormat: String?
    @Option(.control) var control: [String]

    var assignments: [SettingAssignment] {
        typealias Setting = RecordingSetting
        return Setting.camera.given(camera) + Setting.microphone.given(microphone) + Setting.size.given(size)
            + Setting.frameRate.given(frameRate) + Setting.pixelFormat.given(pixelFormat)
            + Setting.control.given(control)
    }
}
