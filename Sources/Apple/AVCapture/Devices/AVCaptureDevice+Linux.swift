import AVFoundation
import MediaTypes

/// Members that exist only on Linux.
extension AVCaptureDevice {
    /// True if searches also find the test camera and the test microphone, which need no hardware. They deliver a
    /// moving pattern and a tone, at the pace of real devices. The environment variable `RECORDER_TEST_DEVICES=1` makes
    /// this property true.
    ///
    /// If true, the test devices come first in every search, so they are the default devices.
    public static var includesTestDevices: Bool {
        get { TestDevices.areIncluded }
        set { TestDevices.areIncluded = newValue }
    }

    /// Sets a control of a camera by the name that its driver uses, such as `sharpness`. `v4l2-ctl -l` lists these
    /// names.
    ///
    /// Requires the configuration lock. The value is set immediately, even while a session runs. It is set again each
    /// time that a session opens the camera, in the order of the calls. If the camera does not have the control, the
    /// next session reports a runtime error.
    public func setControl(_ name: String, to value: Int64) {
        change(
            name,
            found.kind == .camera
                ? .success(ControlChange(values: [DeviceControl(name: name, value: value)]))
                : ControlRules.invalid("a microphone has no controls"))
    }

    /// Locks the white balance at a temperature in kelvin. Requires the configuration lock.
    public func setWhiteBalance(temperature: Float) {
        change("whiteBalance", rules.whiteBalance(temperature: temperature))
    }

    /// The temperature of the white balance in kelvin; nil if it is unknown.
    public var whiteBalanceTemperature: Float? { controlValues[.whiteBalanceTemperature].map { Float($0) } }

    /// The reason why the device could not be examined when it was found, such as missing permission; nil if it could
    /// be.
    public var problem: (any Error)? { found.problem.map { AVError(capturing: $0) } }
}
