import AVFoundation
import MediaTypes

/// Members that only Linux has.
extension AVCaptureDevice {
    /// True if searches also find the test camera and the test microphone, which need no hardware: a moving pattern and
    /// a tone, at the pace of real devices. The environment variable `RECORDER_TEST_DEVICES=1` sets it from outside.
    ///
    /// The test devices then come first, and so are the default devices.
    public static var includesTestDevices: Bool {
        get { TestDevices.areIncluded }
        set { TestDevices.areIncluded = newValue }
    }

    /// Sets a control of a camera by its driver's name, such as `sharpness`; `v4l2-ctl -l` lists them.
    ///
    /// Requires the configuration lock. The value is set at once, also while a session runs, and in the order of these
    /// calls each time that a session opens the camera. A control that the camera does not have is a runtime error of
    /// the next session.
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

    /// The reason why the device could not be examined when it was found, such as missing permission; nil if there is
    /// none.
    public var problem: (any Error)? { found.problem.map { AVError(capturing: $0) } }
}
