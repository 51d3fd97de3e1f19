/// One control of a camera, as its driver describes it.
package struct CameraControl: Sendable, Hashable {
    /// The function that V4L2 defines for a control.
    ///
    /// Source: the Linux media API, Camera Control Reference and User Controls.
    package enum Role: Sendable, Hashable, CaseIterable {
        /// The automatic focus: 1 on, 0 off.
        case automaticFocus
        /// The position of the lens, in steps without a unit; larger values are nearer.
        case focus
        /// A button that focuses once.
        case focusOnce
        /// The exposure mode: 0 automatic, 1 manual, 2 with a fixed time, 3 with a fixed aperture.
        case exposureMode
        /// The exposure time, in units of 100 µs.
        case exposureTime
        /// A menu of exposure biases, in units of 0.001 EV.
        case exposureBias
        /// The automatic white balance: 1 on, 0 off.
        case automaticWhiteBalance
        /// A button that adjusts the white balance once.
        case whiteBalanceOnce
        /// The white balance, in kelvin.
        case whiteBalanceTemperature
        /// The focal length, in steps without a unit.
        case zoom
    }

    /// The name that `v4l2-ctl -l` shows.
    package var name: String
    /// The role; nil for a control that only this driver knows.
    package var role: Role?
    package var minimum: Int64
    package var maximum: Int64
    package var step: Int64
    /// The valid values of a menu, each with its meaning: the number in an integer menu, else the value itself. Empty
    /// for all other controls.
    package var choices: [Int64: Int64]
    package var isReadOnly: Bool

    package init(
        _ name: String, role: Role?, from minimum: Int64, to maximum: Int64, step: Int64 = 1,
        choices: [Int64: Int64] = [:], isReadOnly: Bool = false
    ) {
        self.name = name
        self.role = role
        self.minimum = minimum
        self.maximum = maximum
        self.step = step
        self.choices = choices
        self.isReadOnly = isReadOnly
    }
}
