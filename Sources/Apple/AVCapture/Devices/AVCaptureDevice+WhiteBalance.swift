/// White balance, by the controls that the camera has.
extension AVCaptureDevice {
    public enum WhiteBalanceMode: Int, Sendable {
        case locked = 0
        /// Sets the white balance once and keeps it.
        case autoWhiteBalance = 1
        case continuousAutoWhiteBalance = 2
    }

    public func isWhiteBalanceModeSupported(_ whiteBalanceMode: WhiteBalanceMode) -> Bool {
        rules.supports(whiteBalanceMode)
    }

    /// The mode, as the camera reports it. A change requires the configuration lock, and a supported mode.
    public var whiteBalanceMode: WhiteBalanceMode {
        get { rules.whiteBalanceMode(controlValues) }
        set { change("whiteBalanceMode", rules.whiteBalance(newValue)) }
    }

    /// Always false: cameras of V4L2 have no gains, but a color temperature, which `setWhiteBalance(temperature:)`
    /// sets.
    public var isLockingWhiteBalanceWithCustomDeviceGainsSupported: Bool { false }
    /// Always false: cameras do not report it.
    public var isAdjustingWhiteBalance: Bool { false }
}
